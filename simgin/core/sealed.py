"""Files of numba's cache with a seal: machine code that has lost a bit may still run.

A digest lies around what numba writes; what does not fit its digest raises when it is read, and
that is a miss. Accidents are kept away, and nobody who can compute a digest.
"""

import hashlib
import pickle
from typing import Any

from numba.core.caching import IndexDataCacheFile


class _Seal:
    """Bytes that are pickled with their digest."""

    def __init__(self, content: bytes) -> None:
        self.content = content

    def __reduce__(self) -> tuple[object, tuple[bytes, bytes]]:
        return _opened, (hashlib.sha256(self.content).digest(), self.content)


def _opened(digest: bytes, content: bytes) -> Any:
    if hashlib.sha256(content).digest() != digest:
        raise ValueError("damaged")
    return pickle.loads(content)


class SealedFile(IndexDataCacheFile):  # type: ignore[misc]
    """The index and the data files of one function."""

    def _dump(self, thing: Any) -> bytes:
        return pickle.dumps(_Seal(super()._dump(thing)))
