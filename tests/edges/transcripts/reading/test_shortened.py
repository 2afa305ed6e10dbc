"""Texts that are too long to hold are cut in the stream, and everything around them is read as it is."""

import io
import json
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from callsheet.edges.transcripts.reading.shortened import CUT, Shortened
from callsheet.edges.transcripts.reading.streamed import members

LIMIT, PIECE = 40, 8
texts = st.one_of(
    st.text(max_size=12),
    st.text(alphabet='zZ \\"/\n\u0001é€😀u0dabc', max_size=200),
    st.integers(0, 90).map(lambda length: "z\\" * length),
)
values = st.recursive(
    st.one_of(texts, st.integers(), st.none(), st.booleans()),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(texts, inner, max_size=3)),
    max_leaves=8,
)


def read(data: bytes, limit: int = LIMIT, piece: int = PIECE) -> Any:
    stream = Shortened(io.BytesIO(data), limit)
    return json.loads(b"".join(iter(lambda: stream.read(piece), b"")))


def written(text: str, ascii_only: bool) -> int:
    return len(json.dumps(text, ensure_ascii=ascii_only).encode()) - 2


def same(given_: Any, found: Any, ascii_only: bool) -> bool:
    """Whether both are the same but for texts beyond the limit, of which the beginning is there."""
    if isinstance(given_, str):
        if given_ == found:
            return True
        return written(given_, ascii_only) > LIMIT and found.endswith(CUT) and given_.startswith(found[: -len(CUT)])
    if isinstance(given_, list):
        return len(given_) == len(found) and all(same(*pair, ascii_only) for pair in zip(given_, found, strict=True))
    if isinstance(given_, dict):
        pairs = zip(given_.items(), found.items(), strict=True)
        return all(same(list(one), list(other), ascii_only) for one, other in pairs)
    return bool(given_ == found)


def keys_differ(value: Any) -> bool:
    """Whether no two keys of an object begin alike: cut, they would be one."""
    if isinstance(value, dict):
        return len({each[:5] for each in value}) == len(value) and all(map(keys_differ, value.values()))
    return all(map(keys_differ, value)) if isinstance(value, list) else True


@given(values.filter(keys_differ), st.booleans(), st.integers(1, 16))
@example("000\x1f\x07😀😀G", True, 1)
@example(["z" * 100, "after"], True, 8)
@example(["😀z" * 100, "\\" * 90], True, 1)
@example(["é" * 100, {"k": '"' * 90}], False, 3)
def test_all_is_read_as_it_stands_but_for_the_rest_of_texts_beyond_the_limit(
    value: Any, ascii_only: bool, piece: int
) -> None:
    data = json.dumps([value], ensure_ascii=ascii_only).encode()
    assert same([value], read(data, piece=piece), ascii_only)


def test_a_text_beyond_the_limit_is_cut_near_it() -> None:
    (cut, after) = read(json.dumps(["say no more " * 1_000, "after"]).encode())
    assert LIMIT <= len(cut) <= LIMIT + 2 * PIECE + len(CUT)
    assert after == "after"


def test_a_record_with_such_a_text_is_skipped_and_says_so_and_the_others_are_read() -> None:
    rows = [{"a": "short"}, {"a": ["x", {"b": "long and long " * 50}]}, {"a": "next"}]
    data = json.dumps({"history": rows, "info": {"b": "y"}}).encode()
    found = list(members(io.BytesIO(data), frozenset(("history",)), LIMIT, PIECE))
    assert [(each.index, each.value, each.skip) for each in found] == [
        (0, rows[0], None),
        (1, None, "too-long"),
        (2, rows[2], None),
        (-1, {"b": "y"}, None),
    ]
    assert "longer than" in found[1].detail


def test_a_document_that_breaks_off_inside_such_a_text_is_truncated() -> None:
    data = json.dumps([1, "long and long " * 50])[:-20].encode()
    found = list(members(io.BytesIO(data), None, LIMIT, PIECE))
    assert [(each.value, each.skip) for each in found] == [(1, None), (None, "truncated")]
