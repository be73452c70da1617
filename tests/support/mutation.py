"""Mutants: a module with one small fault in it, made in every place where one may matter.

A fault is a replaced span of the source, so a mutant differs from its original in one place and
keeps everything else, comments and all. No fault is made where no test could or should see it: in
documentation, types, the words of an error or a log, ``repr``, decorators, the branches for other
systems, sizes of working memory, and what only keeps ``zip`` honest.

Nor is one made that is none by construction: a function of a truth value returns the other value,
never ``None``, which whoever asks it takes for False; the operands of a sum, of a greatest or of an
equality aren't swapped; ``astype`` copies no array that it spared; and from which size on
(``COMPILE_FROM``) a compiled loop takes the place of a plain one isn't changed, as both do the same
(tests hold each pair of them to it at all sizes).
"""

import ast
import difflib
import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import accumulate

COMPARED = {
    "<": ("<=", ">="),
    "<=": ("<", ">"),
    ">": (">=", "<="),
    ">=": (">", "<"),
    "==": ("!=",),
    "!=": ("==",),
    "is": ("is not",),
    "is not": ("is",),
    "in": ("not in",),
    "not in": ("in",),
}
CALCULATED = {
    "+": "-",
    "-": "+",
    "*": "+",
    "/": "*",
    "//": "*",
    "%": "+",
    "**": "*",
    "<<": ">>",
    ">>": "<<",
    "&": "|",
    "|": "&",
    "^": "|",
}
QUERIES = ("SELECT ", "INSERT ", "UPDATE ", "DELETE ", "WITH ")
ASKED = {
    "AND": "OR",
    "OR": "AND",
    "=": "<>",
    "<": "<=",
    "<=": "<",
    ">": ">=",
    ">=": ">",
    "+": "-",
    "-": "+",
    "FOR UPDATE": "",
    "DESC": "",
    "DISTINCT": "",
    "NOT": "",
}
QUERY_WORD = re.compile(r"(?<=\s)(AND|OR|FOR UPDATE|DESC|DISTINCT|NOT|=|<|<=|>|>=|\+|-)(?=\s|\"|$)")
RENAMED = {"min": "max", "max": "min", "any": "all", "all": "any"}
_LARGE = 256
SYMMETRIC = {
    "_add",
    "add",
    "array_equal",
    "compare_digest",
    "gcd",
    "max",
    "maximum",
    "min",
    "minimum",
}
SIZES_OF_SPEED = {"COMPILE_FROM"}
UNSEEN_METHODS = {"__repr__", "__dir__"}
LOGGING = {"_log", "log", "logger", "logging", "warnings"}
SYSTEMS = {"sys.platform", "os.name", "TYPE_CHECKING"}


@dataclass(frozen=True)
class Mutant:
    """A module with one fault.

    Attributes:
        source: the module as it was.
        start, end: the span that is replaced, in letters.
        new: what stands there instead.
        kind: the kind of fault, in a few words.
        function: the name of the function that it is in, with its classes; empty outside of all.
    """

    source: str = field(repr=False)
    start: int
    end: int
    new: str
    kind: str
    function: str

    @property
    def text(self) -> str:
        """The module with its fault."""
        return self.source[: self.start] + self.new + self.source[self.end :]

    @property
    def line(self) -> int:
        """The number of the line where the fault begins, from 1 on."""
        return self.source.count("\n", 0, self.start) + 1

    @property
    def before(self) -> str:
        """The lines that the fault is in, as they were."""
        first = self.source.rfind("\n", 0, self.start) + 1
        return self.source[first : self._beyond].rstrip("\n")

    @property
    def after(self) -> str:
        """The same lines with the fault."""
        first = self.source.rfind("\n", 0, self.start) + 1
        return (
            self.source[first : self.start] + self.new + self.source[self.end : self._beyond]
        ).rstrip("\n")

    @property
    def _beyond(self) -> int:
        found = self.source.find("\n", self.end)
        return len(self.source) if found < 0 else found

    def diff(self, name: str) -> str:
        """The fault as a patch of the module."""
        lines = difflib.unified_diff(
            self.source.splitlines(), self.text.splitlines(), name, name, lineterm="", n=1
        )
        return "\n".join(lines)

    @property
    def is_program(self) -> bool:
        """Whether the module with its fault can be compiled, and is another program."""
        try:
            changed = ast.parse(self.text)
        except SyntaxError:
            return False
        return ast.dump(changed) != _dumped(self.source)


@lru_cache(maxsize=64)
def _dumped(source: str) -> str:
    return ast.dump(ast.parse(source))


