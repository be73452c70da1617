"""Words that nobody listed: planned, reported by devices, and found by the collector."""

from pathlib import Path

from sudare import Device, Discovery, Seeded, discover

LINES = (Path(__file__).parent / "common_words.txt").read_text("utf-8").splitlines()
WORDS = [word for line in LINES if not line.startswith("#") for word in line.split()]
PEOPLE = 1_000_000


def main() -> None:
    """Plan, show what one device sends, draw a million people, and find their words."""
    plan = Discovery.calibrate("words", "Which word did you type last?", epsilon=4)
    ((part, report),) = plan.report(Device.new(), "question")
    print(f"One device sends {report.nbytes} bytes to “{part.name}”, for ε = {plan.epsilon:.4f}")

    ranks = sum(1 / rank for rank in range(1, len(WORDS) + 1))
    truth = {word: int(PEOPLE / ranks / rank) for rank, word in enumerate(WORDS, 1)}
    found = discover(plan, plan.simulate(truth, Seeded(1)))

    for note in found.notes():
        print(note)
    false = [text for text in found.texts if text not in {word[:8] for word in WORDS}]
    print(f"{len(false)} of those found are no word of anybody's")
    for row in found.rows()[:5]:
        print(f"{row['candidate']:9}{row['share']:6.2%}  ({truth[row['candidate']]:,} people)")


if __name__ == "__main__":
    main()
