"""The command line: parse, call the host or the lab, print. Importing it loads click and nothing of the engine."""

import gc
import sys
from typing import NoReturn

import click

from .. import __version__
from .group import LazyGroup, common
from .group import run as run_group  # `run` becomes the module of that command once it is loaded

OBJECTS = 50_000
"""New objects between two looks for dead cycles: loading modules makes many, and none of them dies."""
COMMANDS = {
    "init": ("project:init", "Write a new project folder from a template."),
    "run": ("run:run", "Take a question through whole decisions to an outcome."),
    "assemble": ("run:assemble", "Assemble and record a request without calling a model."),
    "show": ("records:show", "Show the record of one request, or list the newest."),
    "why": ("records:why", "Say which item put a byte there, or why an item is not there."),
    "diff": ("records:diff", "Say what differs between two requests."),
    "replay": ("records:replay", "Make a recorded request again and compare it byte for byte."),
    "blame": ("records:blame", "Say which of five things a failed request was missing."),
    "approve": ("approvals:approve", "Let a tool call that waits for a person go ahead, or list those."),
    "refuse": ("approvals:refuse", "Refuse a tool call that waits for a person."),
    "events": ("events:events", "Queue harness events, and read the queue's log."),
    "state": ("state:state", "Show or change the canonical task state."),
    "memory": ("memory:memory", "Add, list, load and delete what is remembered of a subject."),
    "store": ("store:store", "Look after the store: make its tables, check, copy, erase."),
    "ingest": ("ingest:ingest", "Add documents to the tenant's knowledge."),
    "search": ("knowledge:search", "Search the knowledge that this session may see."),
    "tune": ("tune:tune", "Find the values of the ranking on labelled questions."),
    "tools": ("tools:tools", "Search, check or count a catalogue of tools."),
    "gateway": ("gateway:gateway", "Serve foreign tool servers behind two checks."),
    "skills": ("skills:skills", "Scan, install, approve and list Agent Skills."),
    "lint": ("project:lint", "Check the project folder against the rules of its format."),
    "inspect": ("inspect:inspect", "Say what an agent's transcript cost, and what went wrong in it."),
    "artifacts": (
        "artifacts:artifacts",
        "List the files an agent's transcript read and wrote, and what it fetched again.",
    ),
    "handover": ("handover:handover", "Write the note that a new session starts from, of an agent's transcript."),
    "compare": ("compare:compare", "Say what an agent's transcript costs, and what survives, under several policies."),
    "eval": ("evaluate:evaluate", "Run a task set and score what was assembled and done."),
    "model": ("model:model", "Weights, limits and counts of models."),
    "doctor": ("doctor:doctor", "Check whether this machine can run the project."),
}


@click.group(
    cls=LazyGroup,
    commands_by_name=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120},
    epilog="Exit codes: 0 fine, 1 a failed check, 2 bad usage, bad input or an outage. `run` leaves with 0 "
    "whatever the outcome on record, one for want of a model included; --strict changes that.",
)
@click.version_option(__version__, prog_name="callsheet")
@common
def callsheet() -> None:
    """One sheet per model call: what went in, from where, what stayed out, and why."""


def main() -> NoReturn:
    """Never returns: runs the command line and leaves with its exit code."""
    gc.set_threshold(OBJECTS)
    sys.exit(run_group(callsheet, sys.argv[1:]))
