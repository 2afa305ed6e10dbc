"""Old tool results give way to a placeholder that says how to read them again; their calls stay (F5, F6).

What is cleared stays cleared, byte for byte, and the next clearing waits until the trigger asks again, and until it
frees enough to be worth a new prefix: the first changed message does not creep from request to request (M3). Oldest
goes first, where the request does not fit the largest (report 10). What does not happen is an `Edit` with its rule:

- `nothing-to-clear`: no result may go. `below-clear-at-least`, `frees-too-little`: what may go is less than it takes.
- `does-not-pay`: writing the cache anew costs more than is saved (`pays`). A request that does not fit is not asked.
- `thinking-append-only`, `thinking-refuse`: thinking is bound to what would change (`editing.bound_thinking`).
- `does-not-fit`: the request is larger than the window, and next to nothing is left that may go.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from ....model.effect import Flow
from ....model.history import Edit, Standing
from ....model.history_policy import Clear
from ....model.message import CallBlock, ResultBlock
from ..artifacts.result_text import result_text
from ..editing.bound_thinking import WHY, first_changed, forbidden, thinking_from
from ..editing.break_even import rounds_left, weigh
from ..editing.counts import between, stands, stripped_thinking
from ..editing.edits import noted
from ..editing.importance import scores
from ..editing.triggers import Due, due
from ..record import History
from ..recorded.pairing import Place
from ..recorded.tool_results import ToolResult
from ..terms import Terms

NAME = "clear"


def act(step: Clear, history: History, standing: Standing, terms: Terms) -> Flow[Standing]:
    """The standing with old results cleared; where that leaves the trigger asking, with the cause named."""
    yield from ()
    after = _once(step, history, standing, terms)
    return after if after is standing else _once(step, history, after, terms)


def _once(step: Clear, history: History, standing: Standing, terms: Terms) -> Standing:
    asked = due(NAME, step.trigger, history, standing, terms)
    if asked is None:
        return standing
    texts = _chosen(step, history, standing, terms, asked)
    if not texts:
        return _nothing(step, history, standing, terms, asked)
    changed = _changed(step, history, standing, terms, texts)
    first = min(changed)[0]
    if rule := forbidden(history, standing, first, terms):
        return noted(standing, Edit(NAME, len(history), refused=rule, why=WHY[rule].format(first)))
    stripped = replace(standing, thinking_from=thinking_from(history, standing, first, terms))
    freed = sum(changed.values()) + stripped_thinking(history, stripped) - stripped_thinking(history, standing)
    if refusal := _too_little(step, asked, freed):
        return noted(standing, Edit(NAME, len(history), (), freed, refused=refusal[0], why=refusal[1]))
    after = _cleared(stripped, texts, changed)
    rewritten = between(history, after, first_changed(history, standing, after, first), history.response_start)
    balance = weigh(freed, rewritten, rounds_left(history, asked.size, freed, terms), terms.prices)
    if step.pays and not asked.overflows and not balance.pays:
        edit = Edit(NAME, len(history), (), freed, rewritten, balance.after, "does-not-pay", balance.why)
        return noted(standing, edit)
    numbers = tuple(sorted({number for number, _ in texts}))
    return noted(after, Edit(NAME, len(history), numbers, freed, rewritten, balance.after, why=balance.why))


def _too_little(step: Clear, asked: Due, freed: int) -> tuple[str, str] | None:
    """The rule against a clearing that frees no more, and why; `clear_at_least` holds whatever happens (M2)."""
    if freed < max(1, step.clear_at_least):
        return "below-clear-at-least", f"{freed:,} tokens can be freed, and clear_at_least is {step.clear_at_least:,}"
    if freed < asked.least and asked.overflows:
        return "does-not-fit", f"{asked.size:,} tokens stand and do not fit, and only {freed:,} of them can be freed"
    if freed < asked.least:
        return "frees-too-little", f"{freed:,} tokens can be freed, and {asked.least:,.0f} are worth a new prefix"
    return None


def _nothing(step: Clear, history: History, standing: Standing, terms: Terms, asked: Due) -> Standing:
    """The standing where nothing may be cleared; that needs no words where the trigger is no measure of size."""
    if asked.overflows:
        over = asked.size - terms.usable
        why = f"{asked.size:,} tokens are {over:,} more than fit, and no result is left that may be cleared"
        return noted(standing, Edit(NAME, len(history), refused="does-not-fit", why=why))
    if step.trigger.kind not in ("threshold", "importance"):
        return standing
    why = f"{asked.size:,} tokens are above the trigger, and no result may be cleared"
    return noted(standing, Edit(NAME, len(history), refused="nothing-to-clear", why=why))


def _chosen(step: Clear, history: History, standing: Standing, terms: Terms, asked: Due) -> dict[Place, str]:
    """The results to clear and what takes their place: as many as free what is asked for, in the trigger's order."""
    newest = _newest(step, history, standing)
    evidence, before = history.tool_results.evidence, min(asked.before, history.response_start)
    results = history.tool_results.open(standing)
    open_ones = (each for each in results if each.place[0] < before and each.place not in evidence)
    may = [each for each in open_ones if _may(step, history, terms, each)]
    old = [each for each in may if each.place not in newest]
    if not asked.overflows:
        return _enough(_ordered(step, history, old), step, history, terms, asked)[0]
    largest = sorted(old, key=lambda each: -_tokens(history, each.place))
    texts, reached = _enough(largest, step, history, terms, asked)
    if reached:
        return texts
    return _enough(sorted(may, key=lambda each: -_tokens(history, each.place)), step, history, terms, asked)[0]


