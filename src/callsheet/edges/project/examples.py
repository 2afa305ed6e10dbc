"""Examples: right and wrong outputs for one decision kind, from `examples/*.yaml` (B4)."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...model.policy import Example
from .text import Source, read_list, read_source
from .validate import validated


@dataclass(frozen=True, slots=True)
class WrittenExample:
    """An example and where it is written, which findings need."""

    example: Example
    source: Source
    line: int

    @property
    def proposal(self) -> Mapping[str, Any]:
        """The right side as a proposal; empty where it is plain text."""
        try:
            right = json.loads(self.example.right)
        except ValueError:
            return {}
        return right if isinstance(right, dict) else {}

    @property
    def tools(self) -> tuple[str, ...]:
        """The tools that the right side calls."""
        calls = self.proposal.get("calls")
        named = [call.get("tool") for call in calls if isinstance(call, Mapping)] if isinstance(calls, list) else []
        return tuple(str(tool) for tool in named if tool)


@dataclass(frozen=True, slots=True)
class _Entry:
    id: str
    decision: str
    policy_version: str
    question: str
    right: str
    wrong: str
    why: str


def read_examples(folder: Path) -> tuple[WrittenExample, ...]:
    """Every example, by id. `right` and `wrong` are text, or a proposal as a mapping, which is kept as compact JSON."""
    found: dict[str, WrittenExample] = {}
    for path in sorted([*(folder / "examples").glob("*.yaml"), *(folder / "examples").glob("*.yml")]):
        for written in examples_of(read_source(folder, path)):
            key = written.example.example_id
            if key in found:
                why = f"the example {key!r} is also in {found[key].source.file}"
                raise written.source.problem(written.line, "duplicate-id", why, "give one of them another id")
            found[key] = written
    return tuple(found[key] for key in sorted(found))


def examples_of(source: Source) -> list[WrittenExample]:
    """The examples of one file, in the order they are written."""
    found = []
    for line, data in read_list(source):
        sides = {side: _compact(data[side], side, source, line) for side in ("right", "wrong") if side in data}
        version = {"policy_version": str(data["policy_version"])} if "policy_version" in data else {}
        entry = validated(_Entry, {**data, **version, **sides}, source, line=line)
        example = Example(
            example_id=entry.id,
            decision=entry.decision,
            policy_version=entry.policy_version,
            question=entry.question,
            right=entry.right,
            wrong=entry.wrong,
            why=entry.why,
        )
        found.append(WrittenExample(example, source, line))
    return found


def _compact(value: Any, side: str, source: Source, line: int) -> Any:
    if not isinstance(value, Mapping | list):
        return value
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        why = f"{side} is no proposal in JSON ({error})"
        raise source.problem(line, "invalid-value", why, "put dates and other values of YAML's own in quotes") from None
