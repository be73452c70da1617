"""An answer into a report, reports into counts, counts into an unbiased estimate.

Here is the registry that documents name mechanisms by; what installed packages add is looked up
when a name is none of ours. Each has a file with its ε beside it:

``grr``: one answer of k, sometimes a lie.
``unary``: a bit per answer, each flipped on its own; OUE and SUE.
``subset``: one answer of k, hidden in a set of some of them.
``set_response``: several answers of k, reported as a set that meets them or not.
``window``: a number in a range, told by a window around it, for the mean.
``wave``: a number in a range, told by a window around its bin, for the distribution.
``several``: several questions at once: one of them drawn, the budget split, or a joint table.
``points``: one point of many, which supports some answers; projective geometry, Hadamard and OLH.
``loloha``: a cell of the answer, randomised once for good and again for every report.
``rappor``: an answer as bits, randomised once for good and again for every report.
``over_time``: a state in each of several rounds.

``interface``: what every mechanism is.
``domain``: the values that a person may answer.
``strings``: free text as an answer, known by its digest.
``bloom``: which bits a text sets.
``point_reports``: what all reports that are points have in common, and hashes as points.
``aggregate``: tallies that merge.
"""

from fractions import Fraction
from typing import Any

from sudare.chance.exact import log_up
from sudare.errors import InvalidDocument, MechanismUnavailable, ParameterError, SudareError
from sudare.formats.documents import canonical, decode
from sudare.installed import Offer, offered, told
from sudare.mechanisms.grr import GRR
from sudare.mechanisms.interface import CategoricalMechanism, Mechanism
from sudare.mechanisms.loloha import Loloha
from sudare.mechanisms.over_time.borappor import Borappor
from sudare.mechanisms.over_time.continual import ContinualMechanism
from sudare.mechanisms.over_time.glance import Glance
from sudare.mechanisms.over_time.harmony import Harmony
from sudare.mechanisms.over_time.kshot import KShot
from sudare.mechanisms.points import HadamardResponse, LocalHashing, ProjectiveGeometry
from sudare.mechanisms.rappor import Rappor
from sudare.mechanisms.set_response import SetResponse
from sudare.mechanisms.several import JointQuestions, SampledQuestions, SplitQuestions
from sudare.mechanisms.subset import SubsetSelection
from sudare.mechanisms.unary import OUE, SUE
from sudare.mechanisms.wave import SquareWave
from sudare.mechanisms.window import Window

CATEGORICAL: dict[str, type[CategoricalMechanism]] = {
    cls.name: cls
    for cls in (GRR, OUE, SUE, SubsetSelection, ProjectiveGeometry, HadamardResponse, LocalHashing)
}
CONTINUAL: dict[str, type[ContinualMechanism]] = {
    cls.name: cls for cls in (Glance, Harmony, Borappor, KShot)
}
SEVERAL: dict[str, type[SampledQuestions] | type[SplitQuestions] | type[JointQuestions]] = {
    cls.name: cls for cls in (SampledQuestions, SplitQuestions, JointQuestions)
}
REGISTRY: dict[str, type[Mechanism]] = {
    **CATEGORICAL,
    SetResponse.name: SetResponse,
    Window.name: Window,
    SquareWave.name: SquareWave,
    **SEVERAL,
    Loloha.name: Loloha,
    Rappor.name: Rappor,
    **CONTINUAL,
}


def from_document(document: dict[str, Any]) -> Mechanism:
    """The mechanism that a document describes: one of ours, or of an installed package."""
    name = document.get("name")
    if not isinstance(name, str):
        raise InvalidDocument(f"the mechanism must be one of {', '.join(REGISTRY)}")
    if name in REGISTRY:
        return REGISTRY[name].from_document(document)
    family, offer = _installed(name)
    try:
        found = family.from_document(document)
    except SudareError:
        raise
    except Exception as error:
        raise offer.refusal(f"it can't read its document ({told(error)})") from error
    _check_statement(found, family, offer)
    return found


def calibrated(name: str, k: int, epsilon: float) -> CategoricalMechanism:
    """The mechanism of this name for one answer of ``k`` that spends at most ``epsilon``.

    A budget is kept whoever wrote the mechanism: what an installed package makes of it is refused
    if it states more, is for another number of answers, or can't be read from its document.
    """
    family = categorical(name)
    made = family.calibrate(k, epsilon)
    if name in CATEGORICAL:
        return made
    _, offer = _installed(name)
    _check_statement(made, family, offer)
    if made.k != k:
        raise offer.refusal(f"calibrated for {k} answers, it has {made.k}")
    if made.epsilon > epsilon:
        raise offer.refusal(f"calibrated for at most ε = {epsilon}, it states {made.epsilon}")
    try:
        again = from_document(decode(canonical(made.document()), dict, "a document"))
    except SudareError as error:
        raise offer.refusal(f"its document doesn't read back ({error})") from error
    if again != made:
        raise offer.refusal("its document reads back to another mechanism")
    return made


def _check_statement(made: object, family: type[Mechanism], offer: Offer) -> None:
    """Refuse what isn't of the class that was asked, or doesn't state its ε as ours do."""
    if not isinstance(made, family):
        raise offer.refusal(f"{family.__name__} makes a {type(made).__name__}")
    try:
        ratio = made.worst_ratio
        stated = made.epsilon if isinstance(ratio, Fraction | int) else None
        _ = made.key  # of its document, which may be none
    except Exception as error:
        raise offer.refusal(f"it doesn't say what it is ({told(error)})") from error
    if stated is None:
        raise offer.refusal(f"its worst_ratio is a {type(ratio).__name__}, and no Fraction")
    if stated != (due := log_up(Fraction(ratio))):
        raise offer.refusal(f"it states ε = {stated}, where its worst_ratio gives {due}")


def categorical(name: str) -> type[CategoricalMechanism]:
    """The class of mechanisms for one answer of k that has this name, ours or installed."""
    if name in CATEGORICAL:
        return CATEGORICAL[name]
    if name in REGISTRY:
        raise ParameterError(
            f"{name} is not for one answer of k, as {', '.join(CATEGORICAL)} and those of "
            f"installed packages are"
        )
    family, offer = _installed(name)
    if not issubclass(family, CategoricalMechanism):
        raise offer.refusal(f"{offer.target} is not for one answer of k (CategoricalMechanism)")
    return family


def _installed(name: str) -> tuple[type[Mechanism], Offer]:
    """The class of that name that an installed package adds; a name of ours is never asked for."""
    offer = offered(name)
    if offer is None:
        raise MechanismUnavailable(
            f"the mechanism must be one of {', '.join(REGISTRY)}, or of an installed package; "
            f"“{name}” is neither: install the package that has it, here and wherever its reports "
            f"are made or counted"
        )
    family = offer.load()
    if not (isinstance(family, type) and issubclass(family, Mechanism)):
        raise offer.refusal(f"{offer.target} is no class of mechanisms")
    missing = sorted(getattr(family, "__abstractmethods__", ()))
    if missing:
        raise offer.refusal(f"{offer.target} lacks {', '.join(missing)}")
    if getattr(family, "name", None) != name:
        raise offer.refusal(f"{offer.target} calls itself “{getattr(family, 'name', '')}”")
    return family, offer
