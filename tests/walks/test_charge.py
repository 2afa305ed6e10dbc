"""A tool that charges and then does not answer in time: charged exactly once, whatever the run knows of it."""

import os
from pathlib import Path
from typing import Any

import pytest

from callsheet import Host
from callsheet.core.run import UNKNOWN
from callsheet.errors import ProjectError
from callsheet.host.host import Overrides, open_host
from callsheet.testing import SCRIPTED, FixedClock, ScriptedModel

PROJECT = """
[project]
name = "shop"
policy_version = "v1"

[session]
tenant = "acme"
actor = "customer:u1"
subject = "u1"

[gate]
confirm_effects = []

[decision.pay]
purpose = "sales"
entry = true
allowlist = ["charge"]
proposals = ["calls", "answer"]
then = "pay"
"""
TOOLS = '''
from pathlib import Path

from typing_extensions import TypedDict

from callsheet import tool

HERE = Path(__file__).parent


class Charge(TypedDict):
    amount: int
    charge: str


class Found(TypedDict):
    happened: bool | None
    charge: str


@tool(effects="read")
def find_charge(card: str, amount: int) -> Found:
    """Says whether a card was charged this amount."""
    if (HERE / "silent").exists():
        return {"happened": None, "charge": ""}
    made = (HERE / "charges").read_text().splitlines() if (HERE / "charges").exists() else []
    return {"happened": f"{card} {amount}" in made, "charge": "ch_1"}


@tool(effects="irreversible", timeout=0.2, reconcile=RECONCILE)
def charge(card: str, amount: int) -> Charge:
    """Charges a card."""
    if not (HERE / "lost").exists():
        with (HERE / "charges").open("a") as file:
            file.write(f"{card} {amount}\\n")
    (HERE / "answer").read_text()  # a pipe: nothing comes out of it until somebody writes
    return {"amount": amount, "charge": "ch_1"}
'''
CALL = {"kind": "calls", "calls": [{"tool": "charge", "arguments": {"card": "4242", "amount": 20}}]}
ANSWER = {"kind": "answer", "answer": "The card was charged once."}


@pytest.fixture
def shop(tmp_path: Path):
    """A project whose tool does not answer until the test says so; what still waits is let go at the end."""
    folder = tmp_path / "shop"
    folder.mkdir()
    (folder / "callsheet.toml").write_text(PROJECT)
    (folder / "tools.py").write_text(TOOLS.replace("RECONCILE", '"find_charge"'))
    os.mkfifo(folder / "answer")
    yield folder
    answered(folder)


def answered(folder: Path) -> None:
    """Lets a call that still waits for its pipe end."""
    try:
        os.close(os.open(folder / "answer", os.O_WRONLY | os.O_NONBLOCK))
    except OSError:
        return  # nobody waits


def opened(folder: Path) -> Host:
    def reply(body: bytes) -> dict[str, Any]:
        return ANSWER if b"charge says:" in body else CALL

    overrides = Overrides(model=ScriptedModel(SCRIPTED, reply), clock=FixedClock(), token=lambda: "charge")
    return open_host(folder, folder / "data", overrides)


def charges(folder: Path) -> list[str]:
    file = folder / "charges"
    return file.read_text().splitlines() if file.exists() else []


def statuses(result: Any) -> list[str]:
    return [each.observation.status for step in result.steps for each in step.calls]


def test_a_charge_that_times_out_is_made_once_reads_as_unknown_and_is_settled_by_asking(shop):
    with opened(shop) as host:
        first = host.run("Charge card 4242 with 20.")
    answered(shop)
    assert (first.outcome, statuses(first), charges(shop)) == ("unknown", ["unknown"], ["4242 20"])
    assert first.next_steps == (UNKNOWN,)
    with opened(shop) as host:
        then = host.run(resume=first.run_id)
        assert (then.outcome, then.answer) == ("answer", "The card was charged once.")
        assert statuses(then) == ["ok"] and charges(shop) == ["4242 20"]
        assert then.steps[0].calls[0].observation.result == {"charge": "ch_1"}
        assert all(host.replay(each)["identical"] for each in then.request_ids)


def test_one_that_did_not_happen_may_be_proposed_again_and_is_then_made_once(shop):
    (shop / "lost").touch()
    with opened(shop) as host:
        first = host.run("Charge card 4242 with 20.")
    answered(shop)
    assert (first.outcome, charges(shop)) == ("unknown", [])
    (shop / "lost").unlink()
    with opened(shop) as host:
        then = host.run(resume=first.run_id)
    assert (statuses(then), charges(shop)) == (["failed", "unknown"], ["4242 20"])
    assert then.steps[0].calls[0].observation.note == "not-run: it did not happen, as find_charge says"


@pytest.mark.parametrize("hook", ["nobody to ask", "no answer"])
def test_while_nobody_can_say_it_is_never_made_again_however_often_it_is_proposed(shop, hook):
    if hook == "nobody to ask":
        (shop / "tools.py").write_text(TOOLS.replace("RECONCILE", '""'))
    (shop / "silent").touch()
    with opened(shop) as host:
        run_id = host.run("Charge card 4242 with 20.").run_id
    answered(shop)
    for _ in range(2):
        with opened(shop) as host:
            then = host.run(resume=run_id)
        assert then.outcome == "unknown" and charges(shop) == ["4242 20"]


@pytest.mark.parametrize("hook", ['"find_refund"', "charge_back"])
def test_a_tool_that_is_to_be_asked_must_be_there_and_only_read(shop, hook):
    broken = TOOLS.replace("RECONCILE", hook)
    if hook == "charge_back":
        made = '@tool(effects="write")\ndef charge_back(card: str) -> bool:\n    """Undoes."""\n    return True\n\n\n'
        broken = broken.replace('@tool(effects="irreversible"', made + '@tool(effects="irreversible"')
    (shop / "tools.py").write_text(broken)
    with pytest.raises(ProjectError, match="no tool of this file that only reads"):
        opened(shop).close()
