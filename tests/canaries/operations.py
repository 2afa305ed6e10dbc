"""What an actor does, as data: the same operation is done in several worlds, and what came of it is compared."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from io import StringIO
from typing import Any

from callsheet import Host, MemoryRecord, load_memories
from callsheet.cli import callsheet
from callsheet.cli.group import run
from callsheet.cli.shapes import run_json, show_json
from callsheet.errors import CallsheetError
from callsheet.model.memory import MemoryWrite
from callsheet.model.task import TaskState
from callsheet.testing import NOON
from callsheet.testing.scripted import Said

from ..walks.stage import ANSWER, CHECK, ROTATE, references, scripted
from .actors import OPERATOR, Actor, Audience

PURPOSE = "support"


@dataclass(frozen=True)
class Operation:
    """One act of one actor. `touches` is who may see what it leaves behind; None where it only looks."""

    name: str
    actor: Actor
    given: Mapping[str, Any] = field(default_factory=dict)
    touches: Audience | None = None


def done(host: Host, operation: Operation) -> str:
    """All that the actor is given back, and all that a model was sent for it: as text that can be compared."""
    sent = scripted(host).bodies
    before = len(sent)
    try:
        came: Any = ACTS[operation.name](host, operation.actor, **operation.given)
    except CallsheetError as error:
        came = [type(error).__name__, str(error)]
    bodies = [body.decode() for body in sent[before:]]
    return json.dumps({"came": came, "sent": bodies}, default=_plain, ensure_ascii=False, indent=1)


def _plain(value: object) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return asdict(value) if hasattr(value, "__dataclass_fields__") else repr(value)  # type: ignore[call-overload]


def replying(body: bytes) -> Said:
    """A model that does what the question asks for, and repeats whatever it was shown: what leaks is said aloud."""
    text = body.decode()
    heard = sorted(set(re.findall(r"qz\w+?qz", text)))
    if (b"toolrun://" in body) or "just answer" in text:
        answer = f"Your key is revoked. {' '.join(heard)}"
        return {**ANSWER, "answer": answer, "sources": [*ANSWER["sources"], *references(body)]}
    if "rotate" in text.rsplit('"role"', 1)[-1]:
        return ROTATE
    if "keep a note" in text:
        written = {"command": "create", "path": "/memories/note.md", "file_text": " ".join(heard) + "\n"}
        return {"kind": "calls", "calls": [{"tool": "memory", "arguments": written}]}
    return CHECK


def remember(host: Host, actor: Actor, text: str, origin: Any, subject: str, **fields: Any) -> Any:
    """A request to remember, judged by the write policy."""
    return host.memory.add(MemoryWrite(text, origin, subject, actor.tenant, PURPOSE, **fields), actor.ctx)


def vouch(host: Host, actor: Actor, text: str, subject: str, source: str, **fields: Any) -> Any:
    """A record that an application stores."""
    return host.memory.add(MemoryRecord(subject, actor.tenant, PURPOSE, text, source, **fields), actor.ctx)


def load(host: Host, actor: Actor) -> Any:
    """Everything remembered of the subject, and what of it a decision would be given."""
    records = host.memory.load(actor.ctx)
    return [records, load_memories(records, actor.subject, actor.tenant, PURPOSE, NOON)]


def write_state(host: Host, actor: Actor, goal: str, subject: str | None) -> Any:
    """A new goal in the canonical state."""
    states = host.stores(actor.ctx).states
    present = states.load(subject)
    owned = {"account_id": ("A-123",)}
    return states.save(subject, replace(present, goal=goal, facts={"account_id": "A-123"}, resources=owned))


def read_state(host: Host, actor: Actor) -> TaskState:
    """The subject's state."""
    return host.stores(actor.ctx).states.load(actor.subject)


def notify(host: Host, actor: Actor, text: str, subject: str | None) -> Any:
    """A notice to a subject, or to everyone of the tenant."""
    return host.stores(actor.ctx).events.push(text, "jobs", subject, NOON)


