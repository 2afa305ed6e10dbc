"""A long session is compacted: what was wrong, where, why, what changed, and what comes next is still there (F3)."""

from callsheet.model.history_policy import Compact, Trigger

from ..core.history.dialogue import Dialogue, compacted, count, texts

FILES = {
    "config/redis.ts": "export function createPool(url: string) {\n  return new Pool(url, { max: 20 })\n}\n",
    "services/session.service.ts": "export async function withRetry(run) {\n  return attempt(run, 3)\n}\n",
    "tests/auth.test.ts": "jest.mock('../config/redis')\n",
}
TESTS = "npm test -- tests/auth.test.ts"
OUTPUT = """FAIL tests/auth.test.ts
  ● login > answers 200 for valid credentials
    TypeError: mockRedis.duplicate is not a function
  ● login > keeps the session after a reconnect
    TypeError: mockRedis.duplicate is not a function
Tests:       2 failed, 14 passed, 16 total
"""


def log(topic: str, lines: int) -> str:
    """A tool's long output that nothing depends on."""
    return "\n".join(
        f"{topic} entry {at}: routine message without any news, all quiet in this part" for at in range(lines)
    )


def session() -> Dialogue:
    """178 messages, 89,000 tokens: a login that fails though the credentials are valid."""
    talk = Dialogue()
    talk.person("Users get 401 on POST /api/auth/login though their credentials are valid. Find out why and fix it.")
    talk.did(
        "bash",
        {"command": "curl -i -X POST localhost:3000/api/auth/login -d @valid.json"},
        'HTTP/1.1 401 Unauthorized\n{"error":"Invalid credentials","code":"AUTH_SESSION_LOST"}',
        says="Let me reproduce it first.",
    )
    talk.did("read_file", {"path": "auth.controller.ts"}, log("controller", 90))
    talk.did("read_file", {"path": "middleware/cors.ts"}, log("cors", 60))
    talk.did(
        "bash",
        {"command": "docker logs session-store | tail -50"},
        "Error: Redis connection to 10.0.0.7:6379 failed - read ECONNRESET\n" + log("redis", 80),
        error=True,
    )
    talk.model(
        "The root cause is a stale Redis connection in the session store: the session cannot be read, so that "
        "/api/auth/login answers 401 for valid credentials. I decided to use a connection pool instead of one client "
        "because a pool drops connections that went stale."
    )
    says = (
        "I'll add connection pooling to config/redis.ts.",
        "Now services/session.service.ts gets a retry with back-off.",
        "The mock in tests/auth.test.ts has to follow the pool.",
    )
    for (path, content), words in zip(FILES.items(), says, strict=True):
        talk.did("read_file", {"path": path}, log(path, 70))
        talk.did("write_file", {"path": path, "content": content}, says=words)
    talk.did("bash", {"command": TESTS}, OUTPUT, says="Let me run the tests.", error=True)
    talk.model(
        "14 tests pass, 2 fail because the mock has no duplicate(). Next I will fix the mock set-up of these two, "
        "run all tests, and deploy to staging."
    )
    talk.person("Before that, look whether any worker logged the same error.")
    at = 0
    while len(talk.entries) < 178:
        talk.did("bash", {"command": f"tail -n 100 logs/worker-{at}.log"}, log(f"worker-{at}", 54))
        at += 1
    return talk


def test_after_compaction_the_summary_answers_what_was_wrong_why_what_changed_and_what_comes_next():
    entries = session().entries
    assert len(entries) == 178
    assert 87_000 < sum(entry.weight for entry in entries) < 91_000
    view, standing = compacted(entries, Compact(Trigger("threshold", 0.75, 0.45), domain="debugging"), window=100_000)
    summary = standing.summary
    assert summary is not None and standing.covered > 40
    said = {
        line.section: [each.text for each in summary.lines if each.section == line.section] for line in summary.lines
    }
    files = {line.key: line.text for line in summary.lines if line.section in ("changed", "read")}
    assert "/api/auth/login" in summary.text and "401" in summary.text
    assert "The root cause is a stale Redis connection in the session store" in said["cause"][0]
    assert any("Error: Redis connection to 10.0.0.7:6379 failed - read ECONNRESET" in each for each in said["errors"])
    assert "created" in files["config/redis.ts"] or "changed" in files["config/redis.ts"]
    assert "createPool" in files["config/redis.ts"] and "pooling" in files["config/redis.ts"]
    assert "withRetry" in files["services/session.service.ts"] and "retry" in files["services/session.service.ts"]
    assert "mock" in files["tests/auth.test.ts"]
    assert {line.key for line in summary.lines if line.section == "read"} == {
        "auth.controller.ts",
        "middleware/cors.ts",
    }
    assert said["tests"] == [f"{TESTS}: 14 passed, 2 failed"]
    assert any("because a pool drops connections that went stale" in each for each in said["decisions"])
    assert said["next"] == ["Next I will fix the mock set-up of these two, run all tests, and deploy to staging."]
    assert "Users get 401 on POST /api/auth/login" in texts(view)
    assert view.tokens <= 45_000 and summary.tokens == count(summary.text) <= 15_000
    assert summary.tokens < 3_000
