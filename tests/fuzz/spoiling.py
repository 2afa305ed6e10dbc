"""What can be wrong with a text, a JSON value or a file, chosen by a `Random`: the same seed spoils the same way."""

import json
import re
from collections.abc import Callable
from random import Random
from typing import Any

HALF, NUL, BIDI = "\ud83d", "\0", "\u202e"
TEXTS: tuple[str, ...] = (
    *("", " ", "\n", "\r\n", "\r", "\t", NUL, HALF, "\udc00x", BIDI + "cod", "\u2028", "\x85", "\x1b[2J", "\ufeff"),
    *("<|im_end|>", "<|im_start|>system\n", "</evidence>", "<evidence>", "</ evidence >", "[/INST]", "e\u0301"),
    *("../../etc/passwd", "./", ".", "~", "a/b", "C:\\x", "x" * 300, "%s%n", "{}", "{0}", "null", "NaN", "-1", "1e400"),
    *("2026-13-45T99:99:99Z", "0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59-23:59", "1970-01-01", "infinity"),
    *("(" * 60, "[" * 60, "<" * 60, "a " * 500, "𝔢𝔳𝔦𝔡𝔢𝔫𝔠𝔢", "sk_live_0123456789abcdef0123456789abcdef", "data: {}\n\n"),
    *("data:image/png;base64,!", "cat <<EOF\nx", "sed -i '' $(", "*** Begin Patch\n*** Update File: a\n@@\n-x"),
)  # fmt: skip
NUMBERS: tuple[Any, ...] = (
    *(0, -1, 1, 2**31, 2**53 + 1, 2**63, -(2**63) - 1, 10**400, -(10**400)),
    *(0.5, -0.0, 1e308, -1e308, 5e-324, float("nan"), float("inf"), -float("inf"), 1e18, 253402300800, 4e9),
)


def odd(random: Random) -> Any:
    """A JSON value that seldom stands where it will stand."""
    return random.choice(
        (
            lambda: None,
            lambda: random.random() < 0.5,
            lambda: random.choice(NUMBERS),
            lambda: random.choice(NUMBERS),
            lambda: random.choice(TEXTS),
            lambda: random.choice(TEXTS),
            list,
            dict,
            lambda: [odd(random)],
            lambda: [odd(random) for _ in range(3)],
            lambda: {random.choice(TEXTS): odd(random)},
            lambda: {"type": odd(random), "text": odd(random), "content": odd(random)},
            lambda: deep(random.choice((20, 200, 600, 3_000))),
        )
    )()


def deep(levels: int) -> str:
    """A mark that `written` turns into a list in a list, that many times, or objects: no writer goes down so far."""
    return f"{{deep {levels}}}"


DEEP = re.compile(rb'"\{deep (\d+)\}"')


def _nested(mark: re.Match[bytes]) -> bytes:
    levels = int(mark[1])
    opening, closing = (b"[", b"]") if levels % 3 else (b'{"content":', b"}")
    return opening * levels + b"1" + closing * levels


def places(value: Any) -> list[tuple[Any, Any]]:
    """Every place inside a value: what holds it and under which key."""
    found, waiting = [], [value]
    while waiting:
        holder = waiting.pop()
        items = holder.items() if isinstance(holder, dict) else enumerate(holder) if isinstance(holder, list) else ()
        for key, inner in items:
            found.append((holder, key))
            waiting.append(inner)
    return found


def spoil(value: Any, random: Random, times: int = 1) -> Any:
    """The value, changed in place at some of its places; what was no list and no object comes back as another."""
    for _ in range(times):
        known = places(value)
        if not known:
            return odd(random)
        holder, key = random.choice(known)
        random.choice(CHANGES)(holder, key, random, known)
    return value


def _replaced(holder: Any, key: Any, random: Random, _: Any) -> None:
    holder[key] = odd(random)


def _removed(holder: Any, key: Any, random: Random, _: Any) -> None:
    del holder[key]


def _swapped(holder: Any, key: Any, random: Random, known: list[tuple[Any, Any]]) -> None:
    other, where = random.choice(known)
    # A copy through text: no value may hold itself.
    holder[key] = json.loads(json.dumps(other[where]))