def ask(host: Host, actor: Actor, question: str) -> Any:
    """A whole run."""
    return run_json(host.run(question, actor.ctx))


def assemble(host: Host, actor: Actor, question: str) -> Any:
    """The request that a run would begin with."""
    return show_json(host.assemble(question, actor.ctx))


def search(host: Host, actor: Actor, query: str) -> Any:
    """Evidence with every score, and how many sections were looked through."""
    found = host.knowledge.search(query, actor.ctx, 10)
    return [replace(found, evidence=()), found.evidence, sorted(host.section_ids(actor.ctx))]


def delete(host: Host, actor: Actor, subject: str) -> Any:
    """What was destroyed, and what of it was found again; where was looked for it is another store's own."""
    made = host.memory.delete(subject, actor.ctx)
    return [made.destroyed, made.absorbed, made.certificate.residue, made.certificate.held_by_others]


def certify(host: Host, actor: Actor, subject: str, text: str) -> Any:
    """Whether words are anywhere that the actor may be told of, and rows of the subject."""
    made = host.memory.certify(subject, actor.ctx, [text])
    rows = [each for each in made.residue if each.what == "rows of the subject" and each.place != "keys"]
    words = [each.what for each in made.residue if each.what == "words that were looked for" and "." not in each.place]
    return [rows, words, made.held_by_others if actor.subject != OPERATOR else made.probes]


def command(host: Host, actor: Actor, words: Sequence[str]) -> Any:
    """What the command line prints, on both streams, and its exit code."""
    folder, ctx = host.folder.settings.folder, actor.ctx
    session = {"tenant": ctx.tenant_id, "actor": ctx.actor, "subject": ctx.subject_id, "grants": ctx.grants}
    file = folder / "session.json"
    file.write_text(json.dumps({**session, "now": NOON.isoformat()}), encoding="utf-8")
    out, err = StringIO(), StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = run(callsheet, ["-C", str(folder), "--session", str(file), "--json", *words])
    return [part.replace(str(folder), "FOLDER").splitlines() for part in (out.getvalue(), err.getvalue())] + [code]


ACTS: Mapping[str, Callable[..., Any]] = {
    "remember": remember,
    "vouch": vouch,
    "load": load,
    "confirm": lambda host, actor, record: host.memory.confirm(record, actor.ctx),
    "delete": delete,
    "certify": certify,
    "export": lambda host, actor, subject: host.memory.export(subject, actor.ctx),
    "forget": lambda host, actor, subject: host.forget(subject, actor.ctx),
    "file": lambda host, actor, command: host.memory.files(actor.ctx).perform(command),
    "write state": write_state,
    "read state": read_state,
    "notify": notify,
    "notices": lambda host, actor: host.events(actor.ctx),
    "ask": ask,
    "assemble": assemble,
    "resume": lambda host, actor, run: run_json(host.run(ctx=actor.ctx, resume=run)),
    "show": lambda host, actor, request: show_json(host.show(request, actor.ctx)),
    "why": lambda host, actor, request, item: host.why(request, actor.ctx, item=item),
    "replay": lambda host, actor, request: host.replay(request, actor.ctx),
    "blame": lambda host, actor, request: host.blame(request, actor.ctx),
    "diff": lambda host, actor, request, other: host.diff(request, other, actor.ctx),
    "recent": lambda host, actor: [each.manifest.request_id for each in host.recent(actor.ctx)],
    "waiting": lambda host, actor: host.waiting(actor.ctx),
    "approve": lambda host, actor, approval: host.approve(approval, actor.ctx),
    "refuse": lambda host, actor, approval: host.refuse(approval, actor.ctx),
    "ingest": lambda host, actor, document, shared: host.ingest([document], actor.ctx, shared),
    "search": search,
    "command": command,
}
