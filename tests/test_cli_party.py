"""``sudare party`` and ``sudare joint-count``: two real processes, and what is refused."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import sudare.twoparty.agreement
from commands import Result, process, refused, run, succeed
from sudare.cli import agreement
from sudare.twoparty.agreement import cipher_named
from sudare.twoparty.digits import shipped
from sudare.twoparty.guarantee import Guarantee

if TYPE_CHECKING:
    from subprocess import Popen

TERMS = ("--epsilon", 1, "--delta", "1e-6")
TRIAL = ("--insecure", "--timeout", 20)
NEW = ("joint-count", "new", "smokers", *TERMS)


def together(folder: Path, one: tuple[object, ...], two: tuple[object, ...]) -> list[Result]:
    """Both processes to their ends."""
    listen = ("party", "one", "--listen", "127.0.0.1:0")
    with process(folder, *listen, *one, stdin=None) as first:
        assert first.stderr is not None
        said = ""
        while not said.startswith("listening on "):
            said = first.stderr.readline().decode()
            assert said, "P1 ended before it listened"
        connect = ("party", "two", "--connect", said.split()[-1])
        with process(folder, *connect, *two, stdin=None) as second:
            return [_ended(first), _ended(second)]


def _ended(party: "Popen[bytes]") -> Result:
    out, err = party.communicate(timeout=40)
    return Result(party.returncode, out, err.decode())


def test_two_processes_open_a_noisy_total(tmp_path: Path) -> None:
    """In at most 64 kB, and a quarter of a second of both processors' time."""
    ends = together(
        tmp_path,
        (*TERMS, *TRIAL, "--disjoint", "--total", 1000, "--json"),
        (*TERMS, *TRIAL, "--disjoint", "--total", 234, "--json"),
    )
    assert [end.code for end in ends] == [0, 0]
    one, two = (end.json() for end in ends)
    proof = shipped(Guarantee(1.0, 1e-6))
    assert proof is not None
    assert abs(one["result"]["total"] - 1234) <= -proof.law.trimmed.least
    assert one["result"] == two["result"]
    assert one["result"]["mean_noise"] == float(proof.mean)
    assert (one["result"]["epsilon"], one["result"]["delta"]) == (1.0, 1e-6)
    assert one["bytes"] == two["bytes"] <= 64_000
    assert one["key"] == two["key"]
    # Four times what is asked for: other work may slow these processors down.
    assert one["cpu_seconds"] + two["cpu_seconds"] < 4 * 0.25


def test_people_are_told_what_it_cost_and_what_is_not_proved(tmp_path: Path) -> None:
    one, two = together(tmp_path, (*TERMS, *TRIAL), (*TERMS, *TRIAL, "--total", 5))
    for part in ("noisy total", "mean |noise|", "ε = 1, δ = 1e-06, proved", "nothing proves it"):
        assert part in one.out
    assert two.out == one.out
    assert two.err == "Warning: no TLS, so this is a trial on one machine\n"


def test_the_cost_is_told_with_its_condition(tmp_path: Path) -> None:
    terms = (*TERMS, *TRIAL, "--disjoint", "--total", 5)
    for end in together(tmp_path, terms, terms):
        assert "ε = 1, δ = 1e-06, proved if nobody is in both totals\n" in end.out


def test_a_blind_p2_is_not_told(tmp_path: Path) -> None:
    succeed(tmp_path, "table", *TERMS, "--draws", 2, "-o", "table.json")
    terms = ("--table", "table.json", "--p2-blind", *TRIAL)
    one, two = together(tmp_path, terms, (*terms, "--total", 5))
    assert "P2 must not learn this total" in one.out
    assert two.out == "the total was opened by P1 (agreed: P2 is not told)\n"


def test_parties_that_disagree_end_with_the_same_sentence(tmp_path: Path) -> None:
    one, two = together(
        tmp_path, (*TERMS, *TRIAL), ("--epsilon", 2, "--delta", "1e-6", *TRIAL, "--total", 5)
    )
    assert (one.code, one.out, two.code, two.out) == (2, "", 2, "")
    difference = "the parties don't agree: epsilon is 1.0 here and 2.0 there"
    assert one.err.splitlines()[-1] == f"Error: {difference}"
    assert two.err.splitlines()[-1] == f"Error: the other party refused: {difference}"


