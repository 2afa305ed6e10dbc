"""The one list of rules: each of them is made to speak by a test of the core."""

from pathlib import Path

import pytest

from callsheet.model.verdict import RULES, Verdict

TESTS = "".join(each.read_text() for each in Path(__file__).parent.rglob("test_*.py") if each.name != "test_rules.py")


@pytest.mark.parametrize("rule", RULES)
def test_a_test_of_the_core_makes_this_rule_speak(rule: str) -> None:
    spoken = f'"{rule}"' in TESTS
    assert spoken, f"no test in tests/core names {rule}"


def test_a_verdict_names_no_rule_that_is_not_in_the_list() -> None:
    with pytest.raises(ValueError, match="not in RULES"):
        Verdict("refuse", "because", "why")
