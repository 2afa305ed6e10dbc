"""Tools that cannot be told apart, or that do the same in two ways, with the words that show it (D2).

A word tells two tools apart where one has it in its name and nothing that is said of the other has it. Two tools of
which neither has such a word, and that are described or called alike, an engineer could not choose between.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

from ...model.catalogue import ToolFinding
from ...model.tool import ListedTool
from ..text.likeness import stem
from .words import Weights, Worded, parts, plain, properties

ALIKE = 0.5
"""From this likeness on descriptions or arguments are alike."""
COPIED = 0.8
"""From this likeness on one of the two says as good as the same as the other's."""
RELATED = 0.3
"""The likeness that descriptions have at least where the arguments are the same."""
MOST = 200
"""Tools that share a word of their names: with more of them the word is the catalogue's own and no sign of a pair."""
_WORKS_ON = frozenset("read write manage get set update edit ops operation operations tool action actions".split())
"""What a name says of a tool whose own argument says what it does."""
_CHOOSES = frozenset("method action operation command op mode".split())
_LISTED = re.compile(r"(?m)(?:^|[\s(,])['\"`]([a-z][a-z_]+)['\"`]|^\s*(?:\d+\.|[-*])\s*([a-z][a-z_]+)\s+-")


def indistinguishable(tools: Sequence[Worded]) -> Iterator[ToolFinding]:
    """One finding per pair that nobody could choose between."""
    weights = Weights(tools)
    for one, other in _near(tools):
        found = _evidence(one, other, weights)
        if found is None:
            continue
        same = one.name == other.name
        what = "have the same words in their names" if same else "are told apart by no word"
        yield ToolFinding(
            "indistinguishable-tools",
            "error",
            (one.tool.name, other.tool.name),
            f"{_called(one.tool)} and {_called(other.tool)} {what}; both say: {', '.join(found['shared_words'])}",
            "merge them, rename one, or say in each description when to take the other",
            found,
        )


def _evidence(one: Worded, other: Worded, weights: Weights) -> Mapping[str, Any] | None:
    if _guides(one, other) or _guides(other, one):
        return None
    apart = {one.tool.name: plain(one.name) - other.said, other.tool.name: plain(other.name) - one.said}
    described = weights.likeness(one.description, other.description)
    arguments = _share(one.fields, other.fields)
    same = one.name == other.name and (described >= ALIKE or arguments >= ALIKE)
    same_call = len(one.fields) > 1 and arguments >= COPIED and described >= RELATED
    copied = same_call or (described >= COPIED and arguments >= ALIKE)
    if not same and (any(apart.values()) or not copied):
        return None
    both = ((one, other), (other, one))
    return {
        "shared_words": sorted((one.description & other.description) or (one.name & other.name)),
        "own_words": {each.tool.name: sorted(each.description - rest.description) for each, rest in both},
        "name_words": {each.tool.name: sorted(each.name) for each in (one, other)},
        "description_likeness": round(described, 2),
        "schema_likeness": round(arguments, 2),
    }


def covered(tools: Sequence[Worded]) -> Iterator[ToolFinding]:
    """One finding per tool that another does too, as one of the things that an argument of it chooses.

    `issue_write` with `method: create` and `create_issue`; `sub_issue_write` with `method: add` and `add_sub_issue`.
    """
    named: dict[frozenset[str], list[Worded]] = defaultdict(list)
    for each in tools:
        named[_stems(each.name)].append(each)
    for general in tools:
        works_on = {word for word in general.name if word not in _WORKS_ON}
        for argument, value in _choices(general.tool):
            wanted = _stems(Worded(ListedTool(f"{value}_{'_'.join(sorted(works_on))}")).name)
            for special in named.get(wanted, ()) if works_on else ():
                if special is not general and special.tool.server == general.tool.server:
                    yield _covers(general, argument, value, special)


def _covers(general: Worded, argument: str, value: str, special: Worded) -> ToolFinding:
    return ToolFinding(
        "two-ways",
        "warning",
        (general.tool.name, special.tool.name),
        f"{special.tool.name} is what {general.tool.name} does with {argument}={value!r}: two ways to do one thing",
        "offer one of the two, or say in each description when to take the other",
        {"argument": argument, "value": value, "name_words": sorted(special.name)},
    )


def _choices(tool: ListedTool) -> Iterator[tuple[str, str]]:
    """The operations that an argument chooses from, by its values or by what its description lists."""
    for name, schema in properties(tool.input_schema).items():
        if isinstance(schema, Mapping) and name.casefold() in _CHOOSES:
            values = schema.get("enum")
            listed = [quoted or itemised for quoted, itemised in _LISTED.findall(str(schema.get("description", "")))]
            yield from ((name, str(each)) for each in (values if isinstance(values, list) else dict.fromkeys(listed)))


def _near(tools: Sequence[Worded]) -> Iterator[tuple[Worded, Worded]]:
    """Pairs that share a word of their names, each once."""
    by_word: dict[str, list[int]] = defaultdict(list)
    for place, each in enumerate(tools):
        for word in _stems(each.name):
            by_word[word].append(place)
    pairs = {pair for places in by_word.values() if len(places) <= MOST for pair in combinations(places, 2)}
    yield from ((tools[one], tools[other]) for one, other in sorted(pairs))


def _guides(one: Worded, other: Worded) -> bool:
    """Whether a description names the other tool, and so says when to take which."""
    return parts(other.tool.name) != parts(one.tool.name) and other.tool.name in one.tool.description


def _stems(words: frozenset[str]) -> frozenset[str]:
    return frozenset(map(stem, words))


def _share(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / len(one | other) if one | other else 1.0


def _called(tool: ListedTool) -> str:
    return f"{tool.server}/{tool.name}" if tool.server else tool.name
