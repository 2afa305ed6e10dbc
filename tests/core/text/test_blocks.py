"""What a block weighs: its text, and each picture wherever it stands."""

from callsheet.core.diagnose.window import Counting, Windows
from callsheet.core.text.blocks import MEDIA_TOKENS, block_tokens
from callsheet.model.message import MediaBlock, Message, ResultBlock, TextBlock
from callsheet.model.transcript import Said

PICTURE = MediaBlock(type="image", data="AAAA")


def test_a_picture_in_a_tools_result_weighs_as_much_as_one_that_a_person_sent() -> None:
    shown = ResultBlock(call_id="c", blocks=(TextBlock(text="a page"), PICTURE, PICTURE))
    assert block_tokens(PICTURE, len) == MEDIA_TOKENS
    assert block_tokens(shown, len) == len("a page") + 2 * MEDIA_TOKENS


def test_the_window_of_a_transcript_counts_the_pictures_in_results() -> None:
    shown = ResultBlock(call_id="c", blocks=(TextBlock(text="a page"), PICTURE))
    window, parts = Windows(Counting("letters", len)).take(
        Said(record=0, message=Message("tool", (shown,)), speaker="tool")
    )
    assert parts[0].tokens == window.tokens()["tool_results"] == len("a page") + MEDIA_TOKENS
