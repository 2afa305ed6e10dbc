"""Where two texts part: how a prompt that was counted or cached before is known again."""

from typing import TypeVar

Text = TypeVar("Text", str, bytes)


def shared_head(one: Text, other: Text) -> int:
    """The length of the beginning that two texts share: the place of their first difference, if there is one."""
    low, high = 0, min(len(one), len(other))
    while low < high:  # by halves: comparing slices is far cheaper than one character after another
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
