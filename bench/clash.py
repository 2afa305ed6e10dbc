"""How often two texts that contradict each other are found to clash, and how often two that agree are (H2).

Pairs come from two sets of CALLSHEET_DATA (bench/DATA.md): `rgb-conflict`, a true passage and the same with a false
answer, and `runbooks-moj`, consecutive versions of a runbook. Pairs that agree are two true passages on a question, two
runbooks, and every text beside itself in other words (bench/rewording.py). Rules were developed on the even half of
each set (questions in the order of the file, runbooks by name); the figures are the odd half's, which was not looked
at. `--half even` shows the other.
"""

import argparse
import json
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))
sys.path.insert(0, str(Path(__file__).resolve().parent))

from callsheet.core.diagnose.patterns.clash.statements import clashes
from callsheet.lab.stats import wilson
from recordings import folder
from rewording import reworded

RECALL, FALSE = 0.9, 0.05
FRONT = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def questions(data: Path, half: int) -> Iterator[tuple[str, bool, tuple[str, ...]]]:
    """Kind of pair, whether it clashes, and its texts."""
    for row in rows(data / "rgb-conflict" / "en_fact.jsonl")[half::2]:
        true, false = row["positive"], row["positive_wrong"]
        for pair in zip(true, false, strict=False):
            yield "passage and its false version", True, pair
        for at, one in enumerate(true):
            for other in false[:at] + false[at + 1 :]:
                yield "passage and another's false version", True, (one, other)
            for text in reworded(one):
                yield "passage reworded", False, (one, text)
        yield "all passages of a question", True, (*true, *false)
        for pair in combinations(true, 2):
            yield "two true passages", False, pair


def runbooks(data: Path, half: int) -> Iterator[tuple[str, bool, tuple[str, ...]]]:
    """The same for runbooks: what changed is told by their metadata, and by lines that differ in digits alone."""
    documents: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in rows(data / "runbooks-moj" / "versions.jsonl"):
        documents[row["doc"]].append(row)
    chosen = [sorted(documents[name], key=lambda row: row["rev"]) for name in sorted(documents)[half::2]]
    for versions in chosen:
        for old, new in pairwise(versions):
            if any(old[key] and new[key] and old[key] != new[key] for key in ("last_reviewed_on", "review_in")):
                yield "consecutive versions", True, (old["text"], new["text"])
            one, two = (FRONT.sub("", row["text"]) for row in (old, new))
            if digits_changed(one, two):
                yield "consecutive bodies, a number changed", True, (one, two)
            elif letters(one) == letters(two):
                yield "consecutive bodies, the same words", False, (one, two)
        for text in reworded(versions[-1]["text"]):
            yield "runbook reworded", False, (versions[-1]["text"], text)
    for one_document, other in pairwise(chosen):
        yield "two runbooks", False, (one_document[-1]["text"], other[-1]["text"])


def letters(text: str) -> str:
    return re.sub(r"[\W_]+", " ", text).casefold().strip()


def digits_changed(one: str, two: str) -> bool:
    """True where a line of three words or more stands once in each text, but for its digits, and these differ."""

    def masked(text: str) -> dict[str, str | None]:
        found: dict[str, str | None] = {}
        for line in text.splitlines():
            mask = re.sub(r"\d+", "#", line.strip())
            if "#" in mask and len(re.findall(r"[A-Za-z]{2,}", mask)) >= 3:
                found[mask] = None if mask in found else line.strip()
        return found

    left, right = masked(one), masked(two)
    return any(left[mask] != right[mask] for mask in left.keys() & right.keys() if left[mask] and right[mask])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument("--half", choices=("odd", "even"), default="odd", help="odd: held out; even: developed on")
    parser.add_argument("--show", action="store_true", help="print what was missed and what was found wrongly")
    options = parser.parse_args()
    data = folder("rgb-conflict", "runbooks-moj")
    half = 1 if options.half == "odd" else 0
    counts: dict[tuple[str, str, bool], list[int]] = defaultdict(lambda: [0, 0])
    for name, pairs in (("rgb-conflict", questions), ("runbooks-moj", runbooks)) if data else ():
        for kind, clashing, texts in pairs(data, half):
            found = clashes(texts)
            counts[name, kind, clashing][0] += bool(found)
            counts[name, kind, clashing][1] += 1
            if options.show and bool(found) is not clashing:
                print(f"{kind}: {found[0] if found else [text[:400] for text in texts[:2]]}\n", file=sys.stderr)
    report(counts, options.half, as_json=options.json)


def report(counts: dict[tuple[str, str, bool], list[int]], half: str, as_json: bool) -> None:
    """Prints recall (or the share found wrongly) per kind of pair with its 95 % interval."""
    told = {}
    for (name, kind, clashing), (hits, n) in counts.items():
        low, high = wilson(hits, n)
        figure = {"value": round(hits / n, 4), "unit": "recall" if clashing else "false", "n": n, "hits": hits}
        told[f"{name}: {kind}"] = figure | {"low": round(low, 4), "high": round(high, 4)}
    for clashing, limit in ((True, RECALL), (False, FALSE)):
        for name in ("rgb-conflict", "runbooks-moj"):
            chosen = [
                counts[key] for key in counts if key[0] == name and key[2] is clashing and "another" not in key[1]
            ]
            if not chosen:
                continue
            hits, n = (sum(each) for each in zip(*chosen, strict=True))
            low, high = wilson(hits, n)
            within = hits >= limit * n if clashing else hits <= limit * n
            told[f"{name}: {'recall' if clashing else 'false on agreeing pairs'}"] = {
                "value": round(hits / n, 4), "unit": "share", "n": n, "hits": hits, "low": round(low, 4),
                "high": round(high, 4), "limit": limit, "within": within,
            }  # fmt: skip
    if as_json:
        print(json.dumps({"bench": "clash", "half": half, "figures": told}))
        return
    print(f"the {half} half of each set ({'held out' if half == 'odd' else 'developed on'})")
    for label, each in told.items():
        print(
            f"{label:<58} {each['hits']:>5} of {each['n']:>5}  {each['value']:>7.1%}"
            f"  [{each['low']:.1%}, {each['high']:.1%}]"
        )


if __name__ == "__main__":
    main()
