"""How kernels are compiled: kept on disk, without the interpreter's lock."""

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, cast

from numba import njit

P = ParamSpec("P")
R = TypeVar("R")


def compiled(function: Callable[P, R]) -> Callable[P, R]:
    """A function as machine code, made on first use, with its signature for the type checker."""
    return _kept(function)


def compiled_for(*signatures: Any) -> Callable[[Callable[P, R]], Callable[P, R]]:  # noqa: ANN401
    """A function as machine code for signatures of Numba's, to which arguments are fitted.

    For kernels that take arrays in any layout: one machine code, where ``compiled`` would make one
    for each layout that it meets. It is made where its module is imported.
    """
    return lambda function: _kept(function, list(signatures))


def _kept(function: Callable[P, R], signatures: list[Any] | None = None) -> Callable[P, R]:
    try:
        kernel = njit(signatures, cache=True, nogil=True)(function)
    except RuntimeError:  # no folder may be written: compile for this process alone
        kernel = njit(signatures, nogil=True)(function)
    return cast("Callable[P, R]", kernel)
