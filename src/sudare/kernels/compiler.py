"""How kernels are compiled: on first use, kept on disk, without the interpreter's lock."""

from collections.abc import Callable
from typing import ParamSpec, TypeVar, cast

from numba import njit

P = ParamSpec("P")
R = TypeVar("R")


def compiled(function: Callable[P, R]) -> Callable[P, R]:
    """A function as machine code, with its signature kept for the type checker."""
    try:
        kernel = njit(cache=True, nogil=True)(function)
    except RuntimeError:  # no folder may be written: compile for this process alone
        kernel = njit(nogil=True)(function)
    return cast("Callable[P, R]", kernel)
