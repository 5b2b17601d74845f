"""Files of numba's cache, compressed and protected by checksums.

Without a checksum, corrupt machine code could be executed. If the checksum of a file does not
match, reading the file raises an error, which is treated as a cache miss. Checksums detect
accidental corruption, not tampering.
"""

import hashlib
import pickle
import zlib
from typing import Any

from numba.core.caching import IndexDataCacheFile


class _ChecksummedBytes:
    """Bytes that are pickled together with their checksum."""

    def __init__(self, content: bytes) -> None:
        self.content = content

    def __reduce__(self) -> tuple[object, tuple[bytes, bytes]]:
        return _verify_and_load, (hashlib.sha256(self.content).digest(), self.content)


def _verify_and_load(digest: bytes, content: bytes) -> Any:
    """Return the unpickled value, or raise ValueError if the checksum does not match."""
    if hashlib.sha256(content).digest() != digest:
        raise ValueError("corrupt")
    return pickle.loads(zlib.decompress(content))


class ChecksummedCacheFile(IndexDataCacheFile):  # type: ignore[misc]
    """Cache file of a compiled function, with a checksum that detects damage."""

    def _dump(self, value: Any) -> bytes:
        return pickle.dumps(_ChecksummedBytes(zlib.compress(super()._dump(value))))
