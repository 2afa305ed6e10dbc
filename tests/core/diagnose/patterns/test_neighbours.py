"""One thing taken for another of its kind; and what a person agreed to, or asked for as well."""

import json

import pytest

from callsheet.model.message import ToolDefinition

from .story import Event, findings, model, offered, step, user

LIST = step("get_profile", {"name": "Ann"}, json.dumps({"orders": ["W2378156", "W4817420"]}))


def rules(*told: Event | list[Event]) -> list[str]:
    """The rules of the pattern's findings."""
    return [f"{each.pattern}: {each.rule}" for each in findings(*told) if each.pattern == "confusion"]


def looked(order: str, item: str = "") -> list[Event]:
    return step("get_order", {"order_id": order}, json.dumps({"order_id": order, "item_id": item}))


@pytest.mark.parametrize(
    "asked",
    [
        "Cancel my order W2378156.",
        "Please cancel order #W2378156, I don't need it.",
        "The order is W2378156. Cancel it!",
    ],
)
def test_another_order_than_the_one_named_is_changed(asked: str) -> None:
    wrong = step("cancel_order", {"order_id": "W4817420"}, "ok")
    assert rules(user(asked), LIST, wrong, model("Done.")) == ["confusion: another-changed"]
    assert rules(user(asked), LIST, step("cancel_order", {"order_id": "W2378156"}, "ok"), model("Done.")) == []
    both = user(f"{asked} And the other order too.")
    assert rules(both, LIST, wrong, model("Done.")) == []
    agreed = [model("Order W4817420 can be cancelled. Shall I?"), user("Yes.")]
    assert rules(user(asked), LIST, *agreed, wrong, model("Done.")) == []
    assert rules(user(asked), LIST, model("Which?"), user("W4817420, please."), wrong, model("Done.")) == []


def test_another_order_than_the_one_named_is_looked_up() -> None:
    asked = user("Where is my order W2378156?")
    answer = model("It is on its way.")
    assert rules(asked, LIST, looked("W4817420"), answer) == ["confusion: another-looked-up"]
    assert rules(asked, LIST, looked("W4817420"), looked("W2378156"), answer) == []


def test_the_value_of_a_sister_record() -> None:
    known = [*looked("W2378156", "8214883393"), *looked("W4817420", "6777246137")]
    back = {"order_id": "W2378156", "item_ids": ["6777246137"]}
    asked = user("Return the lamp.")
    assert rules(asked, *known, step("return_items", back, "ok")) == ["confusion: neighbours-value"]
    said = model("Your order W2378156 with item 6777246137 will be returned.")
    assert rules(asked, *known, said) == ["confusion: neighbours-value"]
    right = {"order_id": "W2378156", "item_ids": ["8214883393"]}
    assert rules(asked, *known, step("return_items", right, "ok")) == []
    product = step("search_products", {"name": "lamp"}, '["6777246137"]')
    assert rules(asked, *known, product, step("return_items", back, "ok")) == []


def test_the_records_of_another_customer() -> None:
    find = step("find_user", {"email": "a@x.example"}, "ann_lee_7701")
    theirs = step(
        "get_order", {"order_id": "W4817420"}, json.dumps({"order_id": "W4817420", "user_id": "bob_ray_1234"})
    )
    cancel = step("cancel_order", {"order_id": "W4817420"}, "ok")
    assert rules(user("Cancel my order."), find, theirs, cancel) == ["confusion: another-changed"]
    own = step("get_order", {"order_id": "W4817420"}, json.dumps({"order_id": "W4817420", "user_id": "ann_lee_7701"}))
    assert rules(user("Cancel my order."), find, own, cancel) == []


@pytest.mark.parametrize(
    "said", ["We run Django 4.2.", "Our Django version 4.2 breaks.", "It is on Django v4.2, in Docker."]
)
def test_the_page_of_another_version(said: str) -> None:
    def page(number: str) -> list[Event]:
        return step("fetch", {"url": f"https://docs.example/django/{number}/settings"}, "Use the new setting.")

    assert rules(user(said), page("2.0")) == ["confusion: another-version"]
    assert rules(user(said), page("4.2")) == []
    assert rules(user(f"{said} We migrate from an older one."), page("2.0")) == []


def test_an_unoffered_name_that_works_was_offered_elsewhere() -> None:
    tools = offered(ToolDefinition(name="read_file"))
    assert rules(tools, user("Go."), step("web_search", {"q": "x"}, "three results", False)) == []
    assert rules(tools, user("Go."), step("web_search", {"q": "x"}, "failed", True)) == ["confusion: invented-tool"]


def test_tools_alike_that_are_called_at_once_are_meant_to_be_two() -> None:
    words = "Gets the time or weather of a city by its name or its code"
    tools = offered(*(ToolDefinition(name=name, description=words) for name in ("get_time", "get_weather")))
    where = {"city": "Paris, in the north of France"}
    from_both = model("", ("get_time", where), ("get_weather", where))
    assert rules(tools, user("Both, please."), from_both) == []
