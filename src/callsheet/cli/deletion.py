"""`memory delete`, `memory certify`, `memory export`: what a subject may ask to be gone, shown gone, handed over."""

from pathlib import Path
from typing import Any

import click
from rich.console import Console

from .group import Settings, common, text_of
from .output import emit, fail_unless, note, table
from .report.words import several
from .session import opened, subject

LARGEST = 64 << 20
"""Bytes of a certificate, at most."""


@click.command(short_help="Delete all that is kept of a subject, one record, or a tenant.")
@click.argument("subject_id", metavar="[SUBJECT]", required=False)
@click.option("--subject", "named", metavar="S", help="The subject, as SUBJECT says it.")
@click.option("--record", metavar="R", help="One record, with what absorbed it, in place of a subject.")
@click.option("--tenant", metavar="T", help="The session's whole tenant, in place of a subject.")
@click.option("--everything", is_flag=True, hidden=True, help="What is done anyway.")
@common
@click.pass_obj
def delete(
    settings: Settings,
    subject_id: str | None,
    named: str | None,
    record: str | None,
    tenant: str | None,
    everything: bool,
) -> None:
    """Delete all that is kept of SUBJECT, of one record or of a tenant. What is left is searched, and the certificate
    of that is printed; exit with 1 where something was found.
    """
    chosen = [each for each in (subject_id, named, record, tenant) if each is not None]
    if len(chosen) != 1 or not chosen[0]:
        raise click.UsageError("Name one thing to delete: a subject, --record R or --tenant T.")
    with opened(settings) as (host, ctx):
        done = host.memory.delete(subject_id or named, ctx, record=record or "", tenant=tenant or "")
    document = {
        f"{done.whole}_id": done.subject,
        "deleted": done.total,
        "destroyed": done.destroyed,
        "absorbed": done.absorbed,
        "certificate": done.certificate,
    }
    emit(settings, document, print_deletion)
    fail_unless(not done.certificate.residue)


@click.command(short_help="Search everything for a subject and print a signed certificate, or verify one.")
@click.argument("subject_id", metavar="[SUBJECT]", required=False)
@click.option("--subject", "named", metavar="S", help="The subject, as SUBJECT says it.")
@click.option("--tenant", metavar="T", help="The session's whole tenant, once it was deleted, in place of a subject.")
@click.option("--text", "texts", multiple=True, help="Words to look for too; may be given several times.")
@click.option(
    "--texts", "listed", type=click.File("rb"), callback=text_of, help="A file of words to look for, a line each."
)
@click.option("--verify", type=click.Path(path_type=Path, dir_okay=False, exists=True), help="A certificate to verify.")
@click.option("--key", metavar="HEX", help="With --verify: the public key that must have signed it.")
@common
@click.pass_obj
def certify(
    settings: Settings,
    subject_id: str | None,
    named: str | None,
    tenant: str | None,
    texts: tuple[str, ...],
    listed: str | None,
    verify: Path | None,
    key: str | None,
) -> None:
    """Search everything that the tenant keeps for SUBJECT, by default the session's own, and print a signed certificate
    of where it looked; exit with 1 where something was found. With --verify, exit with 1 for a certificate that is
    forged, cut short, altered, signed by another key or of another tenant.
    """
    chosen = [each for each in (subject_id, named, tenant, verify) if each is not None]
    if len(chosen) > 1 or not all(map(str, chosen)):
        raise click.UsageError("Name one thing: a subject to look for, --tenant T, or a certificate with --verify.")
    with opened(settings) as (host, ctx):
        if verify is not None:
            said = host.memory.verify(read(verify), ctx, key)
            emit(settings, said, print_verified)
            fail_unless(said["valid"])
            return
        words = (*texts, *(listed.splitlines() if listed else ()))
        of = None if tenant else subject_id or named or subject(ctx)
        certificate = host.memory.certify(of, ctx, words, tenant=tenant or "")
    emit(settings, certificate, print_certificate)
    fail_unless(not certificate.residue)


@click.command(short_help="Print all that is kept of a subject, as one JSON document.")
@click.argument("subject_id", metavar="[SUBJECT]", required=False)
@click.option("--subject", "named", metavar="S", help="The subject, as SUBJECT says it.")
@common
@click.pass_obj
def export(settings: Settings, subject_id: str | None, named: str | None) -> None:
    """Print all that is kept of SUBJECT, by default the session's own: every kind, where it is from and where it was
    used, as one JSON document.
    """
    with opened(settings) as (host, ctx):
        document = host.memory.export(subject_id or named or subject(ctx), ctx)
    if not settings.json:
        note("an export is always one JSON document")
    settings.json = True
    emit(settings, document, lambda console, _: None)


def read(path: Path) -> bytes:
    """The bytes of a certificate; of one that is too long for any, its beginning, which is no whole document."""
    with path.open("rb") as file:
        return file.read(LARGEST)


def print_deletion(console: Console, document: dict[str, Any]) -> None:
    """Prints what was deleted, per store, what absorbed it, and the certificate in short."""
    rows = [[name, number] for name, number in document["destroyed"].items() if number]
    table(console, ("deleted of", "pieces"), rows)
    console.print(f"{several(document['deleted'], 'piece')} deleted")
    table(
        console,
        ("absorbed by", "what became of it", "number"),
        [[each["place"], each["what"], each["count"]] for each in document["absorbed"]],
    )
    print_certificate(console, document["certificate"])


def print_certificate(console: Console, document: dict[str, Any]) -> None:
    """Prints where was looked in short, what was found, and what is still to be done."""
    files = [each for each in document["looked_in"] if each["kind"] == "file"]
    tables = [each for each in document["looked_in"] if each["kind"] == "table"]
    console.print(
        f"looked for {several(document['probes'], 'piece')} of text in {several(len(files), 'file')} and "
        f"{several(len(tables), 'table')}: {several(len(document['residue']), 'trace')} left"
    )
    table(
        console,
        ("residue", "what", "pieces"),
        [[each["place"], each["what"], each["count"]] for each in document["residue"]],
    )
    others = [[each["place"], each["what"], each["count"]] for each in document["held_by_others"]]
    table(console, ("held by others", "what", "pieces"), others)
    for each in (*document["waiting"], *document["ages_out"]):
        console.print(each)
    console.print(f"signed by {document['public_key']}" if document["signature"] else "not signed")


def print_verified(console: Console, document: dict[str, Any]) -> None:
    """Prints whether a certificate holds, and why it does not."""
    if document["valid"]:
        console.print(f"valid: {document['whole']} {document['subject']}, made {document['made_at']}, "
                      f"{several(len(document['residue']), 'trace')} left")  # fmt: skip
    else:
        console.print(f"not valid: {document['why']}")
