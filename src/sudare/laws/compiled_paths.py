"""Which path large batches take: compiled kernels or plain NumPy."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

NEVER = 1 << 62
_NAME = "COMPILE_FROM"


@contextmanager
def compiled_from(size: int) -> Iterator[None]:
    """Compiled kernels from this size on: 0 is always, ``NEVER`` is the plain path.

    In every module that goes by ``sudare.kernels.COMPILE_FROM``, also those of other packages. For
    comparisons alone: other threads would see it, too.
    """
    # Looked up in what a module has: to ask a lazy one for a name would load it.
    modules: list[dict[str, Any]] = [
        vars(module)
        for module in list(sys.modules.values())
        if _NAME in getattr(module, "__dict__", {})
    ]
    before = [(names, names[_NAME]) for names in modules]
    try:
        for names, _ in before:
            names[_NAME] = size
        yield
    finally:
        for names, old in before:
            names[_NAME] = old