def _may(step: Clear, history: History, terms: Terms, result: ToolResult) -> bool:
    """Whether a result may ever be cleared: no definition, not excepted, and it can be read again."""
    return (
        result.tool not in step.exclude_tools
        and not result.defines
        and not history.entries[result.place[0]].pinned
        and bool(way(result, terms))
    )


def _newest(step: Clear, history: History, standing: Standing) -> frozenset[Place]:
    """The places of the newest results, with those whose text they are digests of; what was not seen yet is new."""
    since, places = history.response_start, set[Place]()
    results = (each for each in reversed(history.tool_results.listed) if stands(each.place, standing))
    for at, result in enumerate(results):
        if at >= step.keep and result.place[0] < since:
            break
        place: Place | None = result.place
        while place is not None:
            places.add(place)
            place = history.tool_results.by_place[place].same if place in standing.cleared else None
    return frozenset(places)


def _ordered(step: Clear, history: History, results: Sequence[ToolResult]) -> Sequence[ToolResult]:
    if step.trigger.kind != "importance":
        return results
    score = scores(history, results)
    return sorted(results, key=lambda each: (score[each.place], each.place))


def _enough(
    results: Iterable[ToolResult], step: Clear, history: History, terms: Terms, asked: Due
) -> tuple[dict[Place, str], bool]:
    """As many of these as free what is asked for, and whether they do; what a placeholder would not shorten stays."""
    texts: dict[Place, str] = {}
    freed = 0
    for result in results:
        if freed >= asked.free:
            break
        text, tokens = _instead(step, history, terms, result)
        gain = _tokens(history, result.place) - tokens
        if gain > 0:
            texts[result.place] = text
            freed += gain
    return texts, freed >= asked.free


def _changed(
    step: Clear, history: History, standing: Standing, terms: Terms, texts: dict[Place, str]
) -> dict[Place, int]:
    """How many tokens less each place takes when these results are cleared, their calls' arguments among them."""
    spared, by_place = dict[Place, int](), history.tool_results.by_place
    for place in texts:
        spared[place] = _tokens(history, place) - _instead(step, history, terms, by_place[place])[1]
    if step.clear_inputs and terms.recall:
        spared |= dict(_inputs(history, standing, terms, texts))
    return spared


def _cleared(standing: Standing, texts: dict[Place, str], spared: dict[Place, int]) -> Standing:
    """The standing with these results cleared, and the arguments of the other places left out."""
    inputs = spared.keys() - texts.keys()
    return replace(
        standing,
        cleared={**standing.cleared, **texts},
        spared={**standing.spared, **spared},
        emptied=standing.emptied | inputs if inputs else standing.emptied,
    )


def _inputs(history: History, standing: Standing, terms: Terms, texts: Iterable[Place]) -> Iterator[tuple[Place, int]]:
    """The calls of cleared results whose arguments go, too, and the tokens that frees; signed calls stay."""
    for place in texts:
        where = history.tool_results.by_place[place].call
        call = history.entries[where[0]].message.blocks[where[1]]
        assert isinstance(call, CallBlock)
        gain = _tokens(history, where) - terms.count(call.name)
        if gain > 0 and call.signature is None and where not in standing.emptied:
            yield where, gain


def _instead(step: Clear, history: History, terms: Terms, result: ToolResult) -> tuple[str, int]:
    """What would stand in a result's place, and its tokens; made once, however often the trigger asks."""
    key = (NAME, result.place, step.head, step.clear_inputs, result.tool in terms.tools, terms.recall)
    made = history.made_texts.get(key)
    if made is None:
        text = placeholder(step, history, terms, result)
        made = history.made_texts[key] = text, terms.count(text)
    return made


def placeholder(step: Clear, history: History, terms: Terms, result: ToolResult) -> str:
    """What stands in a result's place: its first characters (`head`), what was there, and how to read it again."""
    number, at = result.place
    block = history.entries[number].message.blocks[at]
    text = result_text(block) if step.head and isinstance(block, ResultBlock) else ""
    head = text[: step.head] + "…\n" if text else ""
    what = f"{result.tool} {result.short}".strip()
    tokens = _tokens(history, result.place)
    again = way(result, terms, step.clear_inputs)
    return f"{head}[cleared: {what}; {tokens:,} tokens, message {number}. To read it again, {again}]"


def way(result: ToolResult, terms: Terms, emptied: bool = False) -> str:
    """How a result can be read again with the tools of this very request; nothing where it cannot (report 18).

    The same call does where it only reads and its arguments stand there still, else the tool that reads originals.
    """
    if result.repeatable and result.tool in terms.tools and not (emptied and terms.recall):
        return f"call {result.tool} with the same arguments"
    return f"call {terms.recall} for message {result.place[0]}" if terms.recall else ""


def _tokens(history: History, place: Place) -> int:
    return history.entries[place[0]].tokens[place[1]]
