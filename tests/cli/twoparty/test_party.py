"""``sudare party`` and ``sudare joint-count``: two real processes, and what is refused."""

import re
from pathlib import Path

import pytest

from sudare.twoparty.noise.guarantee import Guarantee
from sudare.twoparty.noise.shipped_tables import shipped
from support.commands import refused, run, succeed, together

TERMS = ("--epsilon", 1, "--delta", "1e-6")
TRIAL = ("--insecure", "--timeout", 20)
NEW = ("joint-count", "new", "smokers", *TERMS, "--candidates", 2)


def test_two_processes_open_a_noisy_total(tmp_path: Path) -> None:
    """In at most 64 kB, and without a proof a quarter of a second of both processors' time."""
    terms = (*TERMS, *TRIAL, "--candidates", 1, "--disjoint", "--json")
    ends = together(tmp_path, (*terms, "--total", 1000), (*terms, "--total", 234))
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
    proof = "19 of P1's 20 opened: false ones are found with a chance of 95\N{NO-BREAK SPACE}%"
    assert f"tables        {proof}\n" in one.out
    took = re.compile(r"session       \d+\.\d\d s of this party's processor, ([\d,]+ bytes)\n")
    sizes = [took.search(end.out) for end in (one, two)]
    assert sizes[0] is not None
    assert sizes[1] is not None
    assert sizes[0][1] == sizes[1][1]
    assert took.sub("", two.out) == took.sub("", one.out)
    assert two.err == "Warning: no TLS, so this is a trial on one machine\n"


def test_as_many_candidates_as_are_agreed_on(tmp_path: Path) -> None:
    """The lattice has one, and says that P1 is trusted; another number there is refused."""
    lattice = ("--cipher", "lattice")
    for given, number, chance in ((("--candidates", 3), 3, 2 / 3), (lattice, 1, 0)):
        terms = (*TERMS, *TRIAL, *given, "--json")
        for end in together(tmp_path, terms, (*terms, "--total", 5)):
            told = end.json()
            assert (told["candidates"], told["deterrence"]) == (number, chance)
    one = ("party", "one", "--listen", "127.0.0.1:0", *TERMS, *TRIAL)
    assert "its candidates must be 1, got 2" in refused(tmp_path, *one, *lattice, "--candidates", 2)
    assert "from 1 to 1000, got 0" in refused(tmp_path, *one, "--candidates", 0)
    one_end, two_end = together(
        tmp_path, (*TERMS, *TRIAL), (*TERMS, *TRIAL, "--candidates", 3, "--total", 5)
    )
    difference = "the parties don't agree: candidates is 20 here and 3 there"
    assert one_end.err.splitlines()[-1] == f"Error: {difference}"
    assert two_end.err.splitlines()[-1] == f"Error: the other party refused: {difference}"


def test_the_cost_is_told_with_its_condition(tmp_path: Path) -> None:
    terms = (*TERMS, *TRIAL, "--candidates", 1, "--disjoint", "--total", 5)
    for end in together(tmp_path, terms, terms):
        assert "ε = 1, δ = 1e-06, proved if nobody is in both totals\n" in end.out


def test_a_blind_p2_is_not_told(tmp_path: Path) -> None:
    succeed(tmp_path, "table", *TERMS, "--draws", 2, "-o", "table.json")
    terms = ("--table", "table.json", "--p2-blind", "--candidates", 1, *TRIAL)
    one, two = together(tmp_path, terms, (*terms, "--total", 5))
    assert "P2 must not learn this total" in one.out
    told, tables, _ = two.out.splitlines()
    assert told == "the total was opened by P1 (agreed: P2 is not told)"
    assert tables == "tables        P1's, as trusted: nothing proves them"


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
    again = (("one", "--listen", "--secret", "s.json"), ("two", "--connect", "--records", "r.bin"))
    for part, address, option, file in again:
        (tmp_path / "copy").write_bytes((tmp_path / file).read_bytes())
        (tmp_path / "link").unlink(missing_ok=True)
        (tmp_path / "link").symlink_to(tmp_path / file)
        for name in (file, "copy", "link"):
            sentence = refused(
                tmp_path,
                *("party", part, address, "127.0.0.1:1", "--count", "c.json", option, name, *TRIAL),
            )
            assert "once already" in sentence
            assert made["key"] in sentence


