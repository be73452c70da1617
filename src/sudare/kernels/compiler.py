"""How kernels are compiled: kept on disk, without the interpreter's lock.

Numba looks at the file that a kernel stands in to see whether what it kept is still right. But a
kernel holds the code of those it calls and the constants that it takes from elsewhere. So what is
kept here is marked by all kernels' sources, and by the options that change what LLVM makes of them.
"""

import hashlib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, ParamSpec, TypeVar, cast

from numba import config, njit
from numba.core.caching import FunctionCache, IndexDataCacheFile

P = ParamSpec("P")
R = TypeVar("R")

_OPTIONS = ("OPT", "SLP_VECTORIZE", "LOOP_VECTORIZE", "BOUNDSCHECK", "DISABLE_INTEL_SVML")
_kernels: list[Any] = []


def compiled(function: Callable[P, R]) -> Callable[P, R]:
    """A function as machine code, made on first use, with its signature for the type checker."""
    return cast("Callable[P, R]", _kept(function))


def compiled_for(*signatures: Any) -> Callable[[Callable[P, R]], Callable[P, R]]:  # noqa: ANN401
    """A function as machine code for signatures of Numba's, to which arguments are fitted.

    For kernels that take arrays in any layout: one machine code, where ``compiled`` would make one
    for each layout that it meets. It is made where its module is imported.
    """

    def decorated(function: Callable[P, R]) -> Callable[P, R]:
        kernel = _kept(function)
        for signature in signatures:
            kernel.compile(signature)
        kernel.disable_compile()
        return cast("Callable[P, R]", kernel)

    return decorated


@dataclass(frozen=True)
class Compilations:
    """What was compiled in this process, and what was found as kept by an earlier one."""

    made: int
    found: int
    folders: tuple[str, ...]
    """Where machine code is kept; none if no folder may be written."""


def compilations() -> Compilations:
    """What has become machine code since this process began."""
    made = sum(sum(kernel.stats.cache_misses.values()) for kernel in _kernels)
    found = sum(sum(kernel.stats.cache_hits.values()) for kernel in _kernels)
    folders = {kernel.stats.cache_path for kernel in _kernels} - {None}
    return Compilations(made, found, tuple(sorted(folders)))


class _MarkedCache(FunctionCache):
    """Numba's cache of a function, good for as long as no kernel's source and no option changes."""

    def __init__(self, function: Callable[..., Any]) -> None:
        # Numba's own has no types.
        super().__init__(function)  # type: ignore[no-untyped-call]
        self._cache_file = IndexDataCacheFile(  # type: ignore[no-untyped-call]
            self._cache_path, self._impl.filename_base, _mark()
        )


@cache
def _mark() -> str:
    """A digest of all that may change a kernel's machine code."""
    digest = hashlib.sha256(repr([getattr(config, name, None) for name in _OPTIONS]).encode())
    for source in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(source.read_bytes())
    return digest.hexdigest()


def _kept(function: Callable[..., Any]) -> Any:  # noqa: ANN401 - Numba's dispatcher
    kernel: Any = njit(nogil=True)(function)
    with suppress(RuntimeError):  # no folder may be written: compile for this process alone
        kernel._cache = _MarkedCache(function)  # noqa: SLF001 - as njit(cache=True) sets its own
    _kernels.append(kernel)
    return kernel
