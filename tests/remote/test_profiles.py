"""Which collector is meant, by which token, and that no other gets it."""

import stat
from pathlib import Path

import pytest

from sudare.errors import InvalidDocument, ParameterError
from sudare.remote.profiles import (
    Access,
    Wanted,
    access,
    forget_profile,
    profile_path,
    read_profile,
    read_token,
    write_profile,
)

OWN, OTHER = f"sdr_own_{'a' * 43}", f"sdr_other_{'b' * 43}"
HERE, THERE = "https://stats.example.org", "https://other.example.org"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "config" / "remote"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "token.txt"
    path.write_text(f"{OTHER}\n")
    return path


def test_a_profile_is_its_owners_alone_and_read_back(folder: Path) -> None:
    path = write_profile(folder, "work", Access(HERE, OWN, insecure=False))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert read_profile(folder, "work") == Access(HERE, OWN)
    assert OWN not in repr(read_profile(folder, "work"))
    assert forget_profile(folder, "work") == path
    for again in (forget_profile, read_profile):
        with pytest.raises(ParameterError, match="there is no profile work"):
            again(folder, "work")


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o604, 0o620])
def test_a_profile_that_others_may_read_or_write_is_refused(folder: Path, mode: int) -> None:
    path = write_profile(folder, "default", Access(HERE, OWN))
    path.chmod(mode)
    with pytest.raises(ParameterError, match=rf"may read the token in .*mode is {mode:o}\)"):
        access(Wanted(), folder, {})
    assert write_profile(folder, "default", Access(HERE, OWN)).stat().st_mode & 0o077 == 0


def test_options_come_before_the_environment_and_that_before_the_profile(
    folder: Path, file: Path
) -> None:
    said = {"SUDARE_COLLECTOR": THERE, "SUDARE_TOKEN": f"sdr_env_{'c' * 43}"}
    with pytest.raises(ParameterError, match="no collector is named"):
        access(Wanted(), folder, {})
    write_profile(folder, "default", Access(HERE, OWN))
    assert access(Wanted(), folder, {}) == Access(HERE, OWN)
    assert access(Wanted(), folder, said) == Access(THERE, said["SUDARE_TOKEN"])
    option = Wanted("https://third.example.org/", file)
    assert access(option, folder, said) == Access("https://third.example.org", OTHER)
    assert access(Wanted(token_file=file), folder, {}) == Access(HERE, OTHER)
    by_file = {"SUDARE_COLLECTOR": THERE, "SUDARE_TOKEN_FILE": str(file)}
    assert access(Wanted(), folder, by_file) == Access(THERE, OTHER)


def test_a_profiles_token_goes_to_its_own_address_only(folder: Path) -> None:
    write_profile(folder, "default", Access(HERE, OWN))
    assert access(Wanted(THERE), folder, {}) == Access(THERE, None)
    assert access(Wanted(), folder, {"SUDARE_COLLECTOR": THERE}) == Access(THERE, None)
    assert access(Wanted(f"{HERE}/"), folder, {}) == Access(HERE, OWN)


def test_a_profile_that_is_named_says_both(folder: Path, file: Path) -> None:
    write_profile(folder, "work", Access(HERE, OWN))
    said = {"SUDARE_COLLECTOR": THERE, "SUDARE_TOKEN": OTHER}
    assert access(Wanted(profile="work"), folder, said) == Access(HERE, OWN)
    with pytest.raises(ParameterError, match="leave --collector out"):
        access(Wanted(THERE, profile="work"), folder, {})
    with pytest.raises(ParameterError, match="leave --token-file out"):
        access(Wanted(token_file=file, profile="work"), folder, {})


def test_two_tokens_in_the_environment_are_a_contradiction(folder: Path, file: Path) -> None:
    said = {"SUDARE_COLLECTOR": HERE, "SUDARE_TOKEN": OWN, "SUDARE_TOKEN_FILE": str(file)}
    with pytest.raises(ParameterError, match="SUDARE_TOKEN and SUDARE_TOKEN_FILE both say"):
        access(Wanted(), folder, said)


def test_plain_http_stays_on_this_machine(folder: Path) -> None:
    with pytest.raises(ParameterError, match=r"plain HTTP to stats\.example\.org"):
        access(Wanted("http://stats.example.org"), folder, {})
    allowed = access(Wanted("http://stats.example.org", insecure=True), folder, {})
    assert allowed == Access("http://stats.example.org", None, insecure=True)
    write_profile(folder, "default", Access("http://stats.example.org", OWN, insecure=True))
    assert access(Wanted(), folder, {}).insecure


@pytest.mark.parametrize("text", ["", "token", "sdr_a_short", f"{OWN}\n{OWN}", "sdr_ü_" + "a" * 43])
def test_a_file_without_a_token_is_named_and_not_quoted(tmp_path: Path, text: str) -> None:
    path = tmp_path / "wrong.txt"
    path.write_text(text)
    with pytest.raises(ParameterError, match=r"wrong\.txt holds no token") as error:
        read_token(path)
    assert "a" * 16 not in str(error.value).removeprefix(str(tmp_path))


@pytest.mark.parametrize("name", ["", "a/b", "../a", ".a", "a b", "ä", "a" * 65, "-"])
def test_a_profiles_name_is_no_path(folder: Path, name: str) -> None:
    with pytest.raises(ParameterError, match="a profile's name"):
        profile_path(folder, name)


def test_a_profile_that_was_changed_is_refused_by_its_name(folder: Path) -> None:
    path = write_profile(folder, "default", Access(HERE, OWN))
    path.write_text('{"sudare": "profile"}')
    with pytest.raises(InvalidDocument, match=r"default\.json: this is not a profile"):
        read_profile(folder, "default")
