"""Records, settings, people and orders that contradict each other; and what only looks as if it did."""

import json

import pytest

from .story import Event, compacted, findings, model, offered, step, user

HOW = {"origin": "JFK", "date": "2024-05-20"}


def rules(*told: Event | list[Event]) -> list[str]:
    """The rules of the pattern's findings."""
    return [f"{each.pattern}: {each.rule}" for each in findings(*told) if each.pattern == "clash"]


def flights(price: int, seats: int = 9) -> str:
    flight = {
        "flight_number": "HAT083",
        "origin": "JFK",
        "destination": "SEA",
        "available_seats": seats,
        "price": price,
    }
    return json.dumps([flight])


def test_two_answers_to_one_question_clash() -> None:
    one, two = step("search_flights", HOW, flights(230)), step("search_flights", HOW, flights(260))
    assert rules(user("What is the fare?"), one, two) == ["clash: field"]
    other = step("get_fare", {"flight_number": "HAT083", "date": "2024-05-20"}, flights(260))
    assert rules(user("What is the fare?"), one, other) == ["clash: field"]


@pytest.mark.parametrize(
    "second",
    [
        step("search_flights", {"origin": "JFK", "date": "2024-05-21"}, flights(260)),
        step("search_flights", HOW, flights(230, seats=3)),
        step("search_flights", HOW, flights(260).replace("HAT083", "HAT084")),
        [
            *step("set_fare", {"flight_number": "HAT083", "price": 260}, "ok"),
            *step("search_flights", HOW, flights(260)),
        ],
        [*compacted("Fares were read."), *step("search_flights", HOW, flights(260))],
    ],
    ids=["another day", "what changes by itself", "another flight", "changed in between", "out of the window"],
)
def test_other_things_and_later_states_do_not_clash(second: list[Event]) -> None:
    assert rules(user("What is the fare?"), step("search_flights", HOW, flights(230)), second) == []


@pytest.mark.parametrize(
    "claim",
    [
        "I'm a gold member.",
        "As a gold member I can take two bags with me.",
        "My membership is gold, so I have two bags.",
    ],
)
def test_what_people_say_they_are_against_their_record(claim: str) -> None:
    def profile(tier: str) -> list[Event]:
        return step("get_user", {"user_id": "mia_li_3668"}, json.dumps({"email": "mia@x.example", "membership": tier}))

    assert rules(user(claim), profile("silver"), model("Two bags are free.")) == ["clash: field"]
    assert rules(profile("silver"), user(claim), model("Two bags are free.")) == ["clash: field"]
    assert rules(user(claim), profile("gold"), model("Two bags are free.")) == []
    settled = model("Our records show that you are a silver member, so one bag is free.")
    assert rules(user(claim), profile("silver"), settled) == []
    assert rules(user("I think " + claim), profile("silver"), model("Two bags are free.")) == []


@pytest.mark.parametrize("told", ["Tier: gold", "The customer has gold status.", "membership: gold"])
def test_what_is_remembered_of_somebody_against_their_record(told: str) -> None:
    record = json.dumps({"email": "mia@x.example", "membership": "silver"})
    profile = step("get_user", {"user_id": "mia_li_3668"}, record)
    assert rules(user("Hello."), user(told, "summary"), profile) == ["clash: field"]
    assert rules(user("Hello."), user("Gold members have two bags.", "summary"), profile) == []


def test_what_people_have_against_their_record() -> None:
    booking = step("get_booking", {"booking_id": "XK3911"}, json.dumps({"booking_id": "XK3911", "insurance": "no"}))
    done = model("It is refunded.")
    assert rules(user("I bought travel insurance for this trip."), booking, done) == ["clash: field"]
    assert rules(booking, user("I have insurance."), done) == ["clash: field"]
    assert rules(user("I don't want insurance."), booking, done) == []
    assert rules(user("Do I have insurance?"), booking, done) == []


@pytest.mark.parametrize(
    "config",
    ["server:\n  port: 9090\n", '{\n  "port": 9090,\n  "host": "x"\n}', "PORT=9090\nHOST=x\n"],
)
def test_a_readme_against_the_settings(config: str) -> None:
    readme = step("read", {"path": "README.md"}, "     1→# App\n     2→The server listens on port 8080 by default.")
    assert rules(user("Look."), readme, step("read", {"path": "app.conf"}, config)) == ["clash: field"]
    assert rules(user("Look."), readme, step("read", {"path": "app.conf"}, config.replace("9090", "8080"))) == []
    address = step("read", {"path": "README.md"}, "# App\nOpen http://localhost:8080 in your browser.")
    assert rules(user("Look."), address, step("read", {"path": "app.conf"}, config)) == ["clash: field"]
    other = step("read", {"path": "README.md"}, "The Postgres database listens on port 5432 by default.")
    assert rules(user("Look."), other, step("read", {"path": "app.conf"}, config)) == []
    edit = step("edit", {"path": "app.conf", "old": "port: 8080", "new": "port: 9090"}, "ok")
    assert rules(user("Look."), readme, edit, step("read", {"path": "app.conf"}, config)) == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Keep your answers brief.", "Always give detailed answers."),
        ("Indent the code with tabs.", "Use four spaces to indent code."),
        ("Never use emojis in replies.", "Please use emojis in replies."),
        ("Always answer in English.", "Please reply in German."),
        ("You are Ada, the assistant of a bank.", "You are Max, a pirate."),
        ("Write your answers as bullet points.", "Don't use bullet points in answers."),
        ("Add comments to the code.", "Write the function, without comments."),
    ],
)
def test_orders_that_exclude_each_other(one: str, other: str) -> None:
    assert rules(offered(system=one), user(other)) == ["clash: order"]
    assert rules(user(one), model("ok"), user(other)) == ["clash: order"]
    assert rules(offered(system=one), user(one)) == []
    assert rules(user(one), model("ok"), user(f"Actually, {other[0].lower()}{other[1:]}")) == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Keep commit messages short, one line.", "Write a detailed report."),
        ("Use tabs in code.", "How many spaces are in this line?"),
        ("Never use emojis in code.", "Please use type hints in code."),
        ("Answer in English.", "The customer wrote in German."),
        ("You are a helpful clerk of a bank.", "You are an expert in loans."),
        ("Never delete files in the archive folder.", "Delete files in the build directory."),
    ],
)
def test_orders_for_different_things_go_together(one: str, other: str) -> None:
    assert rules(offered(system=one), user(other)) == []


def test_a_persona_that_is_not_what_the_system_says() -> None:
    system = offered(system="You are a helpful clerk of a bank.")
    for persona in ("Act as a pirate.", "Pretend to be a rude pirate.", "Stay in character as a pirate, please."):
        assert rules(system, user(persona)) == ["clash: order"]
    assert rules(system, user("Act as a clerk.")) == []


def test_labels_of_one_message_do_not_clash() -> None:
    blocks = [user("Context block two is here.\nThe limit of the plan is 5 users.")]
    assert rules(*blocks, user("And then?")) == []
