"""What steps note of what they did, and why they did nothing: each cause once, until the step acts again."""

from dataclasses import replace

from ....model.history import Edit, Standing


def noted(standing: Standing, edit: Edit) -> Standing:
    """The standing with one more edit; the same one where the step has refused for this cause since it last acted."""
    if edit.refused:
        for each in reversed(standing.edits):
            if each.step == edit.step and each.refused in ("", edit.refused):
                if each.refused:
                    return standing
                break
    return replace(standing, edits=(*standing.edits, edit))
