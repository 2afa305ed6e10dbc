"""What can be wrong with a project folder: the one list of rule names, and the error with file, line and rule."""

from ...errors import ProjectError

LINT_RULES: dict[str, str] = {
    "missing-file": "a file that the project folder needs is not there or cannot be read",
    "malformed-file": "a TOML or YAML file, or a front matter, that does not parse",
    "link-outside": "a link under knowledge/ that leads out of it: whoever writes there may not read the machine",
    "unknown-key": "a key that the format does not know",
    "invalid-value": "a value of the wrong type, a missing key, or a value outside its range",
    "instruction-without-version": "an instruction section without a version: nobody could say which text was read",
    "value-without-version": "a run-time value without a version",
    "duplicate-id": "two instruction sections, values or examples of the same id",
    "broken-tools-file": "tools.py cannot be loaded, or a contract in it is wrong",
    "tool-without-contract": "an allowlist names a function of tools.py that has no @tool contract",
    "unknown-tool": "an allowlist or a case names a tool that tools.py does not have",
    "unknown-decision": "a decision kind is named that callsheet.toml does not describe",
    "entry-decision": "exactly one decision kind must say entry = true",
    "frozen-value": "instruction text repeats a run-time value that lives in values/: it goes stale unseen",
    "frozen-pattern": "instruction text holds an amount, percentage, date or limit that looks like a run-time value",
    "example-policy-version": "an example was written for another policy version than the project's",
    "example-forbidden-tool": "an example's right side calls a tool that its decision kind does not allow",
    "example-forbidden-proposal": "an example's right side is a kind of proposal that its decision kind does not take",
    "knowledge-without-version": "a document without version or effective date: its age cannot be weighed",
    "knowledge-past-review": "a document whose review date has passed",
    "knowledge-dates": "a document's review or withdrawal lies before the date it takes effect",
    "knowledge-in-future": "a document that has not taken effect yet: no search serves it",
    "knowledge-supersedes": "a document supersedes one that is not there, or in a circle one that supersedes it",
    "unused-rule": "a rule for documents that matches none: it gives nothing to anything",
    "duplicate-section": "two knowledge sections with the same id: a citation could mean either",
    "unknown-evidence": "a case names a knowledge section that the project does not have",
    "superseded-evidence": "a case requires a knowledge section of a version that is not in force",
    "preload": "a document that no prefix may hold: absent, in a scope, in several versions, or speaking to the model",
    "unused-resource": "the seeded state lists a kind of resource that no tool's `owned` condition asks for",
}
"""Every rule a finding may name, in the order in which they are worth mending."""


class Problem(ProjectError):
    """A project file that breaks a rule: `file:line: message; fix`, with the parts as attributes.

    `file` is relative to the project folder and `line` counts from 1; it is 0 where the file cannot be read at all.
    """

    def __init__(self, file: str, line: int, rule: str, message: str, fix: str) -> None:
        if rule not in LINT_RULES:
            raise ValueError(f"rule {rule!r} is not in LINT_RULES; add it there with its meaning")
        super().__init__(f"{place(file, line)}: {message}; {fix} [{rule}]")
        self.file, self.line, self.rule, self.message, self.fix = file, line, rule, message, fix


def place(file: str, line: int) -> str:
    """A file and a line as editors read them; the file alone where there is no line."""
    return f"{file}:{line}" if line else file
