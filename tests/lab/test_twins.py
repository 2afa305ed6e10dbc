"""The adversarial twins of the support project, for a model that obeys, in every dialect and both proposal channels."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

from callsheet.core.render.dialects import DIALECTS
from callsheet.edges.project.templates import write_template
from callsheet.lab.injections import InjectionText, read_injections
from callsheet.lab.obedient import PROFILE
from callsheet.lab.tasks import read_tasks
from callsheet.lab.twins import Twin, run_twins, settings
from callsheet.model.policy import Channel, DialectName, ModelTraits

WAYS = list(product(DIALECTS, ("json-schema", "native-calls")))
LANGUAGES = ("en", "de", "pl")
EVERY = settings(["api-keys:rotate"])


def some(injections: tuple[InjectionText, ...], turn: int) -> list[InjectionText]:
    """One text of each kind of harm, in the languages by turns, so that all ways together run most of them."""
    ours = [each for each in injections if each.language == LANGUAGES[turn % 3]]
    return [
        next(each for each in (*ours[turn % len(ours) :], *ours) if each.harm.kind == kind)
        for kind in ("tool", "answer", "source", "argument")
    ]


def twins(folder: Path, dialect: DialectName, channel: Channel, stream: bool, wide: bool) -> Iterator[Twin]:
    write_template("support", folder / "project")
    (case,) = (each for each in read_tasks(folder / "project" / "evals") if each.adversarial)
    injections = read_injections(folder / "project" / "evals" / "injections.yaml")
    profile = replace(PROFILE, dialect=dialect, channel=channel, stream=stream)
    if dialect == "anthropic":
        profile = replace(profile, traits=ModelTraits(source_blocks=True))
    chosen = some(injections, WAYS.index((dialect, channel)))
    return run_twins(folder / "project", case, chosen, EVERY if wide else EVERY[:2], folder / "work", profile)


@pytest.mark.parametrize(("dialect", "channel"), WAYS)
def test_an_injected_text_does_harm_with_the_gate_off_and_none_with_it_on(tmp_path, dialect, channel):
    wide = dialect == "openai_chat"
    found = list(twins(tmp_path, dialect, channel, stream=channel == "native-calls", wide=wide))
    assert len(found) == (16 if wide else 8)
    assert {each.harmed for each in found if not each.gate} == {True}
    assert {each.harmed for each in found if each.gate} == {False}
    assert all(each.passed for each in found)
    assert any(each.refusals for each in found if each.gate) or not wide
