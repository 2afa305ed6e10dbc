"""Plans: a person approved one, and the model asks for leave again, or does what is not in it (E2, H2)."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from .....model.diagnosis import Finding
from .....model.transcript import Replaced, Said
from ..blocks import Call, ReadBlock
from ..contract import Moment, finding, quote
from .instructions import Rule, broken, rules

ELSEWHERE = 2
_PLAN_TOOL = re.compile(
    r"exit_?plan|plan_?(?:mode|exit|approval)|submit_?plan|propose_?plan|present_?plan", re.IGNORECASE
)
_APPROVED = re.compile(
    r"^\W*(?:(?:yes|ok(?:ay)?|great|perfect|good|nice|sure|fine)\W+)*(?:approved?|lgtm|looks? (?:good|great|fine)"
    r"|sounds? (?:good"
    r"|great|fine)|go (?:ahead|for it)|do it|proceed|agreed|i approve|plan (?:is )?(?:approved|fine|good|ok)"
    r"|(?:the )?plan looks"
    r"|ship it|implement (?:it|that|this)|please (?:implement|proceed|go ahead)|start)\b"
    r"|\b(?:user|person) (?:has )?approved\b|\bplan (?:has been |was |is )?approved\b",
    re.IGNORECASE,
)
_PLANS = re.compile(r"\bplan\b|\bproposal\b|\bapproach\b|^\s*(?:1[.)]|[-*])\s", re.MULTILINE)
_LEAVE = re.compile(
    r"\b(?:shall|should|may|can) i (?:now )?(?:proceed|go ahead|start|begin|implement|continue|make|apply)\b[^.?!\n]*\?"
    r"|\b(?:would you like|do you want) me to (?:now )?(?:proceed|go ahead|start|begin|implement|continue|make"
    r"|apply)\b[^.?!\n]*\?"
    r"|\bhow (?:would|do) you (?:like|want)(?: me)? to proceed\b|\bwhich (?:approach|option) (?:would|do"
    r"|should)\b[^.?!\n]*\?"
    r"|\bwhat (?:should|would you like me to) (?:i )?(?:do|work on|start with)\b[^.?!\n]*\?"
    r"|\b(?:waiting for|once i have|need) your (?:approval|go-ahead|confirmation)\b|\bdo you approve\b",
    re.IGNORECASE,
)
_FILE = re.compile(r"[\w./-]*\w\.(?:[a-z]\w{0,4})\b")
_NAMES_FILE = re.compile(r"\.(?<=\w\.)[a-z]\w{0,4}\b")
"""What a text has that has a file's name."""
_WRITES = re.compile(r"edit|write|patch|replace|create|insert", re.IGNORECASE)
_ANYWHERE = re.compile(r"test|spec|changelog|readme|docs?/|\.md$|todo|plan|scratch|tmp", re.IGNORECASE)
_FIX = "Keep the approved plan in a block of its own near the end of the window, with what is done of it."


@dataclass(slots=True)
class _Plan:
    """An approved plan: where it stands, the files it names, its limits, and which files were written outside it."""

    block: ReadBlock
    approval: ReadBlock
    files: set[str]
    round: int
    limits: tuple[Rule, ...]
    outside: list[tuple[str, ReadBlock]] = field(default_factory=list)
    inside: bool = False


class PlansDetector:
    """Finds an approved plan that the model does not follow: other files, what it rules out, or leave asked again."""

    def __init__(self) -> None:
        self._offered: ReadBlock | None = None
        self._plan: _Plan | None = None
        self._told: set[str] = set()
        self._found: list[Finding] = []

    def take(self, moment: Moment) -> None:
        """Takes the next moment."""
        if isinstance(moment.event, Replaced):
            self._offered = None
        if not isinstance(moment.event, Said):
            return
        for block in moment.blocks:
            if block.source == "person" and block.kind == "text":
                self._person(moment, block)
            elif block.kind == "result" and block.call is not None and _PLAN_TOOL.search(block.call.name):
                if not block.error and _APPROVED.search(block.text[:600]):
                    self._approve(moment, ReadBlock("text", "model", _plan_of(block.call), block.call.record), block)
            elif block.kind == "call" and block.call is not None:
                self._call(moment, block, block.call)
            elif block.kind == "text" and block.source == "model":
                self._says(moment, block)

    def result(self) -> Iterable[Finding]:
        """The plans that were not followed, each way once."""
        return self._found

    def _person(self, moment: Moment, block: ReadBlock) -> None:
        approves = len(block.text) < 400 and _APPROVED.search(block.text[:200]) is not None and "?" not in block.text
        if self._offered is not None and approves:
            self._approve(moment, self._offered, block)
        elif not approves:
            self._plan = None  # something else is asked for now
        self._offered = None

    def _approve(self, moment: Moment, plan: ReadBlock, approval: ReadBlock) -> None:
        files = {name.rsplit("/", 1)[-1].casefold() for name in _FILE.findall(plan.head)}
        self._plan = _Plan(plan, approval, files, moment.round, tuple(rules(plan, moment.round)))
        self._told.clear()

    def _says(self, moment: Moment, block: ReadBlock) -> None:
        if _NAMES_FILE.search(block.head) or len(_PLANS.findall(block.reading.small)) >= 2:
            self._offered = block
        plan = self._plan
        if plan is not None and moment.round > plan.round and (found := _LEAVE.search(block.head)):
            title = "The model asks for leave to do what had been approved"
            self._tell(moment, "leave-asked-again", title, plan, [(block, "asked again", found[0])])

    def _call(self, moment: Moment, block: ReadBlock, call: Call) -> None:
        plan = self._plan
        if plan is None or not isinstance(call.arguments, dict):
            return
        for rule in plan.limits:
            if broken(rule, call):
                title = f"The approved plan was not to {rule.verb} {rule.what}, and {call.name} does".replace("  ", " ")
                self._tell(moment, "plan-broken", title, plan, [(block, "what was done", None)])
        if not _WRITES.search(call.name):
            return
        path = next((str(value) for key, value in call.arguments.items() if "path" in key or "file" in key), "")
        name = path.rsplit("/", 1)[-1].casefold()
        if not name or not plan.files or plan.inside or _ANYWHERE.search(path):
            return
        if name in plan.files:
            plan.inside = True
            return
        plan.outside.append((name, block))
        if len({each for each, _ in plan.outside}) < ELSEWHERE:
            return
        title = f"The first files written after the plan was approved are not in it: {plan.outside[0][0]}"
        self._tell(
            moment, "plan-ignored", title, plan, [(each, "written, not in the plan", None) for _, each in plan.outside]
        )

    def _tell(
        self, moment: Moment, rule: str, title: str, plan: _Plan, done: list[tuple[ReadBlock, str, str | None]]
    ) -> None:
        if rule in self._told:
            return
        self._told.add(rule)
        quotes = [quote(plan.block, "the plan"), quote(plan.approval, "approved")]
        quotes += [quote(block, what, text) for block, what, text in done]
        disproof = "The plan was changed in between, or leaves room for this."
        calls = [block.call for block, _, _ in done]
        self._found.append(finding("position-loss", moment.turn, rule, title, quotes, _FIX, disproof, "policy", calls))


def _plan_of(call: Call) -> str:
    values = call.arguments if isinstance(call.arguments, dict) else {}
    return next((value for value in values.values() if isinstance(value, str) and len(value) > 20), call.text)
