"""Which fix comes first: by damage, not by how often something is seen."""

from hypothesis import given
from hypothesis import strategies as st

from callsheet.core.diagnose.fixes import BY_DAMAGE, first_fixes
from callsheet.model.diagnosis import Finding, Missing, Pattern


def finding(pattern: Pattern, turn: int = 1, rule: str = "rule", missing: Missing = "evidence") -> Finding:
    return Finding(pattern, turn, (), f"fix {pattern} {turn}", "", missing, rule=rule)


def test_a_clash_comes_before_many_loops_and_cache_work_comes_last() -> None:
    found = [finding("cache"), *[finding("loop")] * 9, finding("clash")]
    assert [(fix.pattern, fix.findings) for fix in first_fixes(found)] == [("clash", 1), ("loop", 9), ("cache", 1)]


def test_what_lets_a_foreign_text_have_a_say_comes_before_everything() -> None:
    found = [finding("poisoning"), finding("confusion", missing="authority")]
    assert [fix.pattern for fix in first_fixes(found)] == ["confusion", "poisoning"]


def test_findings_of_one_rule_are_one_fix_which_is_that_of_the_first() -> None:
    (fix,) = first_fixes([finding("stall", 3), finding("stall", 8)])
    assert (fix.fix, fix.turn, fix.findings) == ("fix stall 3", 3, 2)


def test_rules_with_the_same_fix_share_it() -> None:
    (fix,) = first_fixes([finding("cache", 3, "one"), finding("cache", 3, "other")])
    assert (fix.rule, fix.findings) == ("one", 2)


@given(st.lists(st.builds(finding, st.sampled_from(BY_DAMAGE), st.integers(1, 9), st.sampled_from("ab"))))
def test_every_finding_is_in_exactly_one_fix(found: list[Finding]) -> None:
    fixes = first_fixes(found)
    assert sum(fix.findings for fix in fixes) == len(found)
    assert {fix.pattern for fix in fixes} == {each.pattern for each in found}
    assert len({(fix.pattern, fix.fix) for fix in fixes}) == len(fixes)
