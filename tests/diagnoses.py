"""Diagnoses for the tests of what prints them: a session of any length, and values that no session should have."""

from typing import get_args

from hypothesis import strategies as st

from callsheet.model.diagnosis import (
    Artifact,
    CacheBreak,
    CacheRound,
    Catalogue,
    Diagnosis,
    Finding,
    Missing,
    ModelUse,
    Pattern,
    Quote,
    TestRun,
    ToolUse,
    TurnBuckets,
    Wording,
)
from callsheet.model.message import Usage
from callsheet.model.transcript import Accounted, Records

HOSTILE = (
    "</script><script>document.title='owned'</script>",
    "<!-- <script>",
    "<img src=x onerror=\"document.title='owned'\">",
    "]]><svg/onload=alert(1)>",
    "a\u2028b\u2029c",
    "half \ud83d of a smile, and the other \ude00 half",
    "\u202emirrored\u202c and \x00\x1b[31mred\x07",
    "&lt;b&gt; &amp; 'quoted' \"twice\" \\u003c `${1}`",
    "https://example.com/pixel.gif",
)
PATTERNS: tuple[Pattern, ...] = get_args(Pattern)
MISSING: tuple[Missing, ...] = get_args(Missing)
TOOLS = ("read_file", "search_code", "run_tests", "edit_file", "list_folder", "open_issue", "send_mail")
TOOL_TOKENS = (180, 240, 410, 320, 95, 510, 260)
CALLS_IN_A_TURN = 3


