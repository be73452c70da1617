"""A page as a browser reads it."""

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = {"meta", "line", "rect", "use", "path", "circle"}


@dataclass
class Node:
    tag: str
    attributes: dict[str, str]
    text: str = ""


@dataclass
class Reader(HTMLParser):
    """Every element in order, with the text that stands directly in it, or in a <bdi> in it."""

    nodes: list[Node] = field(default_factory=list)
    stack: list[Node] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        node = Node(tag, {name: value or "" for name, value in attrs})
        self.nodes.append(node)
        if tag not in VOID:
            self.stack.append(node)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.nodes.append(Node(tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        while self.stack and self.stack.pop().tag != tag:  # cells and rows close by themselves
            pass

    def handle_data(self, data: str) -> None:
        for node in reversed(self.stack):
            node.text += data
            if node.tag != "bdi":
                break

    def all(self, tag: str, style: str | None = None) -> list[Node]:
        return [
            node
            for node in self.nodes
            if node.tag == tag and (style is None or node.attributes.get("class") == style)
        ]

    def table(self) -> list[list[str]]:
        rows: list[list[str]] = []
        for node in self.nodes:
            if node.tag == "tr":
                rows.append([])
            elif node.tag in {"th", "td"}:
                rows[-1].append(node.text.strip())
        return rows


def read(page: str) -> Reader:
    reader = Reader()
    reader.feed(page)
    reader.close()
    return reader


def number(text: str) -> float:
    return float(re.sub(r"[±%,\s]", "", text).replace("−", "-"))


def place(node: Node, name: str) -> float:
    return float(node.attributes[name].removesuffix("%"))