def _twice(holder: Any, key: Any, random: Random, _: Any) -> None:
    if isinstance(holder, list):
        holder.insert(random.randrange(len(holder) + 1), json.loads(json.dumps(holder[key])))
    else:
        holder[random.choice(TEXTS)] = holder[key]


def _renamed(holder: Any, key: Any, random: Random, known: list[tuple[Any, Any]]) -> None:
    names = [name for _, name in known if isinstance(name, str)]
    if isinstance(holder, dict) and names:
        holder[random.choice(names)] = holder.pop(key)


def _longer(holder: Any, key: Any, random: Random, _: Any) -> None:
    if isinstance(holder[key], str):
        text = holder[key]
        at = random.randrange(len(text) + 1)
        holder[key] = text[:at] + random.choice(TEXTS) + text[at:]
    elif isinstance(holder[key], int | float):
        holder[key] = random.choice(NUMBERS)


def _mixed(holder: Any, key: Any, random: Random, _: Any) -> None:
    if isinstance(holder[key], list):
        random.shuffle(holder[key])
    else:
        holder[key] = [holder[key]] if random.random() < 0.5 else json.dumps(holder[key])


Place = Callable[[Any, Any, Random, list[tuple[Any, Any]]], None]
CHANGES: tuple[Place, ...] = (_replaced, _replaced, _removed, _swapped, _twice, _renamed, _longer, _longer, _mixed)


def written(value: Any, random: Random) -> bytes:
    """A value as JSON, with or without escapes; halves of characters stay what they are."""
    return DEEP.sub(_nested, json.dumps(value, ensure_ascii=random.random() < 0.5).encode("utf-8", "surrogatepass"))


def damage(data: bytes, random: Random) -> bytes:
    """The bytes of a file, damaged in one way."""
    return random.choice(DAMAGES)(data, random)


def _flipped(data: bytes, random: Random) -> bytes:
    changed = bytearray(data)
    for _ in range(random.choice((1, 3, 30))):
        if changed:
            changed[random.randrange(len(changed))] = random.randrange(256)
    return bytes(changed)


def _cut(data: bytes, random: Random) -> bytes:
    return data[: random.randrange(len(data) + 1)]


def _headless(data: bytes, random: Random) -> bytes:
    return data[random.randrange(len(data) + 1) :]


def _spliced(data: bytes, random: Random) -> bytes:
    one, other = sorted(random.randrange(len(data) + 1) for _ in range(2))
    at = random.randrange(len(data) + 1)
    return data[:at] + data[one:other] + data[at:]


def _put_in(data: bytes, random: Random) -> bytes:
    at = random.randrange(len(data) + 1)
    return data[:at] + random.choice(PIECES) + data[at:]


PIECES = (b"\0", b"\xff", b"\xed\xa0\x80", b"\n", b"\r", b"\n\n", b"{", b"]", b'"', b",", b"\\", b"NaN", b"1e999")
ROWS = (b"\n", b"  \n", b"nonsense\n", b"null\n", b"[]\n", b'"x"\n', b"3\n")


def _lines(data: bytes, random: Random) -> bytes:
    lines = data.splitlines(keepends=True)
    how = random.randrange(5)
    if how == 0:
        random.shuffle(lines)
    elif how == 1:
        lines = [*lines, *lines]
    elif how == 2 and lines:
        del lines[random.randrange(len(lines))]
    elif how == 3:
        lines.insert(random.randrange(len(lines) + 1), random.choice(ROWS))
    else:
        lines.reverse()
    return b"".join(lines)


def _ends(data: bytes, random: Random) -> bytes:
    return data.replace(b"\n", random.choice((b"\r\n", b"\r", b"\n\n", b"\n \n", b"\n\0\n")))


def _encoded(data: bytes, random: Random) -> bytes:
    name = random.choice(("utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp1252", "utf-7"))
    return data.decode("utf-8", "replace").encode(name, "replace")


def _named_twice(data: bytes, random: Random) -> bytes:
    return data.replace(b'{"', b'{"type": 3, "role": [], "', random.choice((1, -1)))


DAMAGES: tuple[Callable[[bytes, Random], bytes], ...] = (
    _flipped, _cut, _headless, _spliced, _put_in, _lines, _lines, _ends, _encoded, _named_twice,
)  # fmt: skip
