"""The estimate is an estimate by name, and errs on the side that keeps a budget."""

import json
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callsheet.edges.counters import estimate
from callsheet.edges.counters.estimate import CalibratedCounter, Calibration, EstimateCounter, O200kCounter, calibrate
from callsheet.edges.counters.qwen import QwenCounter
from callsheet.errors import UsageError

from .bodies import BODIES

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
    assert COUNTER.count_prompt(b"{}", "openai_chat").basis == "estimate/utf8-3.6 (estimate)"


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
    assert COUNTER.count_prompt(body, "openai_chat").tokens > sum(COUNTER.count(text) for _, text in messages)


@pytest.mark.parametrize("dialect", BODIES)
def test_a_request_of_any_dialect_is_estimated_near_its_exact_count(dialect: str) -> None:
    pytest.importorskip("quicktok")
    exact, random = QwenCounter(), Random(3)
    written = [json.dumps(BODIES[dialect](random)).encode() for _ in range(100)]
    pairs = [(COUNTER.count_prompt(body, dialect).tokens, exact.count_prompt(body, dialect).tokens) for body in written]
    assert 0.5 < calibrate(pairs).factor < 1.5


@given(st.floats(0.3, 3), st.lists(st.integers(100, 10_000), min_size=3, max_size=50), st.data())
def test_a_calibration_is_the_models_own_factor_however_wrong_a_few_reports_are(
    factor: float, estimated: list[int], data: st.DataObject
) -> None:
    honest = [(each, factor * each) for each in estimated]
    wrong = data.draw(st.lists(st.tuples(st.integers(1, 10**6), st.integers(1, 10**6)), max_size=len(honest) - 1))
    assert calibrate([*honest, *wrong]).factor == pytest.approx(factor)
    assert calibrate([*honest, (0, 7), (7, 0)]).reports == len(honest)


def test_a_calibrated_estimate_says_its_factor_and_its_reports() -> None:
    counter = CalibratedCounter(COUNTER, calibrate([(100, 121), (200, 242), (10, 99)]))
    assert counter.name == "estimate/utf8-3.6*1.21 (n=3)"
    assert CalibratedCounter(COUNTER, Calibration(1.21)).name == "estimate/utf8-3.6*1.21"
    assert counter.count("x" * 360) == 121
    assert (counter.count(""), counter.count("x")) == (0, 2)
    body = b'{"messages":[{"role":"user","content":"' + b"x" * 360 + b'"}]}'
    counted, plain = (each.count_prompt(body, "openai_chat") for each in (counter, COUNTER))
    assert counted.tokens == round(1.21 * plain.tokens + 0.5)
    assert counted.basis == "estimate/utf8-3.6*1.21 (n=3) (estimate)"


def test_without_reports_nothing_is_changed() -> None:
    assert calibrate([]) == Calibration(1.0, 0)


def test_o200k_counts_texts_as_its_tokenizer_and_the_request_as_an_estimate() -> None:
    quicktok = pytest.importorskip("quicktok")
    counter, text = O200kCounter(), "Prüfe den Schlüssel <|endoftext|> \ud800"
    assert counter.count_prompt(b"{}", "openai_chat").basis == "o200k (estimate)"
    assert counter.count(text) == quicktok.get_encoding("o200k_base").count(text.replace("\ud800", "\ufffd"))


def test_a_missing_o200k_tokenizer_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(estimate, "TOKENIZER", "no_such_tokenizer")
    with pytest.raises(UsageError, match=r"pip install 'callsheet\[embedded\]'"):
        O200kCounter()
