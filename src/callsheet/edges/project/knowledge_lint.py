"""What lint finds in the documents under `knowledge/`, and in the rules for documents."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime

from ...core.documents.rules import matches
from ...core.documents.standing import cycles, version_of
from ...core.text.sections import sections
from ...model.ingest import Rule
from .knowledge import WrittenDocument, duplicate_problems
from .problem import Problem
from .text import Source
from .validate import nearest


def knowledge_problems(documents: Sequence[WrittenDocument], now: datetime | None) -> Iterator[Problem]:
    """Every problem of the documents and between them; what is overdue or to come is only judged at a time."""
    again = list(duplicate_problems(documents))
    yield from again
    repeated = {problem.file for problem in again}
    for written in documents:
        yield from _undated(written)
        yield from _dates(written, now)
        if written.source.file not in repeated:
            yield from _repeated_headings(written)
    yield from _supersession({each.document.document_id: each for each in documents})


def unused_rules(
    rules: Sequence[Rule], documents: Sequence[WrittenDocument], ingested: Collection[str], source: Source
) -> Iterator[Problem]:
    """One problem for each rule that matches no file, neither of the project nor of what was ingested."""
    paths = {each.path for each in documents} | set(ingested)
    for number, rule in enumerate(rules):
        if not any(matches(rule.match, path) for path in paths):
            why = f"the rule for {rule.match!r} matches no file under knowledge/ and none that was ingested"
            fix = "mend the pattern, which is held against paths inside the folder, or remove the rule"
            yield source.problem(_place(source, number), "unused-rule", why, fix)


def _place(source: Source, number: int) -> int:
    """The line of a rule's table, from 1."""
    lines = (at for at, line in enumerate(source.text.splitlines(), 1) if line.strip().startswith("[[knowledge.rule]]"))
    return next((at for place, at in enumerate(lines) if place == number), 1)


def _undated(written: WrittenDocument) -> Iterator[Problem]:
    missing = [key for key in ("version", "effective") if key not in written.keys]
    if missing:
        why = f"the document has no {' and no '.join(missing)}"
        fix = f"add {' and '.join(missing)} to its front matter"
        yield written.source.problem(1, "knowledge-without-version", why, fix)


def _dates(written: WrittenDocument, now: datetime | None) -> Iterator[Problem]:
    document, source = written.document, written.source
    begins, review, ends = document.effective, document.review_by, document.withdrawn
    if now is not None and review is not None and review <= now:
        why = f"its review was due by {review.date()}"
        yield source.problem(
            ("review_by",), "knowledge-past-review", why, "review it, then move review_by; or remove it"
        )
    for key, date in (("review_by", review), ("withdrawn", ends)):
        if begins is not None and date is not None and date < begins:
            why = f"{key} = {date.date()} lies before effective = {begins.date()}"
            yield source.problem((key,), "knowledge-dates", why, "mend one of the two dates")
    if now is not None and begins is not None and begins > now:
        why = f"it takes effect only on {begins.date()}; until then no search serves it"
        yield source.problem(("effective",), "knowledge-in-future", why, "wait for that day, or mend the date")


def _supersession(documents: Mapping[str, WrittenDocument]) -> Iterator[Problem]:
    for written in documents.values():
        for target in written.document.supersedes:
            if target.partition("@")[0] not in documents:
                why = f"it supersedes {target!r}, which is no document of this project"
                fix = nearest(target, sorted(documents), "documents")
                yield written.source.problem(("supersedes",), "knowledge-supersedes", why, fix)
    for circle in cycles([version_of(each.document) for each in documents.values()]):
        why, fix = f"{circle[0]} supersedes itself, which says nothing", "remove it, or name the older document"
        if len(circle) > 1:
            why = f"{', '.join(circle)} supersede each other; the newest of them stands"
            fix = "remove `supersedes` from the older ones"
        yield documents[circle[0]].source.problem(("supersedes",), "knowledge-supersedes", why, fix)


def _repeated_headings(written: WrittenDocument) -> Iterator[Problem]:
    found = sections(written.document, "")
    starts: dict[str, str] = {}
    for section in (s for s in found if s.text.lstrip().startswith("#")):
        heading = section.text.lstrip("# ").splitlines()[0].strip().casefold()
        if heading in starts:
            line = written.first_line + written.document.text[: section.start].count("\n")
            why = f"the heading {heading!r} occurs again: this one is cited as #{section.section}, by its place"
            yield written.source.problem(line, "duplicate-section", why, "give the two sections different headings")
        starts[heading] = section.section
