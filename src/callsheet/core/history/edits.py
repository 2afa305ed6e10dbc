"""What steps note of what they did, and why they did nothing: each cause once, for as long as it holds."""

from dataclasses import replace

from ...model.history import Edit, Standing


def noted(standing: Standing, edit: Edit) -> Standing:
    """The standing with one more edit; the same one where the step's last edit was a refusal for the same cause."""
    if edit.refused:
        last = next((each for each in reversed(standing.edits) if each.step == edit.step), None)
        if last is not None and last.refused == edit.refused:
            return standing
    return replace(standing, edits=(*standing.edits, edit))
