"""What the gate says, and the one list of rule names it may say it with (D1, I1, I2)."""

from dataclasses import dataclass
from typing import Literal

Outcome = Literal["allow", "ask", "refuse"]

RULES: dict[str, str] = {
    "ok": "nothing stands against it",
    "gate-off": "the policy switched the gate off; for experiments only",
    "unreadable-proposal": "the reply is not one JSON object of the proposal's shape",
    "proposal-not-allowed": "this decision kind does not take a proposal of that kind",
    "tool-not-offered": "the tool is not among those offered to this actor in this decision",
    "invalid-arguments": "the arguments break the tool's input schema; a missing one is never guessed",
    "resource-not-owned": "an argument names a resource that trusted state does not list for this session",
    "untrusted-argument": "an argument with authority appears in no trusted text, so a person must confirm it",
    "precondition-failed": "a precondition of the tool's contract does not hold",
    "confirmation-required": "the policy wants a person to confirm this effect",
    "refused-by-person": "a person refused this very call",
    "call-limit": "the decision or the run has used up its tool calls",
    "tool-failed": "the tool reported one of its declared failures, or broke",
    "postcondition-failed": "the tool's result breaks a postcondition of its contract",
    "outcome-unknown": "the tool may have run, must not be repeated, and nothing says how it ended",
    "source-not-in-set": "the answer cites a source that the model was not given",
    "claim-unsupported": "a statement of the answer rests on nothing that the model received",
    "insufficient-evidence": "what was found does not answer the question well enough, so no model was asked",
    "evidence-judged": "a model was asked whether what was found answers the question, and did not deny it",
    "no-source": "the answer cites no evidence although this decision kind demands it",
    "reserved-action-offered": "the answer offers an action that needs a separate, authorized request",
    "offer-added": "the policy's own sentence about a reserved action was added to the next steps",
    "secret-in-answer": "the answer holds something that looks like a secret",
    "directive-echoed": "the sentence says what a directive inside untrusted text told the model to say",
    "observation-not-stated": "the answer does not state a decisive field of an observation, so it was added",
    "answer-contract": "the answer breaks a limit of the output contract",
    "input-too-large": "the counted request exceeds the model's input window, so it was not sent",
    "ceiling-reached": "the run reached its limit of decisions, tokens or cost",
    "receipt-unknown": "a sub-agent's receipt names another record than that of what it was given",
    "claim-without-span": "a sub-agent's claim names no place it rests on",
    "span-unresolved": "the words a sub-agent quotes do not stand where its claim says",
    "prompt-empty": "the request holds nothing that the model could reply to",
    "call-unanswered": "a tool call has no result where the dialect demands one",
    "result-without-call": "a tool result answers no call before it, or one that is answered already",
    "result-misplaced": "tool results do not stand where the dialect wants them: at once after their calls, and first",
    "block-misplaced": "a block stands in a message, a channel or a dialect that takes none of its kind",
    "turn-order": "the turns do not come in the order the dialect wants: the user's first",
    "system-misplaced": "a system message stands where the dialect or the model takes none",
    "prefill-refused": "the request ends with the assistant's own words, and the model does not continue them",
    "cache-marks": "cache marks are too many, out of order, or on a block that cannot carry one",
    "thinking-broken": "a thinking block is missing, was changed, or is bound to a prefix that is not there any more",
    "tool-undefined": "a tool is named that the request does not define, or is defined twice or under an illegal name",
    "duplicate-id": "two items of the request carry one id, or a call carries none",
    "schema-not-strict": "a schema that is to hold strictly breaks a rule of the dialect's strict mode",
    "option-conflict": "two settings of the request exclude each other",
    "model-refused": "the model or its provider declined to reply",
    "model-outage": "the model gave no usable reply",
}
"""Every rule a verdict may name; `docs/rules.md` documents each of them."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """One judgement: allow, ask a person, or refuse, with the rule's name and the reason in words.

    `question` is what the person is shown when the outcome is `ask`; `subject` names what was judged (a tool, a source,
    a sentence), so that a list of verdicts can be read on its own.
    """

    outcome: Outcome
    rule: str
    why: str
    question: str | None = None
    subject: str | None = None

    def __post_init__(self) -> None:
        if self.rule not in RULES:
            raise ValueError(f"rule {self.rule!r} is not in RULES; add it there with its meaning")
