"""Which path large batches take: compiled kernels or plain NumPy."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

NEVER = 1 << 62


@contextmanager
def compiled_from(size: int) -> Iterator[None]:
    """Compiled kernels from this size on: 0 is always, ``NEVER`` is the plain path."""
    with pytest.MonkeyPatch.context() as patch:
        for name, module in list(sys.modules.items()):
            if name.startswith("sudare.") and hasattr(module, "COMPILE_FROM"):
                patch.setattr(module, "COMPILE_FROM", size)
        yield
