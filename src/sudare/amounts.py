"""So many of something, as people write it."""


def counted(number: int, thing: str) -> str:
    """So many things: 1 report, 2 reports."""
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"


def amount(number: int, one: str, many: str) -> str:
    """So many of something: 1 person, 2,000 people."""
    return f"{number:,} {one if number == 1 else many}"
