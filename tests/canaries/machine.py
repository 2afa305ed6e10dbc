"""Random acts of several tenants and their subjects, over one store."""

import json
import tempfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from .actors import OPERATOR, SUBJECTS, Actor, Audience
from .operations import Operation
from .worlds import Worlds

TENANTS = ("globex", "initech", "hooli")
"""None is that of the project's own session, whose seed is there for those alone who open it."""
NUMBERS = st.integers(0, 3)
WHERE = ("/memories/note.md", "/memories/shared/note.md", "/memories/everyone/note.md", "/memories/plan/day.md")
QUESTIONS = (
    "Why is my API key not working?",
    "Please rotate the key of my account A-123.",
    "Please keep a note of what you know of my API key.",
    "I like green tea. What is an API key? Please just answer.",
)

COMMANDS = (
    ("memory", "list"), ("memory", "load", "--purpose", "support"), ("memory", "export"), ("search", "API key note"),
    ("events", "list"), ("state", "show"), ("show",), ("replay",), ("blame",),
)  # fmt: skip
GIVEN_AN_ID = ("show", "replay", "blame")


class Canaries(RuleBasedStateMachine):
    """Each rule is one kind of act; what holds after it is asserted by `Worlds.do`."""

    tenants: tuple[str, ...] = TENANTS
    postgres = False
    emptied: Callable[[], None] = staticmethod(lambda: None)
    watching = 3

    def __init__(self) -> None:
        super().__init__()
        self._folder = tempfile.TemporaryDirectory(prefix="callsheet-canaries-")
        self.known: dict[str, list[str]] = {"request": [], "approval": [], "record": [], "run": []}

    @initialize(data=st.data())
    def begin(self, data: st.DataObject) -> None:
        everybody = [Actor(tenant, subject) for tenant in self.tenants[:50] for subject in SUBJECTS]
        watchers = data.draw(
            st.lists(st.sampled_from(everybody), min_size=1, max_size=self.watching, unique=True), label="watchers"
        )
        self.emptied()
        self.worlds = Worlds(Path(self._folder.name), self.postgres, watchers)
        self.watchers = watchers
        self.populate()

    def populate(self) -> None:
        """What stands in the shared world before anybody acts."""

    def teardown(self) -> None:
        with self._folder:
            if hasattr(self, "worlds"):
                with closing(self.worlds):
                    for watcher in self.watchers:
                        self.look_round(watcher)

    def look_round(self, actor: Actor) -> None:
        """Everything that there is to look at."""
        for name in ("load", "read state", "notices", "recent", "waiting"):
            self.do(name, actor)
        for query in ("API key note", "green tea qz"):
            self.do("search", actor, query=query)
        for path in ("/memories", *WHERE):
            self.do("file", actor, command={"command": "view", "path": path})
        for request in self.known["request"][-8:]:
            self.do("show", actor, request=request)
            self.do("replay", actor, request=request)

    def do(self, name: str, actor: Actor, touches: Audience | None = None, **given: Any) -> None:
        came = json.loads(self.worlds.do(Operation(name, actor, given, touches)))["came"]
        self.learn(came)

    def learn(self, came: Any) -> None:
        """Ids that are known from now on, to everybody: an id is no secret, and must open nothing."""
        names = {"approval_id": "approval", "record_id": "record", "run_id": "run"}
        if isinstance(came, dict):
            for key, value in came.items():
                if key in names and value and value not in self.known[names[key]]:
                    self.known[names[key]].append(value)
                elif key == "request_ids":
                    self.known["request"] += [each for each in value if each not in self.known["request"]]
                self.learn(value)
        elif isinstance(came, list):
            for each in came:
                self.learn(each)

    def one(self, kind: str, number: int) -> str:
        """One of the latest ids of a kind, or one that there never was."""
        return ["none", *self.known[kind][-6:]][-1 - number % (1 + len(self.known[kind][-6:]))]

    def actors(self) -> st.SearchStrategy[Actor]:
        """Mostly those who are watched and their neighbours, of whom there would be most to see."""
        watched = sorted({each.tenant for each in self.watchers})
        near = st.builds(Actor, st.sampled_from(watched), st.sampled_from(SUBJECTS))
        far = st.builds(Actor, st.sampled_from(self.tenants), st.sampled_from(SUBJECTS))
        return st.one_of(st.sampled_from(self.watchers), near, far)

    @rule(data=st.data(), number=NUMBERS, origin=st.sampled_from(("user", "model", "trusted_tool", "knowledge_import")))
    def remembers(self, data: st.DataObject, number: int, origin: str) -> None:
        actor = data.draw(self.actors())
        wide = actor.subject == OPERATOR and data.draw(st.booleans())
        audience = Audience(actor.tenant) if wide else actor.own
        text = f"The office has a {audience.canary} {number}." if wide else f"I prefer {audience.canary} tea {number}."
        fields: dict[str, Any] = (
            {"visibility": "tenant"} if wide else {"relation": data.draw(st.sampled_from(("", "drink")))}
        )
        self.do("remember", actor, audience, text=text, origin=origin, subject=actor.subject, **fields)

    @rule(data=st.data(), source=st.sampled_from(("user_stated", "model_inferred", "rumour")), scoped=st.booleans())
    def vouches(self, data: st.DataObject, source: str, scoped: bool) -> None:
        actor = data.draw(self.actors())
        subject = data.draw(st.sampled_from(SUBJECTS)) if actor.subject == OPERATOR else actor.subject
        audience = Audience(actor.tenant, subject, "internal" if scoped and actor.subject != "u1" else None)
        text = f"The {audience.canary} key is not working."
        self.do("vouch", actor, audience, text=text, subject=subject, source=source, scope=audience.scope)

    @rule(data=st.data(), number=st.integers(0, 6))
    def confirms(self, data: st.DataObject, number: int) -> None:
        actor = data.draw(self.actors())
        audience = Audience(actor.tenant) if actor.subject == OPERATOR else actor.own  # it may be one for the tenant
        self.do("confirm", actor, audience, record=self.one("record", number))

    @rule(data=st.data(), path=st.sampled_from(WHERE), command=st.sampled_from(("create", "insert", "delete", "view")))
    def files(self, data: st.DataObject, path: str, command: str) -> None:
        actor = data.draw(self.actors())
        area = {"/memories/shared": Audience(actor.tenant), "/memories/everyone": Audience()}
        audience = area.get(path.rsplit("/", 1)[0], actor.own)
        given: dict[str, Any] = {"command": command, "path": path}
        if command == "create":
            given["file_text"] = f"API key {audience.canary}\n"
        elif command == "insert":
            given |= {"insert_line": 0, "insert_text": f"tea {audience.canary}\n"}
        self.do("file", actor, audience, command=given)

    @rule(data=st.data(), number=NUMBERS)
    def writes_state(self, data: st.DataObject, number: int) -> None:
        actor = data.draw(self.actors())
        wide = actor.subject == OPERATOR and data.draw(st.booleans())
        audience = Audience(actor.tenant) if wide else actor.own
        self.do("write state", actor, audience, goal=f"goal {number} {audience.canary}", subject=audience.subject)

    @rule(data=st.data(), number=NUMBERS)
    def is_notified(self, data: st.DataObject, number: int) -> None:
        actor = data.draw(self.actors())
        wide = data.draw(st.booleans())
        audience = Audience(actor.tenant) if wide else actor.own
        text = f"The {audience.canary} job {number} finished."
        self.do("notify", actor, audience, text=text, subject=audience.subject)

    @rule(data=st.data(), question=st.sampled_from(QUESTIONS))
    def asks(self, data: st.DataObject, question: str) -> None:
        actor = data.draw(self.actors())
        name = data.draw(st.sampled_from(("ask", "ask", "ask", "assemble")))
        self.do(name, actor, actor.own, question=f"{question} {actor.own.canary}")

    @rule(data=st.data(), number=st.integers(0, 6))
    def resumes(self, data: st.DataObject, number: int) -> None:
        actor = data.draw(self.actors())
        self.do("resume", actor, actor.own, run=self.one("run", number))

    @rule(data=st.data(), name=st.sampled_from(("approve", "refuse")), number=st.integers(0, 6))
    def decides(self, data: st.DataObject, name: str, number: int) -> None:
        actor, approval = data.draw(self.actors()), self.one("approval", number)
        touched = actor.own if actor.subject != OPERATOR else None
        if touched is not None:
            self.do(name, actor, touched, approval=approval)

    @rule(data=st.data(), name=st.sampled_from(("note/a", "note/b", "runbook/api-keys")), scoped=st.booleans())
    def ingests(self, data: st.DataObject, name: str, scoped: bool) -> None:
        actor = data.draw(self.actors())
        shared = actor.subject == OPERATOR and not scoped and data.draw(st.booleans())
        scope = "internal" if scoped and actor.subject != "u1" else None
        audience = Audience() if shared else Audience(actor.tenant, None, scope)
        text = f"# API key note\n\nWhy is my API key not working? The {audience.canary} key. Green tea."
        document = {"id": f"{name}-{audience.canary}", "text": text, "scope": scope}
        self.do("ingest", actor, audience, document=document, shared=shared)

    @rule(data=st.data(), name=st.sampled_from(("load", "read state", "notices", "recent", "waiting")))
    def looks(self, data: st.DataObject, name: str) -> None:
        self.do(name, data.draw(self.actors()))

    @rule(data=st.data(), words=st.sampled_from(COMMANDS), kind=st.sampled_from(("request", "record", "approval")))
    def types(self, data: st.DataObject, words: tuple[str, ...], kind: str) -> None:
        """Commands that only look, and those that are given an id, which is mostly somebody else's."""
        actor, name = data.draw(self.actors()), self.one(kind, data.draw(st.integers(0, 6)))
        self.do("command", actor, words=[*words, *([name] if words[-1] in GIVEN_AN_ID else [])])

    @rule(data=st.data(), query=st.sampled_from(("API key", "key note", "green tea", "qz")))
    def searches(self, data: st.DataObject, query: str) -> None:
        self.do("search", data.draw(self.actors()), query=query)

    @rule(
        data=st.data(), name=st.sampled_from(("show", "replay", "blame", "why", "diff")),
        number=st.integers(0, 6), other=st.integers(0, 6),
    )  # fmt: skip
    def looks_up(self, data: st.DataObject, name: str, number: int, other: int) -> None:
        more = {"why": {"item": f"memory/{self.one('record', other)}"}, "diff": {"other": self.one("request", other)}}
        self.do(name, data.draw(self.actors()), request=self.one("request", number), **more.get(name, {}))

    @rule(data=st.data(), name=st.sampled_from(("delete", "forget")))
    def deletes(self, data: st.DataObject, name: str) -> None:
        actor = data.draw(self.actors())
        subject = data.draw(st.sampled_from(SUBJECTS))
        allowed = actor.subject in (subject, OPERATOR)
        # What an operator shared with its tenant is its own, and goes with it.
        audience = Audience(actor.tenant, None if subject == OPERATOR else subject)
        self.do(name, actor, audience if allowed else None, subject=subject)

    @rule(data=st.data(), about=st.sampled_from(SUBJECTS), other=st.sampled_from(SUBJECTS))
    def certifies(self, data: st.DataObject, about: str, other: str) -> None:
        """Asks for the words of somebody else too: a search for them must not say whether they are there."""
        actor = data.draw(self.actors())
        sought = Audience(data.draw(st.sampled_from(self.tenants)), other)
        self.do("certify", actor, subject=about, text=f"The {sought.canary} key is not working.")

    @rule(data=st.data(), about=st.sampled_from(SUBJECTS))
    def exports(self, data: st.DataObject, about: str) -> None:
        self.do("export", data.draw(self.actors()), subject=about)
