"""Files to try things with: always the same, and fit for what they are for."""

import gzip
import hashlib

from sudare.simulation.example_files import EXAMPLE_FILES

# Of each file, unpacked: a change is one that everybody's numbers show.
DIGESTS = {
    "tea": "3e9aeb8042174be8",
    "words": "cadf4124e1ae0b70",
    "dictionary": "39fcee2a140c559e",
    "states": "9b35a1aa9cf5c785",
    "clicks": "e08506e1163a6bca",
}


def made(name: str) -> bytes:
    data = EXAMPLE_FILES[name].make()
    return gzip.decompress(data) if EXAMPLE_FILES[name].name.endswith(".gz") else data


def test_they_are_always_the_same() -> None:
    found = {name: hashlib.sha256(made(name)).hexdigest()[:16] for name in EXAMPLE_FILES}
    assert found == DIGESTS


def test_the_words_are_in_the_dictionary() -> None:
    said = set(made("words").decode().split()[1:])
    listed = made("dictionary").decode().split()
    assert listed == sorted(set(listed))
    assert said < set(listed)


def test_a_session_is_in_one_country_and_some_are_alone_in_theirs() -> None:
    rows = [row.split(";") for row in made("clicks").decode().splitlines()]
    assert rows[0] == ["day", "session ID", "country", "page", "price"]
    countries: dict[str, set[str]] = {}
    for _, session, country, _, _ in rows[1:]:
        countries.setdefault(country, set()).add(session)
    assert sum(map(len, countries.values())) == 6000
    assert sum(len(sessions) == 1 for sessions in countries.values()) == 3
    assert len(rows) > 12_000
