"""The exceptions callsheet raises; a refusal is not one of them, it is a `Verdict`.

CallsheetError                 everything below; `str(error)` names the thing, the rule and the way out
├── UsageError                 the caller's mistake; the command line exits with 2
│   ├── ProjectError           a project folder that cannot be read: file, line, rule
│   ├── UnknownName            a decision kind, request or item that this project or actor does not have
│   ├── InputTooLarge          the required items alone exceed the model's input budget
│   └── WeightsError           model weights absent, of the wrong size or of the wrong hash
└── OutageError                something outside failed: the caller may try again
    ├── ModelError             the model refused, timed out or broke off
    └── StoreError             the disk is full, read-only or damaged
"""


class CallsheetError(Exception):
    """The root of every exception that callsheet raises on purpose."""


class UsageError(CallsheetError):
    """The caller's mistake: the message says what to change."""


class ProjectError(UsageError):
    """A project folder that breaks a rule of its format."""


class UnknownName(UsageError):
    """A name that does not exist for this actor (a forbidden one reads exactly the same)."""


class InputTooLarge(UsageError):
    """Required items that do not fit the model's input budget; nothing was sent."""


class WeightsError(UsageError):
    """Model weights that are absent or are not the ones the settings name."""


class OutageError(CallsheetError):
    """Something outside the process failed."""


class ModelError(OutageError):
    """A model call without a usable reply. `sent` is false only when the request surely never left."""

    def __init__(self, message: str, *, sent: bool = True) -> None:
        super().__init__(message)
        self.sent = sent


class StoreError(OutageError):
    """A store that cannot be read or written; what was committed before is still there."""