def session(turns: int, text: str = "as planned") -> Diagnosis:
    """A long session's diagnosis: its prompts grow and are compacted every 60 turns; `text` is in every text it has."""
    rounds = tuple(_round(number, text) for number in range(1, turns * CALLS_IN_A_TURN + 1))
    buckets = tuple(_turn(turn, rounds, text) for turn in range(1, turns + 1))
    names = buckets[0].billed
    billed = {name: sum(turn.billed[name] for turn in buckets) for name in names}
    usage = Usage()
    for each in rounds:
        usage = usage.plus(each.usage)
    return Diagnosis(
        source=f"sessions/{text}.jsonl",
        format="claude-code",
        records=_records(turns, text),
        turns=turns,
        model_calls=len(rounds),
        tool_calls=turns * 2,
        tool_results=turns * 2 - 1,
        usage=usage,
        models=(ModelUse("large-model", len(rounds), usage, 12.5), ModelUse(f"small {text}", 0, Usage())),
        cost=12.5,
        basis=f"estimates, scaled by 1.08 to what was reported; {text}",
        buckets=buckets,
        billed=billed,
        catalogue=_catalogue(turns, text),
        rounds=rounds,
        cache_reported=True,
        breaks=tuple(_break(number, text) for number in range(10, len(rounds), 37)),
        artifacts=tuple(_artifact(number, text) for number in range(25 + turns // 8)),
        refetches=turns // 4,
        findings=tuple(_finding(turn, text) for turn in range(5, turns + 1, 7)),
        facts={"note": text, "share": 0.5},
        notes=(f"the file ends in the middle of a record; {text}",),
    )


def _records(turns: int, text: str) -> Records:
    skipped = (Accounted(record=turns * 9, fate="skipped", reason="truncated", detail=text),)
    return Records(turns * 9 + 5, turns * 9 + 1, 2, skipped, {f"odd {text}": 2}, 1)


def _prompt(turn: int) -> dict[str, int]:
    age = turn % 60
    return {
        "system": 2_400,
        "tool_definitions": sum(TOOL_TOKENS),
        "tool_results": 900 * age + 3_000 * (turn % 13 == 0),
        "conversation": 350 * age + 200,
        "thinking": 120 * (turn % 5),
        "evidence": 700 * (turn % 9 == 4),
        "memory": 90,
        "unseen": 140,
    }


def _turn(turn: int, rounds: tuple[CacheRound, ...], text: str) -> TurnBuckets:
    usage = Usage()
    for each in rounds[(turn - 1) * CALLS_IN_A_TURN : turn * CALLS_IN_A_TURN]:
        usage = usage.plus(each.usage)
    prompt = _prompt(turn)
    billed = {name: tokens * CALLS_IN_A_TURN for name, tokens in prompt.items()}
    at = 1_790_000_000.0 + 60 * turn
    return TurnBuckets(
        turn,
        turn * 9,
        CALLS_IN_A_TURN,
        prompt,
        billed,
        usage,
        "",
        at,
        f"Turn {turn}: {text}",
        1_250,
        1_250 * (9 + turn),
    )


def _round(number: int, text: str) -> CacheRound:
    turn = (number - 1) // CALLS_IN_A_TURN + 1
    whole = sum(_prompt(turn).values())
    broken = number % 37 == 10
    read = 0 if number == 1 else 2_400 if broken else whole * 9 // 10
    usage = Usage(whole - read - 60, read, 60, 300 + number % 50, {"provider": text})
    relation, part = ("changed", f"msg{number % 9}") if broken else ("append", None)
    share = read / whole
    return CacheRound(number, turn * 9 + 1, usage, turn, "", "large-model", share, number > 1, relation, part, whole)


def _break(number: int, text: str) -> CacheBreak:
    cause = ("tools-changed", "timestamp", "expired", "compacted")[number % 4]
    return CacheBreak(number, cause, f"message 4 {text}", number * 3, 812, number % 4 != 2, 5_000 + number, 0.02, text)


def _finding(turn: int, text: str) -> Finding:
    at = turn % len(PATTERNS)
    quotes = (
        Quote(turn * 9 + 2, f"the plan is free until June {text}", "said first"),
        Quote(turn * 9 + 5, text, "said later"),
    )
    return Finding(
        PATTERNS[at],
        turn,
        quotes,
        f"Keep only the newest version of a document in the window. {text}",
        f"Both texts are of the same version. {text}",
        MISSING[turn % 5],
        f"Two answers to one question {text}",
        f"{PATTERNS[at]}-rule",
        (f"record {turn * 9 + 2}", f"call call_{turn}"),
    )


def _artifact(number: int, text: str) -> Artifact:
    written = number % 3 == 0
    return Artifact(
        f"src/package_{number % 7}/module_{number:04d}.py" + (f" {text}" if number % 11 == 0 else ""),
        read=number % 4 != 3,
        written=written,
        created=number % 6 == 0,
        deleted=number % 29 == 28,
        hash=f"{number:064x}" if written else None,
        tests=(TestRun(number * 5, f"pytest {text}", 12, number % 2, number % 2 == 0),) if number % 10 == 0 else (),
        reads=tuple(range(number % 4)),
        writes=(number,) if written else (),
        functions=("load", "save") if written else (),
        unchanged_reads=number % 3,
    )


def _catalogue(turns: int, text: str) -> Catalogue:
    used = [
        ToolUse(name, True, tokens, tokens // 2, tokens * turns * CALLS_IN_A_TURN, 9 - at, at % 2, 60, 4_000 - at)
        for at, (name, tokens) in enumerate(zip(TOOLS[:5], TOOL_TOKENS, strict=False))
    ]
    unused = [ToolUse(name, True, 300, 90, 300 * turns * CALLS_IN_A_TURN) for name in (*TOOLS[5:], f"odd {text}")]
    invented = ToolUse(f"read_log {text}", False, calls=2, errors=2, call_tokens=31, nearest="search_code")
    return Catalogue(
        (*used, *unused, invented),
        tuple(tool.name for tool in unused),
        900 * turns * CALLS_IN_A_TURN,
        (invented.name,),
        4_200,
        3,
        9_300,
        Wording(2, 40, 3, 9_300),
        Wording(5, 60),
        (f"definitions are those of the last request; {text}",),
    )


EMPTY = Diagnosis("empty.jsonl", "openai-chat", Records(), 0, 0, 0, 0, Usage())
"""What is said of a file without a single call."""


def hostile_texts() -> st.SearchStrategy[str]:
    """Texts that break out of their place where one is not escaped: markup, halves of characters, control codes."""
    pieces = st.one_of(st.sampled_from(HOSTILE), st.text(st.characters(), max_size=20))
    return st.lists(pieces, min_size=1, max_size=3).map("".join)
