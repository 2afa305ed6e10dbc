"""`run` and `assemble`: a question through whole decisions, or the request alone."""

import sys
from collections.abc import Callable, Generator
from typing import Any

import click
from rich.console import Console

from ..drive.live import Happened
from ..model.effect import Call, Consult, Effect, Observed, Record, RunResult, Settle
from ..model.prompt import Delta
from .group import Settings, common
from .output import emit, fail_unless, note, pairs
from .printing import answered, print_calls, print_request, print_verdicts
from .session import opened
from .shapes import assemble_json, run_json


@click.command(short_help="Take a question through whole decisions to an outcome.")
@click.argument("question", required=False, default="")
@click.option("--decision", metavar="KIND", help="Start with this decision kind instead of the planner's choice.")
@click.option("--resume", metavar="RUN", help="Go on with a run that was interrupted or waited for a person.")
@click.option("--stream", is_flag=True, help="Say on stderr what happens while it happens, as at a terminal.")
@click.option("--strict", is_flag=True, help="Exit with 1 for every outcome but an answer.")
@common
@click.pass_obj
def run(
    settings: Settings, question: str, decision: str | None, resume: str | None, stream: bool, strict: bool
) -> None:
    """Take QUESTION through whole decisions: assembled, recorded, proposed, checked, executed, answered."""
    if bool(question.strip()) == bool(resume):
        raise click.UsageError("Give a question, or --resume with the id of a run; one of the two.")
    with opened(settings) as (host, ctx):
        result = followed(
            host.stream(question, ctx, decision=decision, resume=resume),
            note if stream or sys.stderr.isatty() else None,
            lambda run_id: note(f"go on with: {settings.command('run', '--resume', run_id)}"),
        )
        prices = host.policy.model.prices
    emit(settings, run_json(result, prices), lambda console, document: print_run(console, document, settings))
    fail_unless(not strict or result.outcome == "answer")


def followed(
    steps: Generator[Happened | Delta, None, RunResult],
    say: Callable[[str], None] | None,
    left: Callable[[str], None],
) -> RunResult:
    """The run's result, each effect said as it happens; `left` is told the id of a run that Ctrl-C breaks off.

    Pieces of a reply are not said: nobody has judged them yet, and an answer is shown only as judged. That the reply
    has begun is.
    """
    begun, run_id = False, ""
    while True:
        try:
            event = next(steps)
        except StopIteration as end:
            result: RunResult = end.value
            return result
        except KeyboardInterrupt:
            if run_id:
                left(run_id)
            raise
        if isinstance(event, Happened) and isinstance(event.effect, Record):
            run_id = event.effect.manifest.request_id.rpartition(".")[0]
        text = ("" if begun else "the reply begins") if isinstance(event, Delta) else happening(*event)
        begun = isinstance(event, Delta)
        if say is not None and text:
            say(text)


def happening(effect: Effect[Any], answer: Any) -> str:
    """One effect with its answer in a line; empty for those that only write down what was said before."""
    if isinstance(effect, Record):
        manifest = effect.manifest
        count = f"{len(manifest.items)} items, {answer.total_input_tokens} tokens"
        return f"{manifest.request_id}: decision {manifest.decision}, {count}, recorded"
    if isinstance(effect, Call):
        return f"{effect.request_id}: {answer.error or 'the model replied'}"
    if isinstance(effect, Consult):
        return f"{effect.request_id}: {answer.reply.error or 'the judge replied'}"
    if isinstance(effect, Observed):
        return f"{effect.request_id}: {effect.call.tool}: {effect.observation.status}"
    if isinstance(effect, Settle):
        refused = [f"; refused: {verdict.rule}" for verdict in effect.step.verdicts if verdict.outcome == "refuse"]
        return f"{effect.request_id}: {effect.step.outcome}{''.join(refused)}"
    return ""


def print_run(console: Console, run: dict[str, Any], settings: Settings) -> None:
    """Prints the outcome first, then what it rests on, and last the command that looks it up."""
    pairs(console, [("outcome", run["outcome"]), ("why", run["why"])])
    if run["answer"]:
        console.print()
        pairs(console, [answered(run["outcome"], run["answer"])])
    pairs(console, [("sources", run["sources"]), ("next steps", run["next_steps"])])
    pairs(console, [("searched", [searched_line(each) for each in run["searched"]])])
    print_calls(console, run["tool_calls"], settings, waiting=run["outcome"] == "asked")
    print_verdicts(console, run["verdicts"], run["tool_calls"])
    console.print()
    pairs(
        console,
        [("requests", run["request_ids"]), ("usage", run["usage"]), ("cost", run.get("cost")), ("notes", run["notes"])],
    )
    for request_id in run["request_ids"][-1:]:
        console.print(f"next: {settings.command('show', request_id)}")
    if any(each["rule"] == "model-outage" for each in run["verdicts"]) and run["outcome"] in ("unfinished", "unknown"):
        console.print(f"once the model answers: {settings.command('run', '--resume', run['run_id'])}")


def searched_line(search: dict[str, Any]) -> str:
    """One search behind an abstention in a line."""
    outside = f"; {search['outside']} sections lie outside the session's scopes" if search.get("outside") else ""
    return f"{search['store']}: {search['found']} of {search['sections']} sections for {search['query']!r}{outside}"


@click.command(short_help="Assemble and record a request without calling a model.")
@click.argument("question")
@click.option("--decision", metavar="KIND", help="Assemble for this decision kind instead of the planner's choice.")
@common
@click.pass_obj
def assemble(settings: Settings, question: str, decision: str | None) -> None:
    """Assemble and record the request that QUESTION would send, without calling a model."""
    with opened(settings) as (host, ctx):
        stored = host.assemble(question, ctx, decision)
    emit(settings, assemble_json(stored), print_request)
