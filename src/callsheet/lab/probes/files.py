"""Probe files: a YAML list of probes, checked as they are read (F9).

```yaml
- id: limit-before
  kind: recall                      # recall, artifact, continuation, decision, source, approval
  at: 0                             # before which round it is asked; 0: at the end
  expected: [384]                   # all of them; a list in the list holds spellings of one value
  neighbours: [348, 438]            # optional: what else looks like the answer in the window is found by code
  fact: "hold-store, north: 384"    # optional: what alone answers it; else the lines of the transcript that hold it
  phrasings:                        # six
    - What was the limit of hold-store in north?
```
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...edges.project.text import Source, read_list, read_source
from ...edges.project.validate import validated
from ...errors import ProjectError
from .probe import PHRASINGS, Probe


def read_probes(path: Path) -> tuple[Probe, ...]:
    """The probes of a file, in file order; a ProjectError names file, line and rule."""
    source = read_source(path.parent, path)
    found: dict[str, Probe] = {}
    for line, data in read_list(source):
        probe = _probe(data, source, line)
        if probe.id in found:
            raise source.problem(line, "duplicate-id", f"a probe {probe.id!r} is there already", "give it another id")
        found[probe.id] = probe
    if not found:
        raise ProjectError(f"{path} holds no probe; write a YAML list of probes with id, kind, phrasings and expected")
    return tuple(found.values())


def _probe(data: Mapping[str, Any], source: Source, line: int) -> Probe:
    probe = validated(Probe, {key: _written(key, value) for key, value in data.items()}, source, (), line)
    if len(set(probe.phrasings)) != PHRASINGS or not all(each.strip() for each in probe.phrasings):
        why = f"probe {probe.id!r} has {len(set(probe.phrasings))} different phrasings, and needs {PHRASINGS}"
        raise source.problem(line, "invalid-value", why, "put the same question in six ways: one way alone is luck")
    if any(not spellings or not all(each.strip() for each in spellings) for spellings in probe.expected):
        why = f"probe {probe.id!r} expects an empty value"
        raise source.problem(line, "invalid-value", why, "write the value; where nothing tells it, expected is []")
    if probe.at < 0:
        why = f"probe {probe.id!r} is asked before round {probe.at}"
        raise source.problem(line, "invalid-value", why, "rounds count from 1; 0 is the end of the conversation")
    return probe


def _written(key: str, value: Any) -> Any:
    """Numbers where values stand are their text; a single value is a list of one."""
    if key == "expected":
        listed = value if isinstance(value, list) else [value]
        return [[_text(each) for each in one] if isinstance(one, list) else [_text(one)] for one in listed]
    if key == "neighbours" and isinstance(value, list):
        return [_text(each) for each in value]
    return value


def _text(value: Any) -> Any:
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else value