@pytest.mark.parametrize("proofs", [False, True])
def test_a_count_is_opened_once(tmp_path: Path, proofs: bool) -> None:
    flags = ("--proofs",) if proofs else ()
    made = succeed(
        tmp_path, *NEW, "--people", 100, *flags, "-o", "c.json", "--secret", "s.json", "--json"
    ).json()
    assert (tmp_path / "s.json").stat().st_mode & 0o777 == 0o600
    (tmp_path / "bits.csv").write_text("answer\n" + "1\n0\n1\n" * 10)
    written = succeed(
        tmp_path, "joint-count", "encrypt", "c.json", "bits.csv", "-o", "r.bin", "--json"
    ).json()
    assert written == {"key": made["key"], "records": 30, "bytes": 30 * (192 if proofs else 64)}
    one = ("--count", "c.json", "--secret", "s.json", *TRIAL, "--json")
    two = ("--count", "c.json", "--records", "r.bin", *TRIAL, "--json")
    ends = together(tmp_path, one, two)
    assert [end.code for end in ends] == [0, 0]
    found = ends[0].json()
    assert abs(found["result"]["total"] - 20) < 200
    assert found["range"] == ("proved" if proofs else "trusted")
    assert found["key"] == made["key"]
    for part, options in (("one", ("--listen", *one)), ("two", ("--connect", *two))):
        again = (options[0], "127.0.0.1:1", *options[1:])
        assert "once already" in refused(tmp_path, "party", part, *again)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("one", "--listen", "h:1", *TERMS), "need --certificate, --private-key and --peer"),
        (("one", "--listen", "nowhere", *TERMS, *TRIAL), "an address is HOST:PORT"),
        (("one", "--listen", "h:99999", *TERMS, *TRIAL), "a port below 65536, got 'h:99999'"),
        (("one", "--listen", "h:1", *TRIAL), "from --table, or from --epsilon with --delta"),
        (("one", "--listen", "h:1", *TERMS, "--count", "c", *TRIAL), "the tables come from"),
        (("one", "--listen", "h:1", *TERMS, "--secret", "s", *TRIAL), "belong together"),
        (("one", "--listen", "h:1", *TERMS, "--total", -1, *TRIAL), "lies outside"),
        (("one", "--listen", "h:1", *TERMS, "--total", 5, *TRIAL), "a person in both totals"),
        (("one", "--listen", "h:1", *TERMS, "--most", 4, *TRIAL), "no tables are shipped for"),
        (
            ("one", "--listen", "h:1", *TERMS, "--most", 2, "--sensitivity", 1, *TRIAL),
            "at most the tables' sensitivity 1, got 2",
        ),
        (("two", "--connect", "h:1", *TERMS, *TRIAL), "P2 needs its --total, or --count"),
        (("two", "--connect", "h:1", *TERMS, "--total", 5, "--records", "r"), "P2 needs its"),
        (
            ("two", "--connect", "h:1", *TERMS, "--total", 11, "--people", 10, *TRIAL),
            "10 people of up to 1 each come to a total from 0 to 10, this one lies outside",
        ),
    ],
)
def test_bad_options_are_a_sentence(
    tmp_path: Path, arguments: tuple[object, ...], sentence: str
) -> None:
    assert sentence in refused(tmp_path, "party", *arguments)


def test_beyond_this_machine_there_is_no_trial(tmp_path: Path) -> None:
    ended = run(tmp_path, "party", "two", "--connect", "192.0.2.1:1", *TERMS, "--total", 5, *TRIAL)
    assert ended.code == 2
    assert "on this machine only (127.0.0.1), got 192.0.2.1" in ended.err


def test_a_count_refuses_what_it_must(tmp_path: Path) -> None:
    out = ("-o", "c.json", "--secret", "s.json")
    assert "must be two files" in refused(tmp_path, *NEW, "-o", "s.json", "--secret", "s.json")
    assert "nowhere" in refused(tmp_path, *NEW, "-o", "nowhere/c.json", "--secret", "s.json")
    assert "a range up to 2" in refused(tmp_path, *NEW, "--most", 2, "--proofs", *out)
    succeed(tmp_path, *NEW, "--people", 2, *out)
    assert "is there already" in refused(tmp_path, *NEW, "-o", "d.json", "--secret", "s.json")
    encrypt = ("joint-count", "encrypt", "c.json", "v.txt", "--format", "lines", "-o", "r.bin")
    for text, sentence in (
        ("1\n2\n", "position 1 is not from 0 to 1"),
        ("1\nZanzibar rooibos\n", "position 1 is not a whole number"),
        ("1\n1\n1\n", "2 people are agreed on, the file has 3 values"),
        ("", "is empty"),
    ):
        (tmp_path / "v.txt").write_text(text)
        assert sentence in refused(tmp_path, *encrypt)


def test_the_ciphers_to_choose_from_are_those_there_are() -> None:
    assert agreement.CIPHERS == sudare.twoparty.agreement.CIPHERS
    assert cipher_named(agreement.CIPHERS[0]).name == agreement.CIPHERS[0]


def test_help_has_examples(tmp_path: Path) -> None:
    for command in (("party", "one"), ("party", "two"), ("joint-count", "new")):
        assert f"sudare {' '.join(command)} " in run(tmp_path, *command, "--help").out
