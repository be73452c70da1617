"""Several questions to ask at once, from a file that lists them."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sudare.cli.shared.files import refuse_ours
from sudare.errors import InvalidDocument, ParameterError
from sudare.formats.file_kinds import FileKind
from sudare.formats.numbers import counted

if TYPE_CHECKING:
    from sudare.questions.interface import Part

_FIELDS = ("name", "question", "answers")
_LEAST = 2  # questions, and answers to each
_JSON_START = re.compile(r"\s*(\{|\[\s*[\]{])")  # a TOML's [[questions]] begins otherwise


def read_questions(path: Path) -> "tuple[Part, ...]":
    """The questions of a TOML or JSON file, each a name, its words and its answers."""
    refuse_ours(path, FileKind.TEXT)
    document = _parsed(path)
    unknown = sorted(set(document) - {"questions"})
    if unknown:
        raise InvalidDocument(f"{path} has {unknown[0]!r} where there is only a list of questions")
    listed = document.get("questions")
    if not isinstance(listed, list):
        raise InvalidDocument(f"{path} has no list of questions: begin each with [[questions]]")
    if len(listed) < _LEAST:
        raise ParameterError(
            f"{path} has {counted(len(listed), 'question')}: several at once are {_LEAST} or more "
            f"(of a single one, --question and --answer say all)"
        )
    parts = tuple(_part(path, number, given) for number, given in enumerate(listed, 1))
    names = [part.name for part in parts]
    for number, name in enumerate(names):
        if name in names[:number]:
            raise ParameterError(
                f"questions {names.index(name) + 1} and {number + 1} of {path} have the same name, "
                f"{name!r}; each must be different"
            )
    return parts


def _part(path: Path, number: int, given: object) -> "Part":
    from sudare.formats.strangers import refuse_unseen
    from sudare.questions.interface import Part

    where = f"question {number} of {path}"
    if not isinstance(given, dict):
        raise InvalidDocument(f"{where} is not a name, a question and answers")
    unknown = sorted(set(given) - set(_FIELDS))
    if unknown:
        raise InvalidDocument(f"{where} has {unknown[0]!r}: it takes {', '.join(_FIELDS)}")
    missing = [field for field in _FIELDS if field not in given]
    if missing:
        raise InvalidDocument(f"{where} has no {missing[0]}")
    name, question, answers = (given[field] for field in _FIELDS)
    if not isinstance(answers, list):
        raise InvalidDocument(f"the answers of {where} are not a list of texts")
    texts = (name, question, *answers)
    if not all(isinstance(text, str) for text in texts):
        raise InvalidDocument(f"the name, question and answers of {where} are not all texts")
    if not all(texts):
        raise InvalidDocument(
            f"the name, question and answers of {where} need at least one character each"
        )
    if len(answers) < _LEAST:
        raise ParameterError(
            f"{where} needs at least {_LEAST} answers, got {len(answers)}: each question has a "
            f"list of answers of which a person gives one"
        )
    if len(set(answers)) < len(answers):
        raise ParameterError(f"two answers of {where} are the same; each must be different")
    refuse_unseen("a question's name", name)
    refuse_unseen("a question", question)
    for label in answers:
        refuse_unseen("an answer's label", label)
    return Part(name, question, tuple(answers))


def _parsed(path: Path) -> dict[str, Any]:
    """The file as a table of values: JSON if it begins like that, else TOML."""
    import tomllib

    import msgspec

    from sudare.formats.files import finite

    data = finite(path).read_bytes()
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidDocument(
            f"{path} is not UTF-8 text, as byte {error.start + 1} of it shows"
        ) from None
    try:
        document = msgspec.json.decode(text) if _JSON_START.match(text) else tomllib.loads(text)
    except (msgspec.DecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise InvalidDocument(f"{path} is neither TOML nor JSON: {error}") from None
    if not isinstance(document, dict):
        raise InvalidDocument(
            f'{path} is a JSON list: write it as the questions of an object, {{"questions": […]}}'
        )
    return document
