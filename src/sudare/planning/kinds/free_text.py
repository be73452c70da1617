"""Answers in people's own words: plans for the rarest text that is found."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from sudare.decoding.from_sums import decode_sums
from sudare.errors import ParameterError
from sudare.estimation.detection import Detection, said_by_chance
from sudare.mechanisms.rappor import Rappor
from sudare.mechanisms.strings import digests
from sudare.planning.kinds.interface import (
    QUESTION,
    Design,
    Kind,
    Make,
    new_collection,
    part_of,
    spent,
    year_epsilon,
)
from sudare.planning.kinds.trials import Told, Trial
from sudare.planning.measures import Measure
from sudare.planning.texts import best_filter, best_rappor, check_search
from sudare.planning.wish import Goal, Wish

_RARER = 10  # times as rare as one text are the others, where a plan is tried
_GUESS = 0.5  # a share that a text needs to be found, which hardly any has


@dataclass(frozen=True)
class TextMeasure(Measure):
    """A rare text among others that are rare as well, decoded from the sums of reports.

    Attributes:
        detection: what it takes to be found.
        wish: how sure the result is to be.
    """

    detection: Detection
    wish: Wish
    goals: tuple[Goal, ...] = ("error", "smallest_share")

    def foreseen(self, goal: Goal, reports: int) -> float:
        """What so many reports reach."""
        if goal == "smallest_share":
            return self.detection.share(reports, self.wish.more)
        found = self.wish.deviations * math.sqrt(self.detection.noise.outside / reports)
        return found if found <= 1 else math.inf

    def reports(self, goal: Goal, value: float) -> float:
        """How many reports reach it."""
        if goal == "smallest_share":
            return self.detection.reports(value, self.wish.more)
        return (self.wish.deviations / value) ** 2 * self.detection.noise.outside


@dataclass(frozen=True, kw_only=True)
class FreeText(Kind):
    """A text, found among candidates.

    Attributes:
        candidates: how many texts are looked for.
        false_discoveries: the chance to find one that nobody gave.
    """

    name: ClassVar[str] = "text"
    goals: ClassVar[tuple[Goal, ...]] = ("error", "smallest_share")
    judged: ClassVar[Goal] = "smallest_share"
    candidates: int = 1000
    false_discoveries: float = 0.05

    def __post_init__(self) -> None:
        check_search(self.candidates, self.false_discoveries)

    def families(self, wish: Wish) -> Mapping[str, Make]:
        """RAPPOR, the one mechanism for texts; with permanent noise where people are asked again.

        There it bounds what all reports of one text cost: each different one costs anew.
        """
        if wish.population or wish.compare is not None or wish.share:
            raise ParameterError(
                "a text is planned for a rare one, of the people asked: leave out share, "
                "compare and population"
            )

        def make(epsilon: float) -> Design:
            each, lifetime = epsilon, None
            if wish.visits > 1:
                lifetime = part_of(epsilon, wish.kept)
                each = lifetime / 2
            made = best_filter(each, lifetime)
            density = made.ones / made.bits
            slope = made.holder - made.others
            detection = Detection.of(made, self.candidates, self.false_discoveries)
            return Design(
                TextMeasure(detection, wish),
                spends=spent(made, wish),
                each=each,
                report_bytes=made.report_dtype.itemsize,
                forger_gain=(1 - said_by_chance(made)) / (slope * (1 - density)),
                year_epsilon=year_epsilon(made),
                mechanism=made,
                fits=(made.holder, made.others),
                lifetime=lifetime,
            )

        return {Rappor.name: make}

    def finished(self, design: Design, reports: int) -> Design:
        """The design with the cohorts that so many reports are divided among, if they show any."""
        if math.isinf(design.measure.foreseen("smallest_share", reports)):
            return design
        made = best_rappor(
            design.each,
            reports,
            self.candidates,
            false_discoveries=self.false_discoveries,
            lifetime=design.lifetime,
        )
        return replace(design, mechanism=made.mechanism)

    def guess(self, goal: Goal) -> float:
        """A share so large that a text has to be known by then."""
        del goal
        return _GUESS

    @property
    def guessing(self) -> str:
        """What so large a share means."""
        return "only a text that half of the people give would be found"

    def told(self, design: Design, value: float, reports: int, trial: Trial) -> Told:
        """What decoding says of one text, where all others give texts that are much rarer.

        Nobody looks for those. It is another candidate in each collection, since some share more
        of their bits with the others than is usual, and some less. Decoding takes its time.
        """
        made: Any = design.mechanism
        rare = value or design.measure.foreseen("smallest_share", reports)
        others = math.ceil(_RARER / min(1.0, rare))
        texts = [str(number) for number in range(self.candidates + others)]
        hashed = digests(made.key, [text.encode() for text in texts])
        listed, given = tuple(texts[: self.candidates]), np.arange(self.candidates - 1, len(texts))
        level, held = trial.wish.level, trial.whole(value * reports)
        found = np.empty((3, trial.collections))
        for number, holders in enumerate(held.tolist()):
            given[0] = one = number % self.candidates
            each, more = divmod(reports - holders, others)
            people = np.r_[holders, each + (np.arange(others) < more)]
            decoded = decode_sums(
                made,
                made.simulate((hashed[given], people), trial.rng),
                listed,
                hashed[: self.candidates],
                self.false_discoveries,
                "bonferroni",
                level,
            ).findings
            found[:, number] = decoded.shares[one], decoded.stderr[one], one in decoded.found
            trial.done(number)
        values, stderr, seen = found
        reach = trial.wish.deviations * stderr
        ends = values - reach, values + reach
        return Told(reports, held / reports, values, stderr, *ends, found=seen.astype(np.bool_))

    def command(self, name: str, design: Design) -> str:
        """The command that makes the collection."""
        del name
        made: Any = design.mechanism
        shape = f"--bits {made.bits} --hashes {made.hashes} --cohorts {made.cohorts}"
        form = "" if design.lifetime else " --form instant"
        return new_collection(f"{QUESTION} --free-text", design, shape + form)
