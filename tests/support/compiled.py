"""Which path large batches take: compiled kernels or plain NumPy."""

from sudare.laws.compiled_paths import NEVER, compiled_from

__all__ = ["NEVER", "compiled_from"]
