"""A small made-up world: a support project, a session, items, and an outside that answers from a script."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import settings

from callsheet.core.assembly.assemble import assemble
from callsheet.core.plan import plan
from callsheet.core.render.texts import said
from callsheet.core.sources.examples import example_item
from callsheet.core.sources.instructions import BOUNDARY, kind_item, section_item
from callsheet.core.sources.knowledge import evidence_item
from callsheet.core.sources.memory import memory_item
from callsheet.core.sources.state import state_item, value_item
from callsheet.core.sources.tools import tool_item
from callsheet.drive.items import Items
from callsheet.model.effect import (
    Call,
    Consult,
    Consulted,
    Effect,
    Execute,
    Found,
    Gather,
    Intend,
    Intent,
    Outage,
    Record,
)
from callsheet.model.evidence import Evidence
from callsheet.model.item import ContextItem
from callsheet.model.manifest import WorkingSet
from callsheet.model.memory import MemoryRecord
from callsheet.model.message import Reply
from callsheet.model.policy import DecisionKind, Example, ModelProfile, Policy, Project, Section
from callsheet.model.prompt import Counted
from callsheet.model.request import RequestContext
from callsheet.model.task import Approval, Task, TaskState, Value
from callsheet.model.tool import Condition, RawResult, ToolContract

NOW = datetime(2026, 11, 29, 12, tzinfo=UTC)
DAY = timedelta(days=1)
QUESTION = "Why is my API key not working?"
TASK = Task(QUESTION, "run")
FEW = settings(max_examples=50)
"""For properties that build whole requests."""


class Words:
    """A counter for tests: one token a word."""

    name = "words"

    def count(self, text: str) -> int:
        return len(text.split())

    def count_prompt(self, body: bytes, dialect: str) -> Counted:
        what = said(body)
        return Counted(4 * what.messages + sum(map(self.count, what.texts)), "words (exact)")


def measured(item: ContextItem) -> ContextItem:
    return Items(Words()).measured(item)


def session(**changes: Any) -> RequestContext:
    return replace(RequestContext("acme", "customer:u1", "u1", now=NOW, grants=("keys:rotate",)), **changes)


def tool(name: str, effects: str = "read", *fields: str, **changes: Any) -> ToolContract:
    schema = {
        "type": "object",
        "properties": {each: {"type": "string"} for each in fields},
        "required": list(fields),
        "additionalProperties": False,
    }
    return ToolContract(name, f"Does {name}.", schema, effects=effects, **changes)  # type: ignore[arg-type]


OWN_ACCOUNT = Condition("owned", "account_id", ("account",))
CHECK = tool(
    "check_key",
    "read",
    "account_id",
    preconditions=(OWN_ACCOUNT,),
    postconditions=(Condition("one_of", "status", ("active", "revoked")),),
    output_schema={"properties": {"status": {}, "reason": {}}},
    decisive=("status",),
)
ROTATE = tool(
    "rotate_key",
    "irreversible",
    "account_id",
    authority=("account_id",),
    preconditions=(OWN_ACCOUNT,),
    scope="keys:rotate",
    confirm=True,
    reserved_words=("rotat", "rotier", "rotacj", "obróć"),
    offer="Rotating a key is a separate action.",
)
DELETE = tool(
    "delete_key", "irreversible", "account_id", scope="keys:delete", reserved_words=("delet", "lösch", "usuń")
)
SECTIONS = (
    Section("role", "role", "v1", "You are the support assistant."),
    Section("policy", "policy", "v3", "Check the status before explaining."),
    BOUNDARY,
)
KINDS = (
    DecisionKind("diagnose", "support", ("check_key",), proposals=("calls", "ask", "escalate"), then="answer"),
    DecisionKind(
        "change", "support", ("check_key", "rotate_key"), triggers=("rotate",), proposals=("calls", "escalate"),
        then="answer", examples=2,
    ),
    DecisionKind("answer", "support", cite=True, proposals=("answer", "ask", "escalate", "abstain")),
)  # fmt: skip
MODEL = ModelProfile("qwen", "openai_chat", 4_000, 400, "words", schema_in_prompt_prefix=False)
STATE = TaskState(
    goal="401 since this morning",
    phase="diagnosis",
    facts={"account_id": "A-123", "plan": "pro"},
    resources={"account": ("A-123",)},
    version=4,
)


def policy(
    kinds: Sequence[DecisionKind] = KINDS,
    tools: Sequence[ToolContract] = (CHECK, ROTATE, DELETE),
    examples: Sequence[Example] = (),
    sections: Sequence[Section] = SECTIONS,
    **changes: Any,
) -> Policy:
    project = Project(
        instructions=tuple(measured(section_item(each)) for each in sections),
        tools=tuple(measured(tool_item(each)) for each in tools),
        examples=tuple((each, measured(example_item(each))) for each in examples),
        decisions={each.name: each for each in kinds},
        entry=kinds[0].name,
        kind_instructions={each.name: measured(kind_item(each, "v3")) for each in kinds},
        policy_version="v3",
    )
    return replace(Policy(project, MODEL), **changes)


def evidence(
    evidence_id: str = "runbook/api-keys@v7#revoked-keys",
    text: str = "## Revoked keys\nA revoked key cannot be restored; create a new key.",
    tenant: str = "acme",
    **changes: Any,
) -> ContextItem:
    document, _, rest = evidence_id.partition("@")
    version, _, section = rest.partition("#")
    made = Evidence(evidence_id, tenant, document, version, section, section, text, 0, len(text), relevance=0.9, rank=1)
    return measured(evidence_item(replace(made, **changes), NOW, 0.5))


def memory(text: str = "The key was created three days ago.", **changes: Any) -> ContextItem:
    made = MemoryRecord("u1", "acme", "support", text, "system_record", record_id=changes.pop("record_id", "m1"))
    return measured(memory_item(replace(made, **changes), NOW, 0.5))


def state(held: TaskState = STATE, ctx: RequestContext | None = None) -> ContextItem:
    return measured(state_item(held, ctx or session()))


def value(name: str, text: str, version: str = "v1") -> ContextItem:
    return measured(value_item(Value(name, text, version, f"values/{name}.toml@{version}")))


def gathered(
    *items: ContextItem,
    task: Task = TASK,
    ctx: RequestContext | None = None,
    rules: Policy | None = None,
    approvals: Sequence[Approval] = (),
) -> tuple[Found | Outage, ...]:
    """What a Gather answers: state, these items, the approvals, and the drafts, measured."""
    ctx = ctx or session()
    drafts = plan(ctx, task, rules or policy()).drafts
    return (Found((state(ctx=ctx), *items), tuple(approvals)), Found(tuple(map(measured, drafts))))


def working_set(
    *items: ContextItem, task: Task = TASK, ctx: RequestContext | None = None, rules: Policy | None = None
) -> WorkingSet:
    ctx, rules = ctx or session(), rules or policy()
    found = gathered(*items, task=task, ctx=ctx, rules=rules)
    return assemble(ctx, task, rules, plan(ctx, task, rules), found)


def reply(proposal: Any) -> Reply:
    """A provider's reply whose text is this proposal, or this text."""
    text = proposal if isinstance(proposal, str) else json.dumps(proposal)
    usage = {"prompt_tokens": 100, "completion_tokens": 10}
    body = {"choices": [{"message": {"content": text}, "finish_reason": "stop"}], "usage": usage}
    return Reply(json.dumps(body).encode())


