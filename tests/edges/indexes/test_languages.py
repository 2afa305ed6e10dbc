"""Words meet inside a language in any of their forms; across languages vectors meet, and words hardly count."""

import pytest

from callsheet.core.retrieval.language import STEMMERS
from callsheet.edges.indexes.index import TenantIndex, open_index
from callsheet.model.evidence import Document, Query
from callsheet.ports import Means
from callsheet.testing import FakeEmbedder
from callsheet.testing.sources import DIMENSION

GERMAN = Document("de", "# Schlüssel\n\nGesperrte Schlüssel werden nicht wieder freigegeben, und das ist so gewollt.")
POLISH = Document("pl", "# Klucze\n\nUnieważnionych kluczy nie można przywrócić, jest to zamierzone.")
ENGLISH = Document("en", "# Keys\n\nRevoked keys are never restored, and that is on purpose.")
OTHERS = [
    Document("de-other", "# Rechnung\n\nDie Rechnungen werden am Ende des Monats verschickt und sind sofort fällig."),
    Document("pl-other", "# Faktury\n\nFaktury są wysyłane na koniec miesiąca i można je opłacić przelewem."),
    Document("en-other", "# Invoices\n\nThe invoices are sent at the end of the month and can be paid by transfer."),
]


def index(*documents: Document, embedder: FakeEmbedder | None = None) -> TenantIndex:
    made = open_index(":memory:", "t1", embedder=embedder)
    made.ingest(documents)
    while made.embed():
        pass
    return made


def names(found: TenantIndex, text: str) -> list[str]:
    return [each.document_id for each in found.search(Query("knowledge", "t1", text=text)).evidence]


@pytest.mark.parametrize(
    ("document", "question"),
    [
        (GERMAN, "Wird ein gesperrter Schlüssel freigegeben?"),
        (GERMAN, "Freigabe sperren gesperrtem Schlüsseln"),
        (POLISH, "Czy unieważniony klucz można przywrócić?"),
        (POLISH, "przywrócenie unieważnionego klucza"),
        (ENGLISH, "Can a revoked key be restored?"),
    ],
)
def test_an_inflected_word_meets_its_other_forms_beside_texts_of_other_languages(
    document: Document, question: str
) -> None:
    assert names(index(GERMAN, POLISH, ENGLISH, *OTHERS), question)[0] == document.document_id


class Bilingual(FakeEmbedder):
    """An embedder to which a German word is its English one."""

    WORDS = (("schlüssel", "keys"), ("gesperrt", "revoked"), ("warum", "never"))

    def _vector(self, text: str) -> bytes:
        plain = text.casefold()
        for german, english in self.WORDS:
            plain = plain.replace(german, english)
        return super()._vector(plain)


def test_a_question_in_another_language_finds_by_its_vector_what_no_word_of_it_does() -> None:
    english = [ENGLISH, *(each for each in OTHERS if each.document_id == "en-other")]
    question = "Warum ist der Schlüssel gesperrt und nicht die Rechnung?"
    assert names(index(*english), question) == []
    assert names(index(*english, embedder=Bilingual()), question)[0] == "en"


def test_a_word_that_two_languages_share_by_accident_does_not_decide() -> None:
    accident = Document("en-accident", "# Die\n\nA die of this tool was on the table, and the ist is a typing error.")
    found = index(ENGLISH, accident, embedder=Bilingual())
    assert names(found, "Warum ist der Schlüssel gesperrt und nicht die Rechnung?")[0] == "en"


def test_few_words_that_meet_count_for_less_than_most_that_do() -> None:
    named = Document("named", "# Zebra\n\nThe zebra.")
    meant = Document("meant", "# Keys\n\nWhat is revoked is never restored: revoked keys.")
    found = index(named, meant, embedder=Bilingual())
    assert names(found, "zebra gesperrt schlüssel warum")[0] == "meant"
    assert names(found, "zebra")[0] == "named"


def test_a_language_that_holds_the_words_of_a_question_is_trusted_and_another_is_not() -> None:
    accident = Document("accident", "# Die\n\nA die on the table, and the ist is a typing error in this tool.")
    found = index(ENGLISH, accident, GERMAN, embedder=Bilingual())
    assert names(found, "Wird ein gesperrter Schlüssel freigegeben?")[:2] == [GERMAN.document_id, "en"]


def test_words_of_what_is_most_alike_raise_what_shares_them() -> None:
    alike = [Document(f"alike-{number}", f"Revoked keys {number}: never a refund.") for number in range(3)]
    sharing, other = Document("sharing", "A zebra with a refund."), Document("other", "A zebra with a stable.")
    question = Query("knowledge", "t1", text="zebra gesperrt schlüssel warum")
    found = index(*alike, other, sharing, embedder=Bilingual()).search(question).evidence
    lexical = {each.document_id: each.scores.lexical for each in found if each.scores}
    assert lexical["sharing"] > lexical["other"]


def test_a_short_section_is_found_by_what_its_document_is_about() -> None:
    about = Document("about", "# Pelican\n\nThe pelican eats fish.\n\n## Impact\n\nMetrics may be missing.")
    other = Document("other", "# Heron\n\nThe heron sleeps.\n\n## Impact\n\nMetrics may be missing.")
    found = index(other, about, embedder=FakeEmbedder()).search(Query("knowledge", "t1", text="impact of the pelican"))
    impacts = [each.document_id for each in found.evidence if each.text.endswith("missing.")]
    assert impacts[0] == "about"


def test_the_only_section_there_is_can_be_found_by_its_vector() -> None:
    embedder = Bilingual(means=Means({code: bytes(4 * DIMENSION) for code in STEMMERS}, bytes(4 * DIMENSION)))
    assert names(index(ENGLISH, embedder=embedder), "Warum ist der Schlüssel gesperrt?") == ["en"]
