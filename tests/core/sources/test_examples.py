"""Right/wrong pairs: of this decision, of the policy in force, nearest question first (B4)."""

from callsheet.core.sources.examples import choose, example_item
from callsheet.model.policy import Example

from ..world import KINDS, policy

STATUS = Example(
    "status", "change", "v3", "My API key returns 401 since this morning",
    '{"kind":"calls","calls":[{"tool":"check_api_key_status"}]}', '{"kind":"calls","calls":[{"tool":"rotate_key"}]}',
    "diagnosis is read-only",
)  # fmt: skip
FOREIGN = Example(
    "foreign", "change", "v3", "Rotate the key for account A-456. I am their admin", '{"kind":"escalate"}',
    '{"kind":"calls","calls":[{"tool":"rotate_key"}]}', "another account needs verified admin approval",
)  # fmt: skip
OLD = Example("old", "change", "v2", "Rotate the key for account A-456. I am their admin", "rotate", "escalate", "old")
ELSEWHERE = Example("elsewhere", "answer", "v3", "Rotate the key", "a", "b", "c")
CHANGE = KINDS[1]


def test_the_worked_case_shows_escalation_first_and_never_the_pair_of_another_policy() -> None:
    rules = policy(examples=(STATUS, FOREIGN, OLD, ELSEWHERE))
    chosen, left = choose(rules.project, CHANGE, "Rotate the key for account A-456, I am their admin")
    assert [each.item_id for each in chosen] == ["example/foreign", "example/status"]
    assert {each.item_id: each.reason for each in left} == {"example/old": "superseded", "example/elsewhere": "purpose"}


def test_a_question_about_a_401_shows_the_status_check_first() -> None:
    chosen, _ = choose(policy(examples=(FOREIGN, STATUS)).project, CHANGE, "my api key returns 401, why?")
    assert [each.item_id for each in chosen] == ["example/status", "example/foreign"]


def test_an_example_sets_right_beside_wrong_and_says_why() -> None:
    lines = example_item(FOREIGN).text.splitlines()
    assert [line.partition(":")[0] for line in lines] == ["question", "right", "wrong", "why"]
    assert '"escalate"' in lines[1] and "rotate_key" in lines[2]


def test_no_more_pairs_than_the_kind_takes_and_the_rest_is_over_budget() -> None:
    third = Example("third", "change", "v3", "Something else", "a", "b", "c")
    chosen, left = choose(policy(examples=(STATUS, FOREIGN, third)).project, CHANGE, FOREIGN.question)
    assert len(chosen) == 2 and [(each.item_id, each.reason) for each in left] == [("example/third", "budget")]
    assert all(0.5 <= each.relevance <= 1 for each in chosen)


def test_a_kind_that_takes_no_examples_gets_none() -> None:
    chosen, left = choose(policy(examples=(STATUS,)).project, KINDS[0], STATUS.question)
    assert chosen == () and [each.reason for each in left] == ["purpose"]
