"""What single rows of Claude Code's logs say: who wrote them, which response they belong to, what is noted beside."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ....core.history.recorded.speakers import speaker_of as speaker_of_form
from ....model.message import Message, ResultBlock, Role
from ....model.transcript import Speaker
from ..format import Sample
from ..shared.rows import anthropic_blocks, mapping, text

NOTICES = frozenset(
    "summary file-history-snapshot queue-operation custom-title ai-title agent-name agent-color agent-setting"
    " permission-mode mode pr-link last-prompt bridge-session frame-link worktree-state relocated started"
    " atis-latch tag task-summary attribution-snapshot content-replacement speculation-accept"
    " auth_status control_cancel_request control_request control_response env_manager_log keep_alive prompt_suggestion"
    " rate_limit_event tool_progress tool_use_summary".split()
)
"""Row types that are no part of a conversation."""
TITLES: Mapping[str, str] = {"custom-title": "customTitle", "ai-title": "aiTitle", "summary": "summary"}
PEOPLE = frozenset(("human", "user", "cli"))
FAILED = "Error: Exit code "
AGENT = "agentType"


@dataclass(slots=True)
class Thread:
    """A conversation under way: the messages in its window, where its latest round begins, which window it is."""

    name: str
    length: int = 0
    round: int = 0
    window: int = 0
    linked: bool = False
    summarised: bool = True


@dataclass(frozen=True, slots=True)
class Place:
    """Where a row stands: its conversation, the window of it, and how many messages its chain has there."""

    thread: Thread
    window: int
    messages: int


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a conversation, with the place of what it hangs on."""

    index: int
    value: Mapping[str, Any]
    place: Place
    common: Mapping[str, Any] = field(default_factory=dict)
    size: int = 0

    @property
    def thread(self) -> Thread:
        """The conversation it belongs to."""
        return self.place.thread


def refuses(sample: Sample) -> str:
    """Why this is no Claude Code log, "" where it is one."""
    if sample.shape == "object":
        return "" if AGENT in sample.members else "it is one JSON object, not a row per line"
    if sample.shape != "lines":
        return "it is one JSON list, not a row per line"
    if any(isinstance(each, dict) and _is_row(each) for each in sample.records):
        return ""
    return "no row has a type of its own with a sessionId and a message, or a leafUuid"


def _is_row(row: Mapping[str, Any]) -> bool:
    kind = row.get("type")
    if kind in ("user", "assistant"):
        message = row.get("message")
        linked = "sessionId" in row or "parentUuid" in row or "parent_tool_use_id" in row
        return isinstance(message, dict) and "content" in message and linked
    if kind == "summary":
        return "leafUuid" in row
    if kind == "system" and "session_id" in row and "tools" in row:
        return row.get("subtype") == "init"
    return kind in ("system", "attachment", "progress") and "parentUuid" in row and "sessionId" in row


def type_of(row: Mapping[str, Any]) -> str:
    """The row's own name of its type, with its subtype."""
    kind = text(row.get("type"))
    within = row.get("subtype") if kind == "system" else mapping(row.get("attachment")).get("type")
    return f"{kind}/{within}" if isinstance(within, str) else kind


def identity_of(row: Mapping[str, Any]) -> tuple[str, Any]:
    """The id of a row, "" where it has none, and what a copy of it says as well, in whichever session it stands."""
    message = mapping(row.get("message"))
    content = message.get("content")
    first = mapping(content[0]) if isinstance(content, list) and content else {}
    name = text(row.get("uuid")) or text(message.get("id")) or text(first.get("tool_use_id"))
    return name, {key: value for key, value in row.items() if key not in ("sessionId", "session_id")}


def message_of(role: Role, raw: Mapping[str, Any]) -> Message:
    """The message of a row; what the API says beside its content is kept as it is."""
    content = raw["content"]
    native = {key: value for key, value in raw.items() if key not in ("role", "content", "usage")}
    return Message(role, anthropic_blocks(content), "text" if isinstance(content, str) else "blocks", native=native)


def response_of(row: Mapping[str, Any], index: int) -> str:
    """The response a row is a part of: rows of one response share the API's message id."""
    message = row["message"]
    return text(message.get("id")) or text(row.get("requestId")) or text(row.get("uuid")) or str(index)


def speaker_of(row: Mapping[str, Any], message: Message) -> Speaker:
    """Who wrote a row of the role user."""
    if row.get("isCompactSummary"):
        return "summary"
    said = speaker_of_form(message)
    if said == "tool":
        return "tool"
    origin = mapping(row.get("origin")).get("kind", "human")
    return "harness" if row.get("isMeta") or origin not in PEOPLE or said == "harness" else "person"


def facts_of(row: Mapping[str, Any], message: Message) -> dict[str, Any]:
    """The harness's own result beside the API's, by call, and a command's exit code where it shows."""
    if "toolUseResult" not in row:
        return {}
    given = row["toolUseResult"]
    calls = [each.call_id for each in message.blocks if isinstance(each, ResultBlock)]
    facts: dict[str, Any] = {"results": {calls[0]: given}} if calls and calls[0] else {}
    code = _exit_code(given)
    return facts if code is None else {**facts, "exit_code": code}


def _exit_code(given: Any) -> int | None:
    """A command that fails comes back as an error text that names its code; one that succeeds has its output apart."""
    if isinstance(given, str) and given.startswith(FAILED):
        digits = given[len(FAILED) : len(FAILED) + 4].split("\n")[0].strip()
        return int(digits) if digits.isdecimal() else None
    ran = mapping(given)
    unclear = ("interrupted", "backgroundTaskId", "returnCodeInterpretation", "is_error")
    return 0 if "stdout" in ran and not any(ran.get(key) for key in unclear) else None


def error_of(row: Mapping[str, Any]) -> str:
    """What went wrong with a request, in the API's words: errors are nested as deep as it passed them on."""
    error: Any = row.get("error")
    status = mapping(error).get("status")
    while isinstance(error, Mapping):
        error = error.get("error") or error.get("message") or error.get("formatted") or error.get("cause") or ""
    return text(error) or (f"status {status}" if status else "unknown")