def test_a_new_count_may_have_the_names_of_an_old_one(tmp_path: Path) -> None:
    (tmp_path / "bits.csv").write_text("answer\n" + "1\n" * 9)
    for _ in range(2):
        (tmp_path / "s.json").unlink(missing_ok=True)
        succeed(tmp_path, *NEW, "--people", 9, "-o", "c.json", "--secret", "s.json")
        succeed(tmp_path, "joint-count", "encrypt", "c.json", "bits.csv", "-o", "r.bin")
        one = ("--count", "c.json", "--secret", "s.json", *TRIAL)
        two = ("--count", "c.json", "--records", "r.bin", *TRIAL)
        ends = together(tmp_path, one, two)
        assert [(end.code, end.err.count("once already")) for end in ends] == [(0, 0), (0, 0)]
    assert len(list(tmp_path.glob("*.opened"))) == len(list(tmp_path.glob("*.answered"))) == 2


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("one", "--listen", "h:1", *TERMS), "need --certificate, --private-key and --peer"),
        (("one", "--listen", "nowhere", *TERMS, *TRIAL), "an address is HOST:PORT"),
        (("one", "--listen", "h:99999", *TERMS, *TRIAL), "a port below 65536, got 'h:99999'"),
        (("one", "--listen", "h:1", *TRIAL), "from --table, or from --epsilon with --delta"),
        (
            ("one", "--listen", "h:1", *TERMS, "--count", "c", *TRIAL),
            "--epsilon has no effect beside --count",
        ),
        (("one", "--listen", "h:1", *TERMS, "--secret", "s", *TRIAL), "belong together"),
        (("one", "--listen", "h:1", *TERMS, "--total", -1, *TRIAL), "lies outside"),
        (("one", "--listen", "h:1", *TERMS, "--total", 5, *TRIAL), "a person in both totals"),
        (("one", "--listen", "h:1", *TERMS, "--total", 0, *TRIAL), "a person in both totals"),
        (
            ("one", "--listen", "h:1", *TERMS, "--most", 4, *TRIAL),
            "no tables are shipped for ε = 1, δ = 1e-06 and sensitivity 4: make some",
        ),
        (
            ("one", "--listen", "h:1", "--epsilon", 1.0000001, "--delta", 1e-6, *TRIAL),
            "no tables are shipped for ε = 1.0000001, δ = 1e-06",
        ),
        (
            ("one", "--listen", "h:1", *TERMS, "--most", 2, "--sensitivity", 1, *TRIAL),
            "at most the tables' sensitivity 1, got 2",
        ),
        (("two", "--connect", "h:1", *TERMS, *TRIAL), "P2 needs its --total, or --count"),
        (("two", "--connect", "h:1", *TERMS, "--total", 5, "--records", "r"), "belong together"),
        (("two", "--connect", "h:1", "--count", "c", *TRIAL), "c isn't there"),
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


@pytest.mark.parametrize("seconds", ["nan", "inf", "-inf", "0", "-1", "0.09", "86401"])
def test_a_time_out_that_is_none_is_a_sentence(tmp_path: Path, seconds: str) -> None:
    for part, address in (("one", "--listen"), ("two", "--connect")):
        command = ("party", part, address, "127.0.0.1:1", *TERMS, "--insecure")
        assert refused(tmp_path, *command, "--timeout", seconds) == (
            f"--timeout is from 0.1 to 86400 seconds, got {float(seconds):g}"
        )


