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
    "rate-limit": "the actor has used up the calls that this tool or the policy gives it for the time being",
    "cost-limit": "the call would cost more than the decision or the actor may spend",
    "circuit-open": "the last calls of this server's tool all failed, so it is left alone for a while",
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
    "tenant-from-session-only": "a request to remember names another tenant than the session's",
    "not-attributable": "a request to remember names no subject, so that nobody could have it deleted",
    "other-subject": "a request to remember is about, or from, another subject than the session's",
    "label-is-derived": "a request to remember says itself how far it may be trusted; that is computed from its origin",
    "recalled-text": "what is to be remembered is what was remembered, read back",
    "provenance-unknown": "nobody can say where what is to be remembered comes from",
    "instruction-from-untrusted": "what is to be remembered orders something, and is not the person's own word",
    "permission-in-memory": "what is to be remembered would permit or approve something",
    "visibility-not-granted": "a memory for more than its subject needs a grant that the session lacks",
    "secret-in-memory": "without its secret nothing is left to remember",
    "personal-data-in-memory": "without its personal data nothing is left to remember",
    "not-lasting": "what is to be remembered holds for the moment",
    "not-reusable": "what is to be remembered helps no other time: a question, a greeting, a request",
    "cheap-to-derive": "what is to be remembered can be had at any time: from a file, a tool, by computing",
    "consent-missing": "the project demands a consent or another legal basis, and the request brings none",
    "expiry-missing": "the project demands a day on which a memory ends, and the request brings none",
    "hypothesis-never-overwrites-fact": "a model's inference says otherwise than a fact about the same",
    "duplicate-merged": "a memory says the same already, and is kept in its stead",
    "confirmation-not-allowed": "this word makes no fact of a hypothesis, or the record is none",
    "memory-command": "the call of the memory tool is none of its commands, or lacks a field or has a wrong one",
    "memory-path-outside": "the path is not one below /memories, or climbs, doubles or repeats a step on its way",
    "memory-path-name": "a name in the path hides, expands, decodes or reads as something else on some system",
    "memory-path-long": "the path, a name in it or its depth is beyond the limit",
    "memory-path-collision": "the name differs from one beside it only in case or in the form of its letters",
    "memory-path-root": "the root of an area is neither written, moved nor deleted",
    "memory-not-there": "no memory file or folder stands at the path",
    "memory-exists": "something stands at the path already, and nothing is ever overwritten by another",
    "memory-not-a-file": "what stands at the path is no plain text file, or no folder where one is needed",
    "memory-edit": "the text to replace is not there or not unique, or the line lies outside the file",
    "memory-limit": "the files would grow beyond the limits of size or number",
    "memory-read-only": "this session may not write in that area, or has none of its own",
    "scope-open": "the answer came while items of the scope list were open",
    "scope-stands": "a scope list stands already, and is not replaced while an item of it is open",
    "scope-item-unknown": "the scope list has no item of that number",
    "scope-item": "an item of the scope list says nothing, is too long, or names a check that cannot verify anything",
    "verification-missing": "an item counts as done by what is on record, and the one who says so named nothing",
    "verification-unknown": "nothing of that id is on record for this session",
    "verification-mismatch": "what was named does not show that the item is done, or did so once and was taken back",
    "page-unknown": "no observation of that id is on record for this session",
    "page-not-in-window": "what is to be paged out does not stand in this window",
    "page-too-large": "what is to be paged in does not fit into what the window has left",
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
