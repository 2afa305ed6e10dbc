"""How many secrets are taken out of texts, what else is taken for one, and how long that takes (I1, I2).

Secrets of twelve shapes are made and put into the surroundings they turn up in; texts that look like secrets are made
as well (bench/secret_texts.py). Real texts without secrets come from CALLSHEET_DATA (bench/DATA.md): the clean runs of
`agentdojo`, `runbooks-moj`, `runbooks-prometheus` and `agent-skills`; `--show` prints what is found in them, with its
surroundings, to be read by eye. The peer is `detect-secrets` with all of its detectors and filters as they come, in an
environment of its own whose interpreter CALLSHEET_DETECT_SECRETS names.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))
sys.path.insert(0, str(Path(__file__).resolve().parent))

from callsheet.core.text.redact import MARK, redact, redact_json
from callsheet.lab.stats import wilson
from recordings import folder
from secret_texts import HARMLESS, SHAPES, Made, secrets

PEER = "CALLSHEET_DETECT_SECRETS"
PEER_PROGRAM = """
import json, sys, tempfile, time
from pathlib import Path
from detect_secrets.core.scan import scan_file
from detect_secrets.settings import default_settings
texts = json.load(sys.stdin)
with tempfile.TemporaryDirectory() as folder, default_settings():
    paths = [Path(folder, f"{at}.txt") for at in range(len(texts))]
    for path, text in zip(paths, texts):
        path.write_text(text, encoding="utf-8")
    begun = time.perf_counter()
    found = [len(list(scan_file(str(path)))) for path in paths]
    seconds = time.perf_counter() - begun
json.dump({"found": found, "seconds": seconds}, sys.stdout)
"""
ROUNDS = 3


def told(value: Any) -> Iterator[str]:
    """Every string of a JSON value, JSON inside strings read as well."""
    if isinstance(value, str):
        yield value
        if value[:1] == "{":
            yield from told(json.loads(value))
    for each in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from told(each)


def taken_out(made: Made) -> bool:
    """Whether nothing of a text, read as what it is, tells its secret any more."""
    if "JSON" not in made.shape:
        return MARK in (shown := redact(made.text)) and made.secret not in shown
    shown = redact_json(made.text)
    return MARK in shown and not any(made.secret in each for each in told(json.loads(shown)))


def real(data: Path) -> dict[str, list[str]]:
    """The texts of each set, without secrets as far as is known."""
    rows = [json.loads(line) for path in sorted((data / "agentdojo").glob("*.jsonl")) for line in path.open()]
    clean = [row for row in rows if row["attack"] is None]
    return {
        "agentdojo": [
            json.dumps(message["content"], ensure_ascii=False)
            for row in clean
            for message in row["messages"]
            if message["role"] == "tool"
        ],
        "runbooks": [path.read_text() for path in sorted(data.glob("runbooks-*/docs/*")) if path.is_file()],
        "skills": [path.read_text() for path in sorted((data / "agent-skills" / "skills").glob("**/SKILL.md"))],
    }


def peer(texts: list[str]) -> tuple[list[int], float] | None:
    """How much the peer finds in each text, a file to it, and its seconds; None where it is not installed."""
    python = os.environ.get(PEER)
    if not python:
        print(f"{PEER} names no interpreter with detect-secrets: no figures of the peer", file=sys.stderr)
        return None
    done = subprocess.run(
        [python, "-c", PEER_PROGRAM], input=json.dumps(texts), capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        print(done.stderr[-500:], file=sys.stderr)
        return None
    answer = json.loads(done.stdout)
    return answer["found"], answer["seconds"]


def shares(name: str, hits: list[bool], others: list[bool] | None) -> dict[str, Any]:
    low, high = wilson(sum(hits), len(hits))
    figure = {"value": round(sum(hits) / len(hits), 4), "unit": "share", "n": len(hits), "hits": sum(hits)}
    figure |= {"low": round(low, 4), "high": round(high, 4)}
    return {name: figure | ({} if others is None else {"peer": round(sum(others) / len(others), 4)})}


def of_shapes() -> dict[str, Any]:
    """The share of made secrets that are taken out, by shape; those in JSON by how they stand there."""
    made = sorted(secrets(), key=lambda each: each.shape)
    answer = peer([each.text for each in made])
    seen = None if answer is None else [found > 0 for found in answer[0]]
    ours = [taken_out(each) for each in made]
    figures: dict[str, Any] = {}
    for shape, group in groupby(range(len(made)), key=lambda at: made[at].shape):
        at = list(group)
        figures |= shares(f"found: {shape}", [ours[each] for each in at], seen and [seen[each] for each in at])
    plain = {name: each for name, each in figures.items() if name.removeprefix("found: ") in SHAPES}
    both = ("github classic", "github fine-grained"), ("aws", "aws secret")
    missed = {name.removeprefix("found: ") for name, each in plain.items() if each["hits"] < each["n"]}
    whole = len(SHAPES) - 2 - sum(1 for pair in both if missed & {*pair}) - len(missed - {*both[0], *both[1]})
    return figures | {"shapes found everywhere": {"value": whole, "unit": "shapes", "n": len(SHAPES) - 2}}


def of_harmless(data: Path | None, show: bool) -> dict[str, Any]:
    """How many texts without a secret lose something, made ones by kind and real ones by set."""
    sets: dict[str, Iterable[str]] = {**{f"false: {name}": texts for name, texts in HARMLESS.items()}}
    sets |= {f"taken out of: {name}": texts for name, texts in (real(data) if data else {}).items()}
    figures = {}
    for name, group in sets.items():
        texts = list(group)
        answer = peer(texts)
        changed = [redact(text) for text in texts]
        found = [at for at, text in enumerate(texts) if changed[at] != text]
        figures[name] = {"value": len(found), "unit": "texts", "n": len(texts)}
        if answer is not None:
            figures[name]["peer"] = sum(map(bool, answer[0]))
        for at in found if show else ():
            for each in re.finditer(re.escape(MARK), changed[at]):
                print(f"{name}: …{changed[at][max(0, each.start() - 90) : each.end() + 30]!r}", file=sys.stderr)
    return figures


def of_time(data: Path) -> dict[str, Any]:
    """Seconds per megabyte of the real texts, the best of a few rounds."""
    texts = [text for group in real(data).values() for text in group]
    size = sum(map(len, texts)) / 1_000_000
    rounds = []
    for _ in range(ROUNDS):
        begun = time.perf_counter()
        for text in texts:
            redact(text)
        rounds.append(time.perf_counter() - begun)
    figure = {"value": round(min(rounds) / size, 4), "unit": "s/MB", "n": len(texts), "megabytes": round(size, 2)}
    if (answer := peer(texts)) is not None:
        figure |= {"peer": round(answer[1] / size, 4), "ratio": round(min(rounds) / answer[1], 4)}
    return {"time": figure}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument("--show", action="store_true", help="print what was taken out of texts without secrets")
    options = parser.parse_args()
    data = folder("agentdojo", "runbooks-moj", "runbooks-prometheus", "agent-skills")
    figures = of_shapes() | of_harmless(data, options.show) | (of_time(data) if data else {})
    if options.json:
        print(json.dumps({"bench": "redaction", "figures": figures}))
        return
    for name, each in figures.items():
        beside = f"   peer {each['peer']}" if "peer" in each else ""
        print(f"{name:<58} {each['value']:>8} {each['unit']} of {each['n']}{beside}")


if __name__ == "__main__":
    main()
