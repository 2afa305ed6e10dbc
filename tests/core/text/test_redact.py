"""Secrets out of every text, and nothing else with them (I1, invariant 7)."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callsheet.core.text.redact import MARK, PATTERNS, redact, redact_json, redact_value

TAIL = "Zq7Vb2Nf8Xw4Lm1Rt6Yc3Hd9"
SECRETS = [
    ("private-key", "-----BEGIN RSA PRIVATE KEY-----\nMIIE" + TAIL + "\n-----END RSA PRIVATE KEY-----"),
    ("private-key", "-----BEGIN OPENSSH PRIVATE KEY-----\nb3Blb" + TAIL),
    ("json-web-token", f"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.{TAIL}"),
    ("api-key", f"sk_live_{TAIL}"),
    ("api-key", f"sk-proj-{TAIL}"),
    ("api-key", f"sk-ant-api03-{TAIL}"),
    ("api-key", f"rk_test_{TAIL}"),
    ("access-key", "AKIAIOSFODNN7EXAMPLE"),
    ("token", f"ghp_{TAIL}"),
    ("token", f"github_pat_{TAIL}"),
    ("token", f"xoxb-12345-{TAIL}"),
    ("token", f"glpat-{TAIL}"),
    ("token", f"hf_{TAIL}"),
    ("token", f"dop_v1_{TAIL}"),
    ("token", f"whsec_{TAIL}"),
    ("token", f"GOCSPX-{TAIL}"),
    ("token", f"xapp-1-{TAIL}"),
    ("token", f"ya29.{TAIL}"),
    ("token", f"hvs.{TAIL}"),
    ("token", "123456789:AA" + TAIL[:1] * 33),
    ("google-key", "AIza" + TAIL + "abcdefghijk"),
    ("secret-key", f"{TAIL}/K7MDENG+bPxRfiC"),
    ("basic", f"{TAIL}=="),
    ("bearer", f"{TAIL}/+=="),
    ("url-password", "admin:hunter22"),
    ("url-password", ":hunter22"),
    ("password", "hunter22"),
    ("credential", "hunter22"),
]
AROUND = {
    "secret-key": "The aws pair has {} as its secret half.",
    "basic": "Authorization: Basic {}",
    "bearer": "Authorization: Bearer {}",
    "url-password": "postgres://{}@db.example/app",
    "password": "password: {}",
    "credential": "curl -u admin:{} https://api.example",
}


@pytest.mark.parametrize(("name", "secret"), SECRETS)
def test_a_secret_of_each_class_is_taken_out_and_its_class_stands_there(name: str, secret: str) -> None:
    shown = redact(AROUND.get(name, "It is {} today.").format(secret))
    assert secret not in shown and f"{MARK}{name}]" in shown


def test_every_class_has_a_positive() -> None:
    assert {name for name, _ in PATTERNS} == {name for name, _ in SECRETS}


@pytest.mark.parametrize(
    "text",
    [
        "password=hunter22", "PASSWORD = hunter22", 'password: "hunter22"', '{"password": "hunter22"}',
        "Passwort: geheim1", "hasło: tajne123", "client_secret=abcdefgh", "api_key: 9f8a7b6c",
        "DB_PASSWORD=correcthorse",
        r'{\"password\": \"hunter22\"}', "refresh_token=hunter22", "userPassword: 'hunter22'",
    ],
)  # fmt: skip
def test_a_value_given_under_a_secrets_name_is_taken_out_and_the_name_stays(text: str) -> None:
    shown = redact(text)
    secrets = ("hunter22", "geheim1", "tajne123", "abcdefgh", "9f8a7b6c", "correcthorse")
    assert f"{MARK}password]" in shown and not any(secret in shown for secret in secrets)
    assert shown.count('"') == text.count('"') and shown[:4] == text[:4]


@pytest.mark.parametrize(
    "text",
    [
        "runbook/api-keys@v7#revoked-keys", "runbook/sk-and-pk-keys@v7#rotation-of-2026-keys",
        "20261129-233611-9f8a7b6c.2", "toolrun://20261129-233611-9f8a7b6c.2/1", "b2:9f8a7b6c5d4e3f2a1b0c9d8e7f6a5b4c",
        "pk_customer_orders_2024_index",
        "task-2026-11-29-restart-service", "risk_assessment_2026_final_version", "npm_config_registry_timeout_setting",
        "hf_model_download_timeout_setting", "rotate_key(api_key: string, password: string) -> status",
        "Das Passwort wurde gestern geändert; bitte melden Sie sich neu an.", "Ihr Passwort: bitte nie weitergeben.",
        "Hasło należy zmienić co 90 dni.", "Hasło: proszę nikomu nie podawać.", "Nowy sekret: rozmowa pomaga.",
        "Password: required. Secret: optional.", "Bearer authentication-by-token-exchange is on.",
        "basic bearer of news", "https://user@example.org/path?q=1", "https://example.org:8080/a@b",
        "A key's secret is that it is short.",
        "f47ac10b-58cc-4372-a567-0e02b2c3d479", "com.example.internal.service.authentication.TokenProvider2Factory",
        "SELECT secret_id FROM api_keys WHERE password IS NULL", "The ask-me-anything-2026-session-notes",
    ],
)  # fmt: skip
def test_identifiers_hashes_code_and_prose_stay_as_they_are(text: str) -> None:
    assert redact(text) == text


@given(
    st.lists(st.sampled_from([AROUND.get(n, " {} ").format(s) for n, s in SECRETS]) | st.text(max_size=9)).map("".join)
)
def test_redacting_twice_changes_nothing_more(text: str) -> None:
    assert redact(redact(text)) == redact(text)


@given(
    st.lists(st.sampled_from(["x password=abc'12345", "y", 'say "no"', "tab\t", "postgres://a:b@c", "ż"]), max_size=4)
)
def test_a_redacted_json_text_stays_json(parts: list[str]) -> None:
    whole = json.dumps({"answer": " ".join(parts), "inner": json.dumps({"password": "hunter22 x"})})
    assert set(json.loads(redact(whole))) == {"answer", "inner"}


@pytest.mark.parametrize(
    "piece", ["secret:", "sk-", "-eyJ", "bearer ", "://", "password ", "AKIA", "-----BEGIN PRIVATE"]
)
def test_no_text_makes_the_search_for_secrets_slow(piece: str) -> None:
    assert redact(piece * 20_000) == piece * 20_000


def test_a_value_is_redacted_at_any_depth_by_its_text_and_by_its_name() -> None:
    held: Any = {
        "user": "ada",
        "rows": [{"api_key": "k-1", "note": f"sk_live_{TAIL}"}],
        "password": "x",
        "n": 3,
        "on": True,
    }
    assert redact_value(held) == {
        "user": "ada",
        "rows": [{"api_key": "[redacted:password]", "note": "[redacted:api-key]"}],
        "password": "[redacted:password]",
        "n": 3,
        "on": True,
    }
    assert redact_value({"api_key_status": "active", "secrets": ["a"], "password": ""}) == {
        "api_key_status": "active", "secrets": ["a"], "password": "",
    }  # fmt: skip


def test_a_secret_that_is_the_name_of_a_field_is_taken_out_too() -> None:
    key = "sk_live_Zq7Vb2Nf8Xw4Lm1Rt6Yc3Hd9"
    assert key not in repr(redact_value({key: {key: 1}}))


def test_a_secret_spelled_with_escapes_in_json_inside_json_is_found() -> None:
    inner = '{"note": "\\u0073k_live_Zq7Vb2Nf8Xw4Lm1Rt6Yc3Hd9"}'
    clean = json.loads(json.loads(redact_json(json.dumps({"said": inner})))["said"])
    assert clean == {"note": "[redacted:api-key]"}


@pytest.mark.parametrize(
    "text",
    [
        "mysql --password {} -u root", "tool --client-secret '{}'", "machine git.example login ada password {}",
        '<add key="password" value="{}"/>', "ALTER USER ada WITH PASSWORD '{}';", "IDENTIFIED BY '{}'",
        "curl -s -u ada:{} https://api.example/v1", 'curl --user "ada:{}" https://api.example/v1',
    ],
)  # fmt: skip
def test_a_password_that_a_command_or_a_file_gives_without_a_sign_is_taken_out(text: str) -> None:
    assert redact(text.format("kT7vQx2mZp9W")) == text.format("[redacted:credential]")


@pytest.mark.parametrize("text", ["docker run -u 1000:1000 curl --version", "curl --user-agent x:y12345", "login page"])
def test_an_option_that_gives_no_password_stays(text: str) -> None:
    assert redact(text) == text
