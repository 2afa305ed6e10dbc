"""What every embedder has in common: what it is given to read, and the check of what it gave back."""

from typing import Any

import numpy as np

from ...errors import OutageError, UsageError

BLANK = "-"
"""What a model reads in the place of a text without a word: most refuse an empty one."""


def readable(text: str) -> str:
    """A text as a model can be given it: no zero bytes, no halves of a character, never blank."""
    clean = text.replace("\0", " ").encode(errors="replace").decode()
    return clean if clean.strip() else BLANK


def packed(given: Any, number: int, dimension: int, name: str) -> list[bytes]:
    """So many vectors of unit length, as the port has them: little-endian float32.

    UsageError where they have another dimension than the settings say; OutageError where one is missing, is no vector,
    holds what is no number, or has no direction.
    """
    if len(given) != number:
        raise OutageError(f"the embedder {name} gave {len(given)} vectors for {number} texts")
    if not number:
        return []
    try:
        rows = np.asarray(given, np.float32)
    except (TypeError, ValueError):
        rows = np.zeros(0, np.float32)
    if rows.ndim != 2:
        raise OutageError(f"the embedder {name} gave something else than one list of numbers for each text")
    if rows.shape[1] != dimension:
        raise UsageError(
            f"the embedder {name} gives vectors of {rows.shape[1]} numbers, and the settings say {dimension}; write "
            f"dimension = {rows.shape[1]} into [knowledge.embedding] of callsheet.toml, and vectors are made anew"
        )
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    if not np.isfinite(lengths).all() or not lengths.all():
        raise OutageError(f"the embedder {name} gave a vector that has no direction: zeros, or what is no number")
    return [row.tobytes() for row in (rows / lengths).astype("<f4")]
