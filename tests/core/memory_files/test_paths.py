"""The grammar of memory paths: which texts are paths, and by which rule the others are none (C7)."""

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from callsheet.core.memory_files.paths import DEEPEST, LONGEST_PATH, folded, memory_path, shown
from callsheet.model.verdict import Verdict

OUTSIDE, NAME, LONG = "memory-path-outside", "memory-path-name", "memory-path-long"
TAKEN = {
    "/memories": (),
    "/memories/": (),
    "/memories/a.md": ("a.md",),
    "/memories/proj/": ("proj",),
    "/memories/proj/a/b.md": ("proj", "a", "b.md"),
    "/memories/v1..v2.md": ("v1..v2.md",),
    "/memories/記録.md": ("記録.md",),
    "/memories/über größe.md": ("über größe.md",),
    "/memories/نوٹ.md": ("نوٹ.md",),
    "/memories/हिन्दी.md": ("हिन्दी.md",),
    "/memories/100% sure.md": ("100% sure.md",),
    "/memories/$5 plan (draft), it's fine!.md": ("$5 plan (draft), it's fine!.md",),
    "/memories/console.md": ("console.md",),
}
REFUSED = {
    OUTSIDE: (
        None,
        7,
        "",
        "/",
        "a.md",
        "memories/a.md",
        "/memory/a.md",
        "/Memories/a.md",
        "/memories_other/a.md",
        "/memoriesx/../b",
        "/memories//a.md",
        "/memories/a//b",
        "/memories/a.md//",
        "/memories/.",
        "/memories/..",
        "/memories/../memories/a.md",
        "/memories/a/./b",
        "/etc/passwd",
        "~/a.md",
        " /memories/a.md",
        "C:\\a.md",
        "\\\\server\\share",
        "/memories\\a.md",
        "/memories\x00",
        "//memories/a.md",
        "file:///memories/a.md",
    ),
    NAME: (
        "/memories/.index.md",
        "/memories/a/.new",
        "/memories/...",
        "/memories/a\\b",
        "/memories/..\\..\\x",
        "/memories/a:b",
        "/memories/a.md::$DATA",
        "/memories/a\x00.png",
        "/memories/a\nb",
        "/memories/a\x1b[31m",
        "/memories/a\x7f",
        "/memories/a\x85b",
        "/memories/a\u2028b",
        "/memories/a\u202egnp.md",
        "/memories/a\u2066b",
        "/memories/a\u200b.md",
        "/memories/a\u00ad.md",
        "/memories/\ufeffa.md",
        "/memories/a\ufe0f.md",
        "/memories/a\u3164.md",
        "/memories/a\udc80.md",
        "/memories/a\ue000.md",
        "/memories/\u0338a.md",
        "/memories/%2e%2e/a",
        "/memories/a%2Fb",
        "/memories/%252e",
        "/memories/%c0%ae",
        "/memories/%u002e",
        "/memories/\u2024\u2024/a",
        "/memories/a\u2215b",
        "/memories/a\uff0fb",
        "/memories/a\u2044b",
        "/memories/a\u29f8b",
        "/memories/a\uff3cb",
        "/memories/a\u2025",
        "/memories/u\u0308ber.md",
        "/memories/a.md ",
        "/memories/ a.md",
        "/memories/a.md.",
        "/memories/a /b",
        "/memories/a\u3000",
        "/memories/CON",
        "/memories/con.txt",
        "/memories/a/NUL.md",
        "/memories/com1",
        "/memories/LPT9.log",
        "/memories/COM\u00b9",
        "/memories/aux .md",
        "/memories/~",
        "/memories/~root/a",
        "/memories/PROGRA~1",
        "/memories/$HOME/a",
        "/memories/${HOME}",
        "/memories/$(id)",
        "/memories/a*",
        "/memories/a?.md",
        "/memories/<a>",
        '/memories/"a"',
        "/memories/a|b",
        "/memories/sk-live-4f9a8b7c6d5e4f3a2b1c.md",
    ),
    LONG: (
        f"/memories/{'a' * 201}",
        f"/memories/{'ü' * 101}",
        "/memories/" + "/".join("a" * 17),
        "/memories/" + "/".join(["a" * 100] * 12),
    ),
}
CASES = [(text, rule) for rule, texts in REFUSED.items() for text in texts]
LETTERS = st.sampled_from("/.\\%~$: ab\x00\n\u202e\u200b\u2215\u2024\uff0fÜü\u0308CON2ef\udc80-")
PATHS = st.one_of(
    st.text(),
    st.text(LETTERS, max_size=30),
    st.text(LETTERS, max_size=30).map("/memories/".__add__),
    st.lists(st.text(min_size=1, max_size=8), max_size=4).map(lambda names: "/".join(["/memories", *names])),
)


@pytest.mark.parametrize(("text", "names"), TAKEN.items())
def test_a_path_below_memories_is_its_names(text: str, names: tuple[str, ...]) -> None:
    assert memory_path(text) == names


@pytest.mark.parametrize(("text", "rule"), CASES, ids=[ascii(text)[:60] for text, _ in CASES])
def test_what_is_no_path_is_refused_by_its_rule(text: object, rule: str) -> None:
    found = memory_path(text)
    assert isinstance(found, Verdict)
    assert (found.outcome, found.rule) == ("refuse", rule)


@given(PATHS)
@example("/memories/ǅ.md")
def test_whatever_is_taken_is_spelled_one_way_alone_and_has_only_safe_names(text: str) -> None:
    found = memory_path(text)
    if isinstance(found, Verdict):
        assert found.outcome == "refuse" and found.why.isprintable() and len(found.why) < 400
        return
    assert text in (shown(found), shown(found) + "/")
    assert len(found) <= DEEPEST and len(text.encode()) <= LONGEST_PATH
    for name in found:
        assert name not in ("", ".", "..") and not name.startswith((".", "~")) and name.strip() == name
        assert not set(name) & set('/\\\x00:*?"<>|') and name.isprintable()
        assert unicodedata.normalize("NFC", name) == name
        assert not set("/\\.") & (set(unicodedata.normalize("NFKC", name)) - set(name))


def test_a_refusal_says_neither_control_characters_nor_secrets_again() -> None:
    found = memory_path("/memories/\x1b[31m\u202esk-live-4f9a8b7c6d5e4f3a2b1c")
    assert isinstance(found, Verdict)
    assert "4f9a8b7c6d" not in found.why and found.why.isprintable()


def test_names_collide_that_a_file_system_may_take_for_one() -> None:
    assert folded("NOTES.md") == folded("notes.md") and folded("Größe") == folded("GRÖSSE") == folded("gro\u0308sse")
    assert folded("ＡＢ") == folded("ab") and folded("a") != folded("b")
