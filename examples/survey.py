"""A private survey in Python, from the question to the shares, counted in two places."""

from sudare import OUE, Aggregate, Collection
from sudare.estimation.simplex import norm_sub

REGIONS = {
    "north": ["bus"] * 900 + ["bicycle"] * 2500 + ["car"] * 1600,
    "south": ["bus"] * 2100 + ["bicycle"] * 400 + ["car"] * 2500,
}


def count(survey: Collection, answers: list[str]) -> Aggregate:
    """What one region's collector keeps: randomised on the devices, then counted."""
    reports = survey.randomize(answers)
    return survey.aggregate(reports)


def main() -> None:
    """Ask two regions, add their counts, show the shares with their intervals."""
    survey = Collection(
        name="commute",
        question="How do you get to work?",
        answers=("bus", "bicycle", "car", "train"),
        mechanism=OUE.calibrate(k=4, epsilon=2.0),
        minimum_reports=1000,
    )
    total = sum((count(survey, answers) for answers in REGIONS.values()), survey.zero)
    estimate = survey.estimate(total)
    low, high = estimate.simultaneous(0.95)
    shown = norm_sub(estimate.values)
    print(f"{survey.question} {total.n:,} reports, ε = {survey.epsilon:.4f} each")
    for index, label in enumerate(estimate.labels):
        print(f"{label:8} {shown[index]:6.1%}   ({low[index]:6.1%} to {high[index]:6.1%})")


if __name__ == "__main__":
    main()
