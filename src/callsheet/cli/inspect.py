"""`inspect`: the diagnosis of a transcript."""

import click

from ..transcripts import inspect as inspected
from .group import Settings, common
from .output import emit
from .printing import print_fields


@click.command(short_help="Say what an agent's transcript cost, and what went wrong in it.")
@click.argument("transcript", metavar="TRANSCRIPT")
@click.option("--tokenizer", metavar="NAME|FILE.gguf", help="Count by qwen2.5, o200k, estimate, or a model's file.")
@common
@click.pass_obj
def inspect(settings: Settings, transcript: str, tokenizer: str | None) -> None:
    """Say what the agent's session in TRANSCRIPT paid for, what broke its cache and what went wrong; "-" is stdin."""
    emit(settings, inspected(transcript, tokenizer=tokenizer), print_fields)
