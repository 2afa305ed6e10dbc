"""What a model as a judge adds to the rules, with the embedded 0.5B model: of sufficiency, and of claims (B7).

A held-out sample of `clapnq` (CALLSHEET_DATA, bench/DATA.md): of the odd half, questions with their own passage, every
other one unanswerable, and claims of answers, every other one changed (a number, a name, a negation; bench/claims.py).
Each is judged by the rule alone, with the threshold of the even half, and by the rule with the model beside it, as
core/judging.py lets it. The model's replies are kept on file (judging.answers.jsonl), each under the hash of what it
was asked: with `--on-file` only what is there is counted.

python bench/judging.py --questions 60 --claims 60
"""

import argparse
import json
import random
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))
sys.path.insert(0, str(Path(__file__).resolve().parent))

from abstention import clapnq, threshold
from answering import answering
from callsheet.core.gate.claims import bind
from callsheet.core.gate.judge import ruled, whether_answered, whether_supported
from callsheet.core.judging import around, as_ruled
from callsheet.core.render.dialects import render
from callsheet.core.retrieval.sufficiency import sufficiency
from callsheet.lab.probes.ask import address, ask
from callsheet.lab.stats import wilson
from callsheet.model.judgement import Judgement
from callsheet.model.message import Usage
from callsheet.model.policy import ModelProfile
from callsheet.model.prompt import Prompt
from claims import _NAME as NAME
from claims import claims, ground, name_changed, negated, number_changed
from recordings import folder

FILE = Path(__file__).with_name("judging.answers.jsonl")
PROFILE = ModelProfile("Qwen2.5-Coder-0.5B-Instruct", "openai_chat", window=8_192, max_output=64, counter="qwen")
Asking = Callable[[Prompt, int], Judgement | None]


@dataclass(frozen=True)
class Row:
    """One thing judged: whether it should pass, whether the rule lets it, the ruling, and whether both together do."""

    true: bool
    rule: bool
    ruling: str
    both: bool


def questions(data: Path, most: int, asking: Asking) -> Iterator[Row]:
    """Questions of the held-out half, half of them unanswerable; what the rule refuses is not put to the judge."""
    cases = list(clapnq(data, None))
    worth = [sufficiency(each.question, each.evidence).value for each in cases if each.even and each.answerable]
    least = threshold(worth, 0.1)
    chance = random.Random(7)
    kinds = [
        chance.sample([c for c in cases if not c.even and c.answerable is wanted], most // 2)
        for wanted in (True, False)
    ]
    for case in (each for pair in zip(*kinds, strict=True) for each in pair):
        texts = [f"{each.heading}: {each.text}" for each in case.evidence]
        enough = sufficiency(case.question, case.evidence).value >= least
        told = asking(whether_answered(case.question, texts, PROFILE), len(texts)) if texts else Judgement("no")
        if told is not None:
            yield Row(case.answerable, enough, told.ruling or "", enough and told.ruling != "no")


def statements(data: Path, most: int, asking: Asking) -> Iterator[Row]:
    """Claims of answers of the held-out half, every other one changed."""
    lines = (data / "clapnq" / "dev_answerable.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines][1::2]
    chance = random.Random(7)
    made = 0
    for row in chance.sample(rows, len(rows)):
        own = ground(row)
        said = [text for kind, text in claims(row) if kind == "answer"]
        changes = [number_changed, name_changed(NAME.findall(own.text)), negated]
        text = chance.choice(said) if said else ""
        if made % 2 and text:
            text = next((new for change in chance.sample(changes, 3) if (new := change(text, chance))), "")
        bound = bind(text, [own], row["input"])
        if len(bound) != 1 or not bound[0].source:
            continue
        (claim,) = bound
        places = around(own, claim)
        texts = [own.about, *(own.text[start:end] for start, end in places)]
        told = asking(whether_supported(claim.text, texts, PROFILE), len(texts))
        made += 1
        if made > most:
            return
        if told is None:
            continue
        both = as_ruled(claim, told, own, places) if claim.supported or claim.undecided else claim
        yield Row(made % 2 == 1, claim.supported, told.ruling or "", both.supported)


def kept(model: Any, on_file: dict[str, str]) -> Asking:
    """Asks the model what is not on file, and files what it says; without a model there is none to ask."""

    def asking(prompt: Prompt, texts: int) -> Judgement | None:
        body = render(prompt, PROFILE.dialect, frozenset()).body
        key = address(body)
        if key not in on_file and model is None:
            return None
        if key not in on_file:
            said = ask(model, body)
            on_file[key] = said.text
            with FILE.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"asked": key, "text": said.text, "seconds": round(said.seconds, 1)}) + "\n")
        return ruled(on_file[key], texts, Usage())

    return asking


def figures(name: str, rows: Sequence[Row]) -> dict[str, Any]:
    told = {}
    for wanted, kind in ((True, "kept of what is right"), (False, "let through of what is wrong")):
        own = [each for each in rows if each.true is wanted]
        by = {
            "rule": [each.rule for each in own],
            "model alone": [each.ruling == "yes" for each in own],
            "rule and model": [each.both for each in own],
        }
        for who, hits in by.items():
            low, high = wilson(sum(hits), len(hits))
            told[f"{name}: {kind}, {who}"] = {
                "value": round(sum(hits) / max(len(hits), 1), 4), "unit": "share", "n": len(hits),
                "low": round(low, 4), "high": round(high, 4),
            }  # fmt: skip
    silent = sum(not each.ruling for each in rows)
    return {**told, f"{name}: no ruling": {"value": silent, "unit": "count", "n": len(rows)}}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument("--on-file", action="store_true", help="ask nobody: replies on file alone")
    parser.add_argument("--questions", type=int, default=60, help="how many, half of them unanswerable")
    parser.add_argument("--claims", type=int, default=60, help="how many, half of them changed")
    options = parser.parse_args()
    data = folder("clapnq")
    found: dict[str, Any] = {}
    lines = FILE.read_text(encoding="utf-8").splitlines() if FILE.exists() else []
    on_file = {row["asked"]: row["text"] for row in map(json.loads, lines)}
    with closing(answering(PROFILE, None, options.on_file)) as model:
        asking = kept(None if options.on_file else model, on_file)
        if data is not None:
            found |= figures("claims", list(statements(data, options.claims, asking)))
            found |= figures("sufficiency", list(questions(data, options.questions, asking)))
    if options.json:
        print(json.dumps({"bench": "judging", "figures": found}))
        return
    for label, each in found.items():
        shown = (
            f"{each['value']:>6.1%}  [{each['low']:.1%}, {each['high']:.1%}]"
            if "low" in each
            else f"{each['value']:>6}"
        )
        print(f"{label:<60} {shown}  of {each['n']}")


if __name__ == "__main__":
    main()
