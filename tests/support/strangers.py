"""Texts of strangers that would command a terminal, forge a line or turn their neighbours."""

import re
import unicodedata

FORGED = "FORGED"  # what no line may begin with
TEXTS = {
    "erases a line": f"\x1b[2K\r{FORGED}",
    "sets the title": "\x1b]0;title\x07",
    "conceals": "\x1b[8m",
    "begins with one byte": "\x9b2K\x9d0;title\x9c",
    "goes back": "ε = 9\b\b\b\x7f",
    "ends the line": f"a\n{FORGED}\x0b{FORGED}\x0c{FORGED}\x85{FORGED}",
    "ends the paragraph": f"a\u2028{FORGED}\u2029{FORGED}",
    "zero": "a\0b",
    "turns": "tea \u202e0 = ε\u202c",
    "isolates": "\u2066\u2067\u2068\u2069",
    "marks": "\u200e\u200f\u061c",
    "is markup": "[bold red]tea[/] [link=https://example.org]x[/link] :tea:",
}
ALL = " ".join(TEXTS.values())
_TURNING = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
_MARKS = "\u200e\u200f\u061c"
# Colours of ours, none of which conceals, and what moves and hides the cursor of a progress bar.
_OURS = re.compile(r"\x1b\[(?!8m)[0-9;]*m|\x1b\[\?25[lh]|\r(\x1b\[1A)?\x1b\[2K")


def commands(text: str) -> set[str]:
    """The characters of a text that a terminal obeys, by their code points; ends of lines aside."""
    return {
        f"U+{ord(letter):04X}"
        for letter in text
        if (unicodedata.category(letter) in {"Cc", "Zl", "Zp", "Cs"} and letter != "\n")
        or unicodedata.bidirectional(letter) in _TURNING
        or letter in _MARKS
    }


def assert_harmless(said: str, *, coloured: bool = False) -> None:
    """Nothing in what was printed commands a terminal, but what is ours; no line is forged."""
    shown = _OURS.sub("", said) if coloured else said
    assert commands(shown) == set()
    forged = [line for line in shown.split("\n") if line.lstrip(" │┃|").startswith(FORGED)]
    assert forged == []