def calls(*proposed: tuple[str, Mapping[str, Any]]) -> dict[str, Any]:
    return {"kind": "calls", "calls": [{"tool": name, "arguments": dict(given)} for name, given in proposed]}


def answer(text: str, *sources: str, next_steps: Sequence[str] = ()) -> dict[str, Any]:
    return {"kind": "answer", "answer": text, "sources": list(sources), "next_steps": list(next_steps)}


@dataclass
class Outside:
    """Answers every effect from values given beforehand, and keeps what it was asked."""

    replies: Sequence[Any]
    items: Sequence[ContextItem] = ()
    approvals: Sequence[Approval] = ()
    outages: Sequence[Outage] = ()
    tools: Callable[[Any], RawResult] = lambda call: RawResult({"status": "revoked"}, artifact_ref="toolrun://run.1/1")
    intent: Intent = Intent()
    held: TaskState = STATE
    rulings: Sequence[Any] = ()
    asked: list[Effect[Any]] = field(default_factory=list)

    def __call__(self, effect: Effect[Any]) -> Any:
        self.asked.append(effect)
        if isinstance(effect, Gather):
            drafts = Found(tuple(map(measured, effect.drafts)))
            told = (Found((state(self.held), *self.items), tuple(self.approvals)), *self.outages)
            return (*told, *(Found() for _ in effect.queries[len(told) :]), drafts)
        if isinstance(effect, Record):
            counted = Words().count_prompt(effect.wire.body, effect.wire.dialect)
            return replace(effect.manifest, total_input_tokens=counted.tokens, token_basis=counted.basis)
        if isinstance(effect, Call):
            given = self.replies[min(len(self.of(Call)), len(self.replies)) - 1]
            return given if isinstance(given, Reply) else reply(given)
        if isinstance(effect, Consult):
            given = self.rulings[min(len(self.of(Consult)), len(self.rulings)) - 1]
            return Consulted(effect.body, given if isinstance(given, Reply) else reply(given))
        if isinstance(effect, Intend):
            return self.intent
        return tuple(self.tools(call) for call in effect.calls) if isinstance(effect, Execute) else None

    def of(self, kind: type) -> list[Any]:
        """The effects of one type, in the order they were asked."""
        return [each for each in self.asked if isinstance(each, kind)]
