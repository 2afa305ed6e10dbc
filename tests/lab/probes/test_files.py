"""Probe files are checked as they are read, and what is wrong is named with its line and the way out."""

from pathlib import Path

import pytest

from callsheet.errors import ProjectError
from callsheet.lab.probes.files import read_probes

SIX = "phrasings: [Which, What, Name it, Say it, Tell me, Was it]"
GOOD = f"""
- id: limit
  kind: recall
  at: 40
  expected: [384, [hold-store, hold store]]
  neighbours: [348]
  {SIX}
- id: none
  kind: approval
  expected: []
  {SIX}
"""


def read(tmp_path: Path, text: str) -> object:
    (tmp_path / "probes.yaml").write_text(text, encoding="utf-8")
    return read_probes(tmp_path / "probes.yaml")


def test_probes_are_read_with_numbers_as_their_text(tmp_path: Path) -> None:
    (tmp_path / "probes.yaml").write_text(GOOD, encoding="utf-8")
    limit, none = read_probes(tmp_path / "probes.yaml")

    assert limit.expected == (("384",), ("hold-store", "hold store"))
    assert (limit.at, limit.neighbours, limit.counts_for) == (40, ("348",), ("accuracy",))
    assert (none.expected, none.counts_for) == ((), ("context awareness",))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (GOOD.replace("id: none", "id: limit"), "probes.yaml:8.*'limit' is there already"),
        (GOOD.replace("Was it", "Which"), "has 5 different phrasings, and needs 6"),
        (GOOD.replace("kind: recall", "kind: memory"), "kind = 'memory' is not valid"),
        (GOOD.replace("at: 40", "when: 40"), "when is not a known key"),
        (GOOD.replace("at: 40", "at: -1"), "before round -1"),
        (GOOD.replace("[384,", "['',"), "expects an empty value"),
        ("", "holds no probe"),
        ("- 3", "not a mapping"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(ProjectError, match=said):
        read(tmp_path, text)
