"""One prompt put to a model, and its response read: what every summariser does, whatever it asks."""

from ...core.render.dialects import illegal, read_response, render
from ...model.message import Response
from ...model.prompt import Prompt
from ...ports import Model


def answer(model: Model, prompt: Prompt) -> Response | str:
    """The model's response, or why there is none: the prompt breaks a rule of the dialect, the call failed, or its
    reply cannot be read."""
    profile = model.profile
    if refused := illegal(prompt, profile):
        return f"{refused.rule}: {refused.why}"
    reply = model.call(render(prompt, profile.dialect, frozenset()).body)
    if reply.error:
        return reply.error
    try:
        return read_response(reply.body, profile.dialect)
    except ValueError as error:
        return str(error)
