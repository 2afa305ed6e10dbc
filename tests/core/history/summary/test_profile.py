"""The method and the domain that fit a session, with the reason."""

from callsheet.core.history.summary.profile import propose

from ..dialogue import Dialogue


def test_a_long_session_is_anchored_whatever_it_is_about():
    talk = Dialogue()
    for at in range(60):
        talk.person(f"Tell me about town {at}.")
        talk.model(f"Town {at} lies on a river.")
    assert propose(talk.entries).method == "anchored" and "120 messages" in propose(talk.entries).why


def test_a_session_with_files_is_anchored_and_about_code():
    talk = Dialogue()
    talk.person("Add a page.")
    talk.did("write_file", {"path": "page.html", "content": "<p>"})
    found = propose(talk.entries)
    assert (found.method, found.domain) == ("anchored", "coding") and "1 files" in found.why


def test_a_session_that_verifies_something_is_anchored():
    talk = Dialogue()
    talk.did("bash", {"command": "make test"}, "ok")
    assert propose(talk.entries).method == "anchored"


def test_a_short_session_that_only_asks_and_fetches_is_opaque():
    talk = Dialogue()
    talk.person("What is the weather in Oslo?")
    talk.did("search", {"query": "Oslo"}, "sunny")
    talk.model("Sunny.")
    assert propose(talk.entries).method == "opaque"


def test_phases_that_people_read_are_regenerative():
    talk = Dialogue()
    for at in range(22):
        talk.person(f"Now phase {at}.")
        talk.model(f"Phase {at} is planned as follows.")
    assert propose(talk.entries).method == "regenerative"


def test_the_domain_is_told_by_what_is_said():
    said = {
        "debugging": ("The login fails with a 500 error.", "The root cause is a regression, I fix the bug.", True),
        "migration": ("Migrate the users table.", "The migration changes the schema of users.", True),
        "support": ("Where is my refund for the order?", "Your order was refunded to the account.", False),
        "research": ("Which sources say so?", "According to two papers the evidence is weak.", False),
        "general": ("Hello there.", "Good morning to you.", False),
    }
    for domain, (person, model, files) in said.items():
        talk = Dialogue()
        talk.person(person)
        talk.model(model)
        if files:
            talk.did("read_file", {"path": "a.py"})
        assert propose(talk.entries).domain == domain
