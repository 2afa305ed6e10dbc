"""`compare`: the same transcripts under several policies: what each costs, and what survives."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from .. import __version__
from ..errors import UsageError
from ..lab.compare.report import FULL, report
from ..lab.compare.runner import Answered, chosen
from ..lab.compare.runner import compare as answers
from ..transcripts import find
from .comparison.page import page
from .comparison.probing import Probing
from .comparison.shape import Comparison
from .comparison.terminal import print_comparison
from .group import EXIT_INTERRUPTED, Number, Settings, common, printing_schema
from .output import emit, note
from .progress import progress
from .transcript import TO_FILE, check_target, page_option, tokenizer_option, write_page

STANDARD_INPUT = "-"


@click.command(short_help="Say what an agent's transcript costs, and what survives, under several policies.")
@click.argument("transcripts", metavar="TRANSCRIPT...", nargs=-1, required=True)
@click.option("--policies", metavar="A,B", help="Only these policies; all there are where none is named.")
@click.option(
    "--probes",
    metavar="FILE|made",
    help="Ask the project's model, or the embedded one, the probes of FILE, or such as code makes of each transcript.",
)
@click.option(
    "--recall",
    is_flag=True,
    help="Let the model read originals again before it answers a probe, and put each policy beside full, pair by pair.",
)
@click.option("--window", type=Number(1), metavar="TOKENS", help="The model's window, the reply's room included.")
@tokenizer_option
@page_option("tables and plots")
@click.option(
    "--keep",
    type=TO_FILE,
    metavar="FILE",
    help="Append what is finished to FILE, and do not make again what is in it.",
)
@click.option("--jobs", type=Number(1), metavar="N", help="How many transcripts at once; all processors by default.")
@printing_schema(Comparison.schema)
@common
@click.pass_obj
def compare(
    settings: Settings,
    transcripts: tuple[str, ...],
    policies: str | None,
    probes: str | None,
    recall: bool,
    window: int | None,
    tokenizer: str | None,
    html: Path | None,
    keep: Path | None,
    jobs: int | None,
) -> None:
    """Replay each TRANSCRIPT under several policies: the same messages, byte for byte, round after round.

    TRANSCRIPT is a file in any known format, or a folder of such files. No model is called without --probes.
    """
    names, paths = chosen(policies), _paths(transcripts)
    if recall and not probes:
        raise UsageError("--recall is about probes; name them with --probes FILE, or --probes made")
    probing = Probing(probes, names, settings.project, window, tokenizer, recall) if probes else None
    replayed = tuple(dict.fromkeys((*names, FULL)))  # the whole history is what the others are held against
    check_target("--html", html, paths)
    check_target("--keep", keep, paths)
    done, stopped = list[Answered](), False
    with progress(f"{len(names)} policies") as told:
        try:
            made = answers(
                paths,
                replayed,
                window=window,
                tokenizer=tokenizer,
                kept=keep,
                version=__version__,
                jobs=jobs or os.cpu_count() or 1,
                told=told,
            )
            for answer in made:
                done.append(answer)
        except KeyboardInterrupt:
            if not done:
                raise
            stopped = True
    document = report(sorted(done, key=lambda each: paths.index(each.path)), names)
    _show(settings, document, html, None if stopped else probing)
    if stopped:
        note(f"interrupted: {len(done)} of {len(paths)} transcripts are finished, and shown")
        click.get_current_context().exit(EXIT_INTERRUPTED)


def _paths(transcripts: Sequence[str]) -> list[Path]:
    if STANDARD_INPUT in transcripts:
        raise UsageError("compare reads a transcript once for each policy, so standard input will not do; name a file")
    return list(dict.fromkeys(path for each in transcripts for path in (find(each) or (Path(each),))))


def _show(settings: Settings, document: dict[str, Any], html: Path | None, probing: Probing | None) -> None:
    if not document["transcripts"]:
        said = [_why(each) for each in document["others"]]
        raise UsageError(said[0] if len(said) == 1 else f"no transcript could be compared; the first: {said[0]}")
    if probing is not None:
        probing.add(document)
    Comparison.check(document)
    if html is not None:
        write_page(html, page(document))
    emit(settings, document, print_comparison)
    for each in document["others"]:
        note(f"not compared: {_why(each)}")


def _why(other: dict[str, Any]) -> str:
    """The file that was not compared, named once, and why."""
    why = str(other["why"].partition("; tried: ")[0])
    return why if why.startswith(other["source"]) else f"{other['source']}: {why}"
