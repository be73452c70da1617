"""The shapes of the service's JSON, for its OpenAPI document; a test holds them to the truth."""

from typing import Annotated, Any, Literal

import msgspec

Key = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]
Count = Annotated[int, msgspec.Meta(ge=0)]


class Shape(msgspec.Struct, forbid_unknown_fields=True):
    """An object with these fields and no others."""


class ErrorBody(Shape):
    """A code for programs, a sentence for people."""

    code: str
    message: str


class ProblemBody(Shape):
    """Every error response."""

    error: ErrorBody


class HealthBody(Shape):
    """Reports could be taken now."""

    status: Literal["ok"]


class ReceiptBody(Shape):
    """What became of the reports of a body, all durable."""

    new: Count
    repeated: Count
    refused: Count


class ReportBody(Shape):
    """A single report."""

    id: Annotated[str, msgspec.Meta(pattern="^[0-9a-fA-F]{32}$")]
    report: Annotated[str, msgspec.Meta(pattern="^([0-9a-fA-F]{2})+$")]


class WindowsShape(Shape):
    """Windows of time."""

    start: Count
    seconds: Annotated[int, msgspec.Meta(ge=1)]


class CollectionDocument(Shape):
    """A collection's public document."""

    sudare: Literal["collection"]
    format: Literal[1]
    name: str
    question: str
    answers: list[str]
    mechanism: dict[str, Any]
    minimum_reports: Annotated[int, msgspec.Meta(ge=1)]
    epsilon: float
    lifetime_epsilon: float | None = None
    windows: WindowsShape | None = None
    keeps_reports: bool = False
    invited: bool = False


class AnswerRow(Shape):
    """An answer's share."""

    answer: str
    share: float
    stderr: float
    low: float
    high: float
    people: float
    p_value: float
    rough: bool
    consistent: float | msgspec.UnsetType = msgspec.UNSET


class EstimateDocument(Shape):
    """What every estimate begins with."""

    window: int | Literal["all"]
    collection: str
    key: Key
    mechanism: str
    epsilon: float


class AnswersDocument(EstimateDocument):
    """The shares of listed answers, as ``sudare estimate --json`` says them."""

    n: Count
    level: float
    simultaneous: bool
    population: bool
    answers: list[AnswerRow]


class RoundRow(Shape):
    """A round's share; without numbers where it is open, or has too few reports."""

    round: int
    reports: Count
    estimate: float | None
    stderr: float | None
    low: float | None
    high: float | None
    band_low: float | None
    band_high: float | None
    withheld: bool
    window: int | msgspec.UnsetType = msgspec.UNSET


class RoundsDocument(EstimateDocument):
    """The share in each round of a window, or of several in a row."""

    state: str
    rounds: int
    reports_each: int
    n: Count
    minimum_reports: int
    level: float
    estimates: list[RoundRow]
    windows: list[int] | msgspec.UnsetType = msgspec.UNSET


class TextRow(Shape):
    """A text that was found."""

    candidate: str
    estimate: float
    stderr: float
    low: float
    high: float
    p_value: float
    adjusted: float


class UnexplainedBody(Shape):
    """The share of people who answered something else."""

    estimate: float
    stderr: float


class TextsDocument(EstimateDocument):
    """What was found of free text, as ``sudare decode --json`` says it."""

    n: Count
    candidates: Count
    level: float
    correction: str
    confidence: float
    smallest_detectable: float
    excess_noise: float | None
    discoveries: Count
    found: list[TextRow]
    unexplained: UnexplainedBody


class SumBody(Shape):
    """Counts, and of what."""

    key: Key
    n: Count
    shape: list[Count]
    counts: list[Count]


class AggregateDocument(Shape):
    """A sum of reports, as ``sudare estimate`` reads it."""

    sudare: Literal["aggregate"]
    aggregate: SumBody
    digest: str


class TruthBody(Shape):
    """The true shares of a demonstration."""

    truth: Any
