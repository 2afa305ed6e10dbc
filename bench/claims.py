"""How often a claim is bound to the words that support it, and how often to words that do not (B7).

The answerable questions of `clapnq` (CALLSHEET_DATA, bench/DATA.md): each with a passage, the sentences of it that
answer (`gold`), and an answer that people wrote from them (`answer`). A claim is a gold sentence or a sentence of an
answer. It must be supported by its passage. It must not be supported by the passage of another question, nor by its own
once a number, a name or a negation in it was changed: a name to one of another passage, or to another one of the same.
Rules and thresholds were found on the even half of the questions; the figures are the odd half's.
"""

import argparse
import json
import random
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))
sys.path.insert(0, str(Path(__file__).resolve().parent))

from callsheet.core.gate.claims import Ground, bind
from callsheet.core.retrieval.spans import sentences
from callsheet.lab.stats import wilson
from recordings import folder

_NUMBER = re.compile(r"(?<![\w.,])\d+(?![\w,])(?!\.\d)")
_NAME = re.compile(r"(?<=[a-z,] )[A-Z][a-z]+(?: [A-Z][a-z]+)*")
_DENIED = re.compile(r" (?:not|n't) ")
_VERB = re.compile(r"\b(?:is|was|are|were|can|has|have|will|did|does|could|should|would|must)\b(?! (?:n't|not|no)\b)")
Changed = Callable[[str, random.Random], str | None]


def number_changed(sentence: str, chance: random.Random) -> str | None:
    """The sentence with one of its numbers raised; None where it has none."""
    found = list(_NUMBER.finditer(sentence))
    if not found:
        return None
    match = chance.choice(found)
    raised = str(int(match.group()) + chance.choice((1, 2, 3, 7, 10)))
    return sentence[: match.start()] + raised + sentence[match.end() :]


def name_changed(others: Sequence[str]) -> Changed:
    """Changes a name inside a sentence to one of these that does not stand in it."""

    def changed(sentence: str, chance: random.Random) -> str | None:
        found = list(_NAME.finditer(sentence))
        if not found:
            return None
        match = chance.choice(found)
        fit = sorted({each for each in others if each not in sentence and match.group() not in each})
        return sentence[: match.start()] + chance.choice(fit) + sentence[match.end() :] if fit else None

    return changed


def negated(sentence: str, chance: random.Random) -> str | None:
    """The sentence with a negation taken out, or put behind its first verb; None where it has neither."""
    if _DENIED.search(sentence):
        return _DENIED.sub(" ", sentence, count=1)
    match = _VERB.search(sentence)
    return f"{sentence[: match.end()]} not{sentence[match.end() :]}" if match else None


def claims(row: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """The claims of a question, each once, with where they are from."""
    told = [("gold", each) for answer in row["output"] for each in answer["selected_sentences"]]
    for answer in row["output"]:
        text = answer["answer"]
        told += [("answer", text[start:end]) for start, end in sentences(text)]
    yield from dict.fromkeys(told)


def ground(row: dict[str, Any]) -> Ground:
    passage = row["passages"][0]
    return Ground(row["id"], passage["text"], 0, passage["title"])


def judged(rows: Sequence[dict[str, Any]]) -> Iterator[tuple[str, str, bool, bool]]:
    """Of each claim: its kind, the text, whether it is true of the passage, and whether it was supported."""
    chance = random.Random(1)
    for at, row in enumerate(rows):
        own, other, question = ground(row), ground(rows[(at + 7) % len(rows)]), row["input"]
        changes: dict[str, Changed] = {
            "a number changed": number_changed,
            "a negation changed": negated,
            "a name of another passage": name_changed(_NAME.findall(other.text)),
            "another name of the same passage": name_changed(_NAME.findall(own.text)),
        }
        for origin, text in claims(row):
            if not (bound := bind(text, [own], question)):
                continue
            yield f"{origin}: supported by its passage", text, True, all(each.supported for each in bound)
            elsewhere = bind(text, [other], rows[(at + 7) % len(rows)]["input"])
            yield f"{origin}: supported by another passage", text, False, all(each.supported for each in elsewhere)
            for name, change in changes.items():
                if (changed := change(text, chance)) is not None and (found := bind(changed, [own], question)):
                    yield f"{origin}: supported with {name}", changed, False, all(each.supported for each in found)


def report(rows: Sequence[dict[str, Any]], show: bool) -> dict[str, Any]:
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    true_supported = false_supported = true = false = 0
    for kind, text, is_true, supported in judged(rows):
        counts[kind][0] += supported
        counts[kind][1] += 1
        true, false = true + is_true, false + (not is_true)
        true_supported += supported and is_true
        false_supported += supported and not is_true
        if show and supported is not is_true:
            print(f"{kind}: {text}", file=sys.stderr)
    told = {}
    totals = {
        "recall": (true_supported, true),
        "precision": (true_supported, true_supported + false_supported),
        "false claims caught": (false - false_supported, false),
    }
    for name, (hits, n) in {**totals, **{kind: (hits, n) for kind, (hits, n) in counts.items()}}.items():
        low, high = wilson(hits, n)
        told[name] = {"value": round(hits / n, 4) if n else 0.0, "unit": "share", "n": n, "hits": hits}
        told[name] |= {"low": round(low, 4), "high": round(high, 4)}
    return told


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument("--half", choices=("odd", "even"), default="odd", help="odd: held out; even: developed on")
    parser.add_argument("--show", action="store_true", help="print the claims that were judged wrongly")
    options = parser.parse_args()
    data = folder("clapnq")
    figures: dict[str, Any] = {}
    if data is not None:
        lines = (data / "clapnq" / "dev_answerable.jsonl").read_text(encoding="utf-8").splitlines()
        rows = [json.loads(line) for line in lines][1 if options.half == "odd" else 0 :: 2]
        figures = report(rows, options.show)
    if options.json:
        print(json.dumps({"bench": "claims", "half": options.half, "figures": figures}))
        return
    for label, each in figures.items():
        interval = f"[{each['low']:.1%}, {each['high']:.1%}]"
        print(f"{label:<60} {each['hits']:>4} of {each['n']:>4}  {each['value']:>6.1%}  {interval}")


if __name__ == "__main__":
    main()
