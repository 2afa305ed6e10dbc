"""Names of tenants and subjects as file names: one to one, and safe on every file system.

Lower-case ASCII letters, digits, `-` and `_` stand for themselves; every other byte of the UTF-8 form is `=` and two
hexadecimal digits. So there is no separator, no dot, no case and no Unicode form left for a file system to fold.
"""

import re
from functools import lru_cache
from hashlib import blake2b

TENANT = "=tenant"
"""The name of the tenant's own key; no encoded name can be it, because `t` is no hexadecimal digit."""

_PLAIN = re.compile(rb"[a-z0-9_-]")
_RESERVED = re.compile(r"-.*|con|prn|aux|nul|(com|lpt)[0-9]")
_LONGEST = 100
_HEAD = 60


@lru_cache(4096)
def encode_name(name: str) -> str:
    """The file name of a tenant or subject; two different ids never share one, whatever the file system folds.

    Names some systems reserve (`con`, `nul`) and a leading `-` have their first letter escaped. Past 100 characters the
    tail is a 128-bit hash of the whole id.
    """
    raw = name.encode("utf-8", "surrogatepass")
    encoded = "".join(chr(byte) if _PLAIN.match(bytes([byte])) else f"={byte:02x}" for byte in raw) or "="
    if _RESERVED.fullmatch(encoded):
        encoded = f"={raw[0]:02x}{encoded[1:]}"
    if len(encoded) <= _LONGEST:
        return encoded
    return f"{encoded[:_HEAD]}=h{blake2b(raw, digest_size=16).hexdigest()}"


def owner_name(subject_id: str | None) -> str:
    """The name of the key that content of this subject is filed under; the tenant's own where there is no subject."""
    return TENANT if subject_id is None else encode_name(subject_id)