def mutants(source: str) -> list[Mutant]:
    """All mutants of a module, by place; a few are no programs, which each knows of itself."""
    found = {
        (mutant.start, mutant.end, mutant.new): mutant
        for mutant in _Finder(source).found(ast.parse(source))
    }
    return [mutant for _, mutant in sorted(found.items())]


class _Finder:
    """Walks a module's tree, past what is left alone, and names the faults of every node."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._functions: set[str] = set()
        self._is_of_truth = False
        lines = source.splitlines(keepends=True)
        self._lines = [line.encode() for line in lines]
        self._starts = [0, *accumulate(len(line) for line in lines)]
        read = tokenize.generate_tokens(io.StringIO(source).readline)
        self._operators = [
            (self._starts[token.start[0] - 1] + token.start[1], token.string)
            for token in read
            if token.type == tokenize.OP or token.string in {"and", "or", "not", "in", "is"}
        ]

    def found(self, tree: ast.Module) -> Iterator[Mutant]:
        compared = {
            name.id
            for node in ast.walk(tree)
            if isinstance(node, ast.Compare | ast.FormattedValue)
            for name in ast.walk(node)
            if isinstance(name, ast.Name)
        }
        for child in tree.body:
            if not _is_size(child, compared):
                yield from self._of(child, tree, "")

    # Where things are.

    def _place(self, line: int, column: int) -> int:
        """The place in letters of a line and a column in bytes, as the tree counts."""
        return self._starts[line - 1] + len(self._lines[line - 1][:column].decode())

    def _span(self, node: ast.AST) -> tuple[int, int]:
        known: ast.expr = node  # type: ignore[assignment]  # every node here has a place
        assert known.end_lineno is not None
        assert known.end_col_offset is not None
        return (
            self._place(known.lineno, known.col_offset),
            self._place(known.end_lineno, known.end_col_offset),
        )

    def _text(self, node: ast.AST) -> str:
        start, end = self._span(node)
        return self._source[start:end]

    def _between(self, left: ast.AST, right: ast.AST) -> tuple[int, int, str] | None:
        """The operator between two operands: brackets may stand around it."""
        start, end = self._span(left)[1], self._span(right)[0]
        words = [
            (at, word) for at, word in self._operators if start <= at < end and word not in "()"
        ]
        if not words or len(words) > 2:
            return None
        first, last = words[0], words[-1]
        return first[0], last[0] + len(last[1]), " ".join(word for _, word in words)

    def _put(self, node: ast.AST, new: str, kind: str, function: str) -> Mutant:
        return Mutant(self._source, *self._span(node), new, kind, function)

    # The walk.

    def _of(self, node: ast.AST, parent: ast.AST, function: str) -> Iterator[Mutant]:
        if isinstance(node, ast.ClassDef):
            yield from self._of_class(node, function)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from self._of_function(node, function)
        elif isinstance(node, ast.Raise):
            if not _closes_a_handler(node, parent):
                yield self._put(node, "pass", "raise removed", function)
        elif not self._is_left_alone(node):
            yield from self._here(node, function)
            for child in self._children(node):
                yield from self._of(child, node, function)

    def _of_class(self, node: ast.ClassDef, function: str) -> Iterator[Mutant]:
        name = self._named(node, function)
        if not any(self._text(base).split("[")[0] == "Protocol" for base in node.bases):
            keywords = [each for each in node.keywords if each.arg != "frozen"]  # as a decorator's
            for child in [*keywords, *node.body]:
                yield from self._of(child, node, name)

    def _of_function(
        self, node: ast.FunctionDef | ast.AsyncFunctionDef, function: str
    ) -> Iterator[Mutant]:
        abstract = any("abstractmethod" in self._text(each) for each in node.decorator_list)
        if abstract or node.name in UNSEEN_METHODS:
            return
        name = self._named(node, function)
        self._functions.add(name)
        defaults = [default for default in node.args.kw_defaults if default is not None]
        outer = self._is_of_truth
        self._is_of_truth = node.returns is not None and self._text(node.returns) == "bool"
        for child in [*node.args.defaults, *defaults, *node.body]:
            yield from self._of(child, node, name)
        self._is_of_truth = outer

    def _named(
        self, node: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef, outer: str
    ) -> str:
        """The name of a class or function; that of the outermost, where it is in a function."""
        if outer in self._functions:
            return outer
        return f"{outer}.{node.name}" if outer else node.name

    def _is_of_speed(self, node: ast.AST) -> bool:
        """Whether a comparison only says from which size on the faster of two ways is taken."""
        return isinstance(node, ast.Compare) and any(
            isinstance(part, ast.Name) and part.id in SIZES_OF_SPEED for part in ast.walk(node)
        )

    def _is_left_alone(self, node: ast.AST) -> bool:
        """Whether nothing below a node is for any test to see."""
        documentation = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if documentation or self._is_of_speed(node):
            return True
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            return self._text(node.value.func).split(".")[0] in LOGGING
        if isinstance(node, ast.If):
            test = self._text(node.test)
            return any(name in test for name in SYSTEMS) or test.startswith("hasattr(os")
        if isinstance(node, ast.ExceptHandler):
            return node.type is not None and "ImportError" in self._text(node.type)
        if isinstance(node, ast.Assign):
            return any(self._text(target).startswith("__") for target in node.targets)
        return isinstance(node, ast.Assert | ast.Delete | ast.Import | ast.ImportFrom | ast.Global)

    def _children(self, node: ast.AST) -> Iterator[ast.AST]:
        """The parts of a node without its types."""
        for name, value in ast.iter_fields(node):
            if name in {"annotation", "returns", "decorator_list", "ctx", "op", "ops"}:
                continue
            if isinstance(node, ast.Call) and name == "args" and self._is_cast(node):
                yield from node.args[1:]
            elif isinstance(node, ast.Call) and name == "keywords":
                yield from (each for each in node.keywords if not self._is_strict(node, each))
            elif isinstance(value, ast.AST):
                yield value
            elif isinstance(value, list):
                yield from (item for item in value if isinstance(item, ast.AST))

    def _is_cast(self, node: ast.Call) -> bool:
        return self._text(node.func) in {"cast", "TypeVar", "ParamSpec"}

    def _is_strict(self, node: ast.Call, keyword: ast.keyword) -> bool:
        """Whether a keyword only keeps ``zip`` honest, or spares a copy of what is read."""
        if keyword.arg == "copy":
            return self._text(node.func).endswith(".astype")
        return keyword.arg == "strict" and self._text(node.func) == "zip"

    # The faults.

    def _here(self, node: ast.AST, function: str) -> Iterator[Mutant]:
        """The faults of one node, its parts aside."""
        kind = type(node).__name__
        make = getattr(self, f"_in_{kind.lower()}", None)
        if make is not None:
            yield from (
                Mutant(self._source, start, end, new, what, function)
                for start, end, new, what in make(node)
            )

    def _replaced(self, node: ast.AST, new: str, what: str) -> tuple[int, int, str, str]:
        return (*self._span(node), new, what)

    def _in_compare(self, node: ast.Compare) -> Iterator[tuple[int, int, str, str]]:
        for left, right in zip([node.left, *node.comparators], node.comparators, strict=False):
            found = self._between(left, right)
            if found is not None:
                start, end, word = found
                for new in COMPARED[word]:
                    yield start, end, new, "comparison"

    def _in_binop(self, node: ast.BinOp) -> Iterator[tuple[int, int, str, str]]:
        found = self._between(node.left, node.right)
        if found is not None and found[2] in CALCULATED:
            start, end, word = found
            yield start, end, CALCULATED[word], "arithmetic"

    def _in_augassign(self, node: ast.AugAssign) -> Iterator[tuple[int, int, str, str]]:
        found = self._between(node.target, node.value)
        if found is not None:
            start, end, word = found
            yield start, end, CALCULATED[word.rstrip("=")] + "=", "arithmetic"

    def _in_boolop(self, node: ast.BoolOp) -> Iterator[tuple[int, int, str, str]]:
        new = "or" if isinstance(node.op, ast.And) else "and"
        for left, right in zip(node.values, node.values[1:], strict=False):
            found = self._between(left, right)
            if found is not None:
                yield found[0], found[1], new, "and for or"

    def _in_unaryop(self, node: ast.UnaryOp) -> Iterator[tuple[int, int, str, str]]:
        yield self._replaced(node, f"({self._text(node.operand)})", "sign or not removed")

    def _in_constant(self, node: ast.Constant) -> Iterator[tuple[int, int, str, str]]:
        value = node.value
        if isinstance(value, bool):
            yield self._replaced(node, str(not value), "constant")
        elif isinstance(value, int):
            yield self._replaced(node, f"({self._text(node)} + 1)", "constant")
            if value > 0:
                yield self._replaced(node, f"({self._text(node)} - 1)", "constant")
        elif isinstance(value, float):
            yield self._replaced(node, f"({self._text(node)} * 2 + 1)", "constant")
        elif isinstance(value, str) and value.lstrip().startswith(QUERIES):
            start, _ = self._span(node)
            for match in QUERY_WORD.finditer(self._text(node)):
                at, word = start + match.start(), match.group().strip()
                yield at, start + match.end(), match.group().replace(word, ASKED[word]), "query"

    def _in_name(self, node: ast.Name) -> Iterator[tuple[int, int, str, str]]:
        if node.id in RENAMED:
            yield self._replaced(node, RENAMED[node.id], "other function")

    def _in_if(self, node: ast.If) -> Iterator[tuple[int, int, str, str]]:
        if not self._is_of_speed(node.test):
            yield self._replaced(node.test, f"not ({self._text(node.test)})", "condition negated")

    def _in_ifexp(self, node: ast.IfExp) -> Iterator[tuple[int, int, str, str]]:
        yield self._replaced(node.test, f"not ({self._text(node.test)})", "condition negated")

    def _in_while(self, node: ast.While) -> Iterator[tuple[int, int, str, str]]:
        yield self._replaced(node.test, f"not ({self._text(node.test)})", "condition negated")

    def _in_return(self, node: ast.Return) -> Iterator[tuple[int, int, str, str]]:
        if node.value is None or self._text(node.value) == "None":
            return
        if not self._is_of_truth:
            yield self._replaced(node.value, "None", "other result")
        elif not isinstance(node.value, ast.Constant):  # a constant has its own fault
            yield self._replaced(node.value, f"not ({self._text(node.value)})", "other result")

    def _in_expr(self, node: ast.Expr) -> Iterator[tuple[int, int, str, str]]:
        if isinstance(node.value, ast.Call | ast.Await):
            yield self._replaced(node, "pass", "call removed")

    def _in_assign(self, node: ast.Assign) -> Iterator[tuple[int, int, str, str]]:
        if all(isinstance(target, ast.Attribute | ast.Subscript) for target in node.targets):
            yield self._replaced(node, "pass", "assignment removed")

    def _in_break(self, node: ast.Break) -> Iterator[tuple[int, int, str, str]]:
        yield self._replaced(node, "pass", "break removed")

    def _in_continue(self, node: ast.Continue) -> Iterator[tuple[int, int, str, str]]:
        yield self._replaced(node, "pass", "continue removed")

    def _in_slice(self, node: ast.Slice) -> Iterator[tuple[int, int, str, str]]:
        for bound in (node.lower, node.upper):
            if bound is not None and not isinstance(bound, ast.Constant):
                yield self._replaced(bound, f"({self._text(bound)}) + 1", "slice")

    def _in_call(self, node: ast.Call) -> Iterator[tuple[int, int, str, str]]:
        yield from self._swapped(node)
        for keyword in node.keywords:
            if keyword.arg is None or self._is_strict(node, keyword):
                continue
            start, end = self._span(keyword)
            comma = self._source.rfind(",", 0, start)
            if comma > self._span(node.func)[1]:
                yield comma, end, "", "argument dropped"
            else:
                yield start, end, "", "argument dropped"

    def _swapped(self, node: ast.Call) -> Iterator[tuple[int, int, str, str]]:
        plain = [arg for arg in node.args if not isinstance(arg, ast.Starred)]
        if len(plain) < 2 or plain != node.args[: len(plain)] or self._is_cast(node):
            return
        first, second = plain[:2]
        (start, middle), (beyond, end) = self._span(first), self._span(second)
        between = self._source[middle:beyond]
        name = self._text(node.func).rpartition(".")[2]
        if "#" not in between and name not in {"isinstance", "zip", *SYMMETRIC}:
            new = self._text(second) + between + self._text(first)
            yield start, end, new, "arguments swapped"


def _closes_a_handler(node: ast.Raise, parent: ast.AST) -> bool:
    """Whether it is a handler's bare ``raise``, after which nothing else could come."""
    return node.exc is None and not isinstance(parent, ast.ExceptHandler)


def _is_size(node: ast.stmt, compared: set[str]) -> bool:
    """Whether it names a large number that nothing is compared with: how much is done at a time."""
    if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Name):
        return False
    name, parts = node.targets[0].id, list(ast.walk(node.value))
    plain = all(isinstance(part, ast.BinOp | ast.operator | ast.Constant) for part in parts)
    if not name.startswith("_") or name in compared or not plain:
        return False
    value = eval(compile(ast.Expression(node.value), name, "eval"), {})  # noqa: S307 - two numbers
    return isinstance(value, int) and value >= _LARGE
