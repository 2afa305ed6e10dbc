"""The estimate is an estimate by name, and errs on the side that keeps a budget."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callsheet.edges.counters.estimate import EstimateCounter

COUNTER = EstimateCounter()
EAST_ASIAN = {
    "zh": "请检查密钥的状态，然后再解释错误。客户在控制台的设置中创建新的密钥；已撤销的密钥无法恢复。",
    "ja": "鍵の状態を確認してから、エラーの原因を説明してください。お客様は設定画面で新しいキーを作成できます。",
    "ko": "오류를 설명하기 전에 키의 상태를 확인하십시오. 고객은 콘솔에서 새 키를 만들 수 있습니다.",
}
OTHERS = {
    "en": "Check the status of the key before you explain the error. A revoked key cannot be restored by anybody.",
    "de": "Bitte prüfen Sie den Status des Schlüssels, bevor Sie den Fehler erklären.",
    "ru": "Проверьте состояние ключа, прежде чем объяснять ошибку. Отозванный ключ нельзя восстановить.",
    "json": '{"account_id":"A-123","status":"revoked","revoked_at":"2026-11-28T06:12:00Z","amount":1234567.89}',
    "code": "def within(self, budget: int) -> bool:\n    return sum(item.tokens for item in self.items) <= budget\n",
}


def test_it_says_that_it_is_an_estimate() -> None:
    assert (COUNTER.name, COUNTER.exact) == ("estimate/utf8-3.6", False)


@pytest.mark.parametrize("language", EAST_ASIAN)
@pytest.mark.parametrize("encoding", ["o200k_base", "cl100k_base", "qwen3"])
def test_east_asian_text_is_never_counted_too_low(language: str, encoding: str) -> None:
    quicktok = pytest.importorskip("quicktok")
    text = EAST_ASIAN[language] * 20
    assert COUNTER.count(text) >= quicktok.get_encoding(encoding).count(text)


@pytest.mark.parametrize("kind", OTHERS)
@pytest.mark.parametrize("encoding", ["o200k_base", "cl100k_base", "qwen3"])
def test_other_text_is_at_most_a_fifth_too_low(kind: str, encoding: str) -> None:
    quicktok = pytest.importorskip("quicktok")
    text = OTHERS[kind] * 20
    assert COUNTER.count(text) >= 0.8 * quicktok.get_encoding(encoding).count(text)


@given(st.text(st.characters()), st.text(st.characters()))
def test_it_is_zero_for_nothing_alone_and_never_falls_as_text_grows(one: str, other: str) -> None:
    assert (COUNTER.count(one) == 0) == (one == "")
    assert COUNTER.count(one + other) >= max(COUNTER.count(one), COUNTER.count(other))


@given(st.lists(st.tuples(st.sampled_from(["system", "user"]), st.text())))
def test_a_prompt_costs_more_than_its_texts(messages: list[tuple[str, str]]) -> None:
    body = json.dumps({"messages": [{"role": role, "content": text} for role, text in messages]}).encode()
    assert COUNTER.count_prompt(body, "openai_chat") > sum(COUNTER.count(text) for _, text in messages)