@pytest.mark.parametrize(
    "given",
    [
        ("--table", "t.json"),
        ("--epsilon", 1),
        ("--delta", "1e-6"),
        ("--sensitivity", 1),
        ("--people", 100),
        ("--most", 1),
        ("--cipher", "elgamal"),
        ("--p2-blind",),
        ("--disjoint",),
        ("--candidates", 2),
    ],
    ids=lambda given: given[0],
)
def test_what_a_count_settles_is_refused_beside_it(
    tmp_path: Path, given: tuple[object, ...]
) -> None:
    """Even where it says the same as the count: a default is told from what was given."""
    succeed(tmp_path, *NEW, "--people", 100, "-o", "c.json", "--secret", "s.json")
    sentence = f"{given[0]} has no effect beside --count, which settles it"
    one = ("one", "--listen", "127.0.0.1:0", "--secret", "s.json")
    two = ("two", "--connect", "127.0.0.1:1", "--records", "r.bin")
    for options in (one, two):
        command = ("party", *options, "--count", "c.json", *TRIAL, *given)
        assert refused(tmp_path, *command) == sentence


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--table", "t.json", "--epsilon", 1), "--epsilon has no effect beside --table"),
        (("--table", "t.json", "--delta", "1e-6"), "--delta has no effect beside --table"),
        (("--table", "t.json", "--sensitivity", 1), "--sensitivity has no effect beside --table"),
        ((*TERMS, "--insecure", "--peer", "p"), "--peer has no effect beside --insecure"),
        ((*TERMS, "--insecure", "--certificate", "p"), "--certificate has no effect beside"),
        ((*TERMS, "--insecure", "--private-key", "p"), "--private-key has no effect beside"),
    ],
)
def test_options_without_effect_are_refused(
    tmp_path: Path, arguments: tuple[object, ...], sentence: str
) -> None:
    succeed(tmp_path, "table", *TERMS, "-o", "t.json")
    for part in (("one", "--listen"), ("two", "--total", 5, "--connect")):
        assert sentence in refused(tmp_path, "party", *part, "127.0.0.1:1", *arguments)
    if "--insecure" not in arguments:
        out = ("-o", "c.json", "--secret", "s.json")
        assert sentence in refused(tmp_path, "joint-count", "new", "n", *arguments, *out)


def test_a_count_takes_no_total_of_p2_and_one_of_p1_by_the_rule(tmp_path: Path) -> None:
    """Also a total of 0: a refusal that depends on the total would tell it."""
    succeed(tmp_path, *NEW, "-o", "c.json", "--secret", "s.json")
    two = ("two", "--connect", "127.0.0.1:1", "--records", "r.bin", "--total", 0)
    sentence = refused(tmp_path, "party", *two, "--count", "c.json", *TRIAL)
    assert sentence == "--total has no effect beside --count, whose records are the total"
    one = ("one", "--listen", "127.0.0.1:0", "--count", "c.json", "--secret", "s.json", *TRIAL)
    refusals = {refused(tmp_path, "party", *one, "--total", total) for total in (0, 5)}
    (sentence,) = refusals
    assert "a person in both totals" in sentence


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
        ("1\n1\n1\n", "the count is for 1 to 2 people, v.txt has 3 values"),
        ("", "is empty"),
    ):
        (tmp_path / "v.txt").write_text(text)
        assert sentence in refused(tmp_path, *encrypt)
    assert refused(tmp_path, *encrypt, "--column", "answer") == (
        "--column has no effect beside --format lines, which has no header"
    )
    (tmp_path / "v.csv").write_text("answer\n")
    headed = ("joint-count", "encrypt", "c.json", "v.csv", "-o", "r.bin")
    assert "v.csv has 0 values" in refused(tmp_path, *headed)


def test_help_has_examples(tmp_path: Path) -> None:
    for command in (("party", "one"), ("party", "two"), ("joint-count", "new")):
        assert f"sudare {' '.join(command)} " in run(tmp_path, *command, "--help").out
