"""The page of `inspect` in a real Chromium: what it draws, what it asks of the network, how it is used by keyboard."""

import json
import os
import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from callsheet.cli.report.document import document
from callsheet.cli.report.page import page as written
from callsheet.model.diagnosis import Diagnosis
from callsheet.model.message import Usage

from ..diagnoses import EMPTY, HOSTILE, session

pytestmark = pytest.mark.e2e

Shape = dict[str, Any]
Open = Callable[..., AbstractContextManager[Any]]
SIZES = [(1280, 900), (390, 844)]
BUCKETS = ("system", "tool_definitions", "tool_results", "conversation", "thinking", "evidence", "memory", "unseen")
FOCUSED = """() => {
    const node = document.activeElement, style = getComputedStyle(node), box = node.getBoundingClientRect();
    const named = node.getAttribute('aria-label') || node.labels?.[0]?.textContent || node.textContent;
    return {tag: node.tagName, id: node.id, name: named.trim(), role: node.getAttribute('role'),
            outline: style.outlineStyle === 'none' ? 0 : parseFloat(style.outlineWidth),
            seen: box.width > 0 && box.bottom > 0 && box.top < innerHeight};
}"""


@pytest.fixture(scope="session")
def browser(request: pytest.FixtureRequest) -> Iterator[Any]:
    """A headless Chromium; without one the test skips, or fails under --require-browser."""
    program = import_module(".browser", __package__).chromium() if find_spec("playwright") else None
    if program is None:
        say = pytest.fail if request.config.getoption("--require-browser") else pytest.skip
        say("no Chromium to show the page in: make browser installs one")
    with import_module("playwright.sync_api").sync_playwright() as playwright:
        # As root, as in a container, Chromium starts without its sandbox or not at all.
        arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
        yield playwright.chromium.launch(executable_path=program, args=arguments)


@pytest.fixture
def opened(browser: Any, tmp_path: Path) -> Open:
    """Opens the page of a diagnosis from its file; after its use it must have said no error and asked for nothing."""

    @contextmanager
    def open_page(diagnosis: Diagnosis, size: tuple[int, int] = SIZES[0], scheme: str = "light") -> Iterator[Any]:
        file = tmp_path / "report.html"
        file.write_text(written(document(diagnosis)), encoding="utf-8")
        viewport = {"width": size[0], "height": size[1]}
        context = browser.new_context(viewport=viewport, color_scheme=scheme, reduced_motion="reduce")
        asked, said = [], []
        shown = context.new_page()
        shown.on("request", lambda each: asked.append(each.url))
        shown.on("console", lambda each: said.append(each.text))
        shown.on("pageerror", lambda each: said.append(str(each)))
        shown.goto(file.as_uri())
        yield shown
        assert said == []
        assert asked == [file.as_uri()]
        context.close()

    return open_page


def values(page: Any, selector: str) -> list[float]:
    """The numbers that a page shows, as a program reads them."""
    read = page.eval_on_selector_all(selector, "nodes => nodes.map(node => Number(node.value))")
    return [float(each) for each in read]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("turns", [40, 4_000])
def test_a_session_fits_the_screen_and_draws_every_part(
    opened: Open, turns: int, scheme: str, size: tuple[int, int]
) -> None:
    with opened(session(turns), size, scheme) as page:
        assert page.evaluate("document.documentElement.scrollWidth") == size[0]
        drawn = page.eval_on_selector_all("#plot path", "paths => paths.map(path => path.getAttribute('d').length)")
        assert len(drawn) >= len(BUCKETS) + 2 and min(drawn) > 0
        for part in ("facts", "paid", "broke", "first", "pins", "findings-list", "breaks", "tools", "files", "figures"):
            assert page.locator(f"#{part}").inner_text().strip(), part
        page.evaluate("window.scrollTo(0, document.body.scrollHeight)")
        assert page.locator("footer").is_visible()


def test_no_text_is_too_pale_to_read(opened: Open) -> None:
    for scheme in ("light", "dark"):
        with opened(session(40), scheme=scheme) as page:
            page.locator(".finding summary").first.click()
            pale = page.evaluate(PALE)
            assert pale == [], scheme


PALE = """() => {
    const light = (text) => {
        const part = text.match(/[\\d.]+/g).slice(0, 3).map(each => each / 255)
            .map(each => each <= 0.03928 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4);
        return 0.2126 * part[0] + 0.7152 * part[1] + 0.0722 * part[2];
    };
    const ground = (node) => {
        for (let at = node; at; at = at.parentElement) {
            const colour = getComputedStyle(at).backgroundColor;
            if (!/, 0\\)$/.test(colour)) return colour;
        }
        return 'rgb(255, 255, 255)';
    };
    const pale = [];
    for (const node of document.querySelectorAll('body *')) {
        const own = [...node.childNodes].some(child => child.nodeType === 3 && child.data.trim());
        if (!own || node.closest('svg, script, style, noscript, :disabled') || !node.checkVisibility()) continue;
        const pair = [light(getComputedStyle(node).color), light(ground(node))].sort((one, other) => other - one);
        const contrast = (pair[0] + 0.05) / (pair[1] + 0.05);
        if (contrast < 4.5) pale.push(`${node.className} ${node.textContent.slice(0, 30)} ${contrast.toFixed(2)}`);
    }
    return pale;
}"""


def test_the_numbers_on_the_page_are_those_of_the_document(opened: Open) -> None:
    diagnosis = session(40)
    report = document(diagnosis)
    usage = report["usage"]
    with opened(diagnosis) as page:
        expected = {
            "turns": report["turns"],
            "model-calls": report["model_calls"],
            "tool-calls": report["tool_calls"],
            "input": usage["input"] + usage["cached_read"] + usage["cache_write"],
            "cached-read": usage["cached_read"],
            "output": usage["output"],
            "cost": report["cost"],
            "billed": sum(report["billed"].values()),
        }
        assert {name: values(page, f"#{name}") for name in expected} == {
            name: [value] for name, value in expected.items()
        }
        billed = {name: values(page, f"[data-bucket={name}]") for name in BUCKETS}
        assert billed == {name: [tokens] for name, tokens in report["billed"].items()}
        for part in ("findings", "breaks", "tools", "artifacts"):
            rows = {**report, "breaks": report["cache"]["breaks"], "tools": report["catalogue"]["tools"]}[part]
            assert page.locator(f"#count-{part}").inner_text() == f"{len(rows):,}"
        assert values(page, "#breaks td:nth-child(5) data") == [each["lost"] for each in report["cache"]["breaks"]]
        tools = sorted((each["calls"] for each in report["catalogue"]["tools"]), reverse=True)
        page.get_by_role("region", name="Tools").get_by_role("button", name="Calls", exact=True).click()
        assert values(page, "#tools td:nth-child(6) data") == tools
        assert values(page, "#files td:nth-child(3) data") == [len(each["reads"]) for each in report["artifacts"]]


def test_every_turn_shows_its_own_tokens(opened: Open) -> None:
    diagnosis = session(40)
    with opened(diagnosis) as page:
        page.focus("#plot")
        page.keyboard.press("Home")
        for turn in document(diagnosis)["buckets"]:
            assert page.get_attribute("#plot", "aria-valuenow") == str(turn["turn"])
            assert values(page, "#turn-prompt, #turn-billed") == [
                sum(turn["prompt"].values()),
                sum(turn["billed"].values()),
            ]
            assert f"{sum(turn['prompt'].values()):,} tokens" in page.get_attribute("#plot", "aria-valuetext")
            page.keyboard.press("ArrowRight")


def test_texts_of_a_transcript_stay_texts(opened: Open) -> None:
    for text in (*HOSTILE, "".join(HOSTILE)):
        with opened(session(12, text)) as page:
            page.locator(".finding summary").first.click()
            assert page.title().endswith("callsheet inspect")
            assert (
                page.locator("script").count() == 2 and page.locator("img, iframe, link:not([rel=icon])").count() == 0
            )
            said = text.replace("\ud83d", "\ufffd").replace("\ude00", "\ufffd")
            assert page.locator("blockquote").nth(1).evaluate("node => node.textContent") == said


def test_the_policy_of_the_page_runs_no_other_script_and_loads_nothing(browser: Any, tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    file.write_text(written(document(session(4))), encoding="utf-8")
    page = browser.new_page()
    page.goto(file.as_uri())
    page.evaluate("""() => {
        window.refused = [];
        addEventListener('securitypolicyviolation', event => refused.push(event.effectiveDirective));
        const script = Object.assign(document.createElement('script'), {textContent: "document.title = 'owned'"});
        const style = Object.assign(document.createElement('style'), {textContent: 'body { display: none }'});
        const image = Object.assign(document.createElement('img'), {src: 'http://127.0.0.1:9/pixel.gif'});
        document.body.append(script, style, image);
        document.body.insertAdjacentHTML('beforeend', '<b onclick="1" style="color:red">x</b>');
    }""")
    page.wait_for_function("refused.length >= 4")
    assert {"script-src-elem", "style-src-elem", "img-src", "style-src-attr"} <= set(page.evaluate("refused"))
    assert page.title() != "owned" and page.locator("body").is_visible()
    page.close()


def test_every_stop_of_the_keyboard_has_a_name_and_a_visible_focus(opened: Open) -> None:
    with opened(session(40)) as page:
        stops = []
        for _ in range(200):
            page.keyboard.press("Tab")
            stop = page.evaluate(FOCUSED)
            if stop["tag"] == "BODY":
                break
            stops.append(stop)
        assert [stop for stop in stops if not stop["name"] or stop["outline"] < 2 or not stop["seen"]] == []
        names = [stop["name"] for stop in stops]
        assert (
            names[0] == "Skip to the report" and "Turn" in names and "Zoom in" in names and "Filter Artifacts" in names
        )
        assert len([stop for stop in stops if stop["tag"] == "SUMMARY"]) >= 6
        assert len(stops) < 200


def test_the_timeline_is_walked_zoomed_and_opened_by_keyboard(opened: Open) -> None:
    with opened(session(4_000)) as page:
        page.focus("#plot")
        page.keyboard.press("End")
        assert page.get_attribute("#plot", "aria-valuenow") == "4000"
        assert "Turn 4,000" in page.inner_text("#turn h3")
        assert page.locator("#overview").is_hidden()
        for _ in range(20):
            page.keyboard.press("+")
        assert page.locator("#overview").is_visible() and page.locator("#zoom-in").is_disabled()
        assert "Click a turn" in page.inner_text("#readout")
        page.keyboard.press("0")
        assert page.locator("#zoom-all").is_disabled() and "largest of" in page.inner_text("#readout")
        page.keyboard.press("Home")
        for _ in range(4):
            page.keyboard.press("ArrowRight")
        page.keyboard.press("Enter")
        assert page.evaluate("document.activeElement.parentElement.id") == "finding-0"
        assert page.get_attribute("#finding-0", "open") is not None


def test_a_bar_is_never_too_narrow_to_see_and_no_peak_is_lost(opened: Open) -> None:
    diagnosis = session(4_000)
    highest = max(sum(turn["prompt"].values()) for turn in document(diagnosis)["buckets"])
    for size in SIZES:
        with opened(diagnosis, size) as page:
            bars = page.eval_on_selector(
                "#plot path.system",
                "path => [...path.getAttribute('d').matchAll(/h([\\d.]+)v/g)].map(bar => Number(bar[1]))",
            )
            assert 50 < len(bars) <= size[0] / 3 and min(bars[:-1]) >= 2.5
            tops = page.eval_on_selector_all("#plot path[class]", "paths => paths.map(path => path.getBBox().y)")
            height, most = (150, 100_000) if size[0] < 600 else (200, 100_000)
            assert min(tops) == pytest.approx(height * (1 - highest / most), abs=1)


def test_pointing_at_the_timeline_chooses_zooms_and_goes_back(opened: Open) -> None:
    with opened(session(400)) as page:
        box = page.locator("#plot").bounding_box()
        page.mouse.click(box["x"] + box["width"] / 2, box["y"] + 80)
        assert abs(int(page.get_attribute("#plot", "aria-valuenow")) - 200) < 12
        page.mouse.move(box["x"] + 300, box["y"] + 60)
        assert re.search(r"turn \d+, the largest of 2 turns: [\d,]+ tokens", page.inner_text("#readout"))
        page.mouse.down()
        page.mouse.move(box["x"] + 360, box["y"] + 60)
        page.mouse.up()
        assert page.locator("#overview").is_visible()
        page.click("#zoom-all")
        assert page.locator("#overview").is_hidden()


def test_findings_open_from_their_pins_from_the_fixes_and_by_pattern(opened: Open) -> None:
    with opened(session(40)) as page:
        assert page.get_attribute("#plot", "aria-valuenow") == "39", "the largest turn is shown first"
        page.locator("#pins button").nth(2).click()
        assert page.get_attribute("#finding-2", "open") is not None
        assert page.get_attribute("#plot", "aria-valuenow") == "19"
        assert page.locator("#finding-2 blockquote").first.is_visible()
        page.locator("#finding-2").get_by_role("button", name="show on the timeline").click()
        assert page.evaluate("document.activeElement.id") == "plot"
        page.locator("#first button").first.click()
        assert page.evaluate("document.activeElement.closest('details').open")
        page.get_by_role("button", name="stall 1", exact=True).click()
        assert page.locator(".finding").count() == 1
        page.locator("#pins button").first.click()
        assert page.locator(".finding").count() == 6 and page.get_attribute("#finding-0", "open") is not None


def test_a_finding_far_down_the_list_opens_too(opened: Open) -> None:
    diagnosis = session(4_000)
    last = len(document(diagnosis)["findings"]) - 1
    with opened(diagnosis) as page:
        assert page.locator(".finding").count() == 25
        page.focus("#pins button[tabindex='0']")
        page.keyboard.press("End")
        page.keyboard.press("Enter")
        chosen = page.evaluate("document.activeElement.parentElement.id")
        assert last - 12 <= int(chosen.removeprefix("finding-")) <= last


def test_artifacts_are_filtered_sorted_and_paged(opened: Open) -> None:
    diagnosis = session(400)
    files = document(diagnosis)["artifacts"]
    with opened(diagnosis) as page:
        table = page.get_by_role("region", name="Artifacts")
        assert table.locator("tbody tr").count() == 50 and f"1–50 of {len(files)} rows" in page.inner_text("#files")
        page.get_by_role("button", name="Next rows of Artifacts").click()
        assert table.locator("tbody tr").first.inner_text().startswith(files[50]["path"])
        page.get_by_label("Filter Artifacts").fill("package_3 written")
        wanted = [each["path"] for each in files if "package_3" in each["path"] and each["written"]]
        assert f"{len(wanted)} rows (of {len(files)})" in page.inner_text("#files")
        table.get_by_role("button", name="Path").click()
        assert table.locator("td:first-child").all_inner_texts() == sorted(wanted)
        table.get_by_role("button", name="Path").click()
        assert table.locator("td:first-child").all_inner_texts() == sorted(wanted, reverse=True)
        assert table.locator("th").first.get_attribute("aria-sort") == "descending"


def test_on_paper_the_findings_are_open_and_the_buttons_gone(opened: Open) -> None:
    with opened(session(40), scheme="dark") as page:
        page.emulate_media(media="print")
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        assert page.locator("blockquote").first.is_visible() and page.locator("nav").is_hidden()
        assert page.locator("#timeline-controls").is_hidden()
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
        page.evaluate("dispatchEvent(new Event('afterprint'))")
        assert page.locator(".finding[open]").count() == 0
        assert page.pdf().startswith(b"%PDF-")


def test_a_transcript_without_a_call_says_so(opened: Open) -> None:
    with opened(EMPTY) as page:
        for words in ("No prompt of this transcript", "shows no turn", "Nothing that the rules know", "names no tool"):
            assert words in page.inner_text("main")


def test_each_call_shows_what_of_its_prompt_was_read_from_the_cache(opened: Open) -> None:
    diagnosis = session(40)
    report = document(diagnosis)
    with opened(diagnosis) as page:
        page.click("#of-calls")
        assert page.get_attribute("#plot", "aria-valuemax") == str(report["model_calls"])
        assert page.get_attribute("#plot", "aria-label") == "Call"
        page.focus("#plot")
        page.keyboard.press("Home")
        for each in report["cache"]["rounds"][:15]:
            usage = each["usage"]
            assert values(page, "#turn tbody data") == [usage[name] for name in ("cached_read", "cache_write", "input")]
            assert f"Call {each['round']}, turn {each['turn']}" in page.inner_text("#turn h3")
            page.keyboard.press("ArrowRight")
        lost = report["cache"]["breaks"][1]
        page.locator("#breaks").get_by_role("button", name=f"call {lost['round']}", exact=True).click()
        assert page.get_attribute("#plot", "aria-valuenow") == str(lost["round"])
        assert f"{lost['lost']:,} tokens paid again" in page.inner_text("#turn")
        page.click("#of-billed")
        assert page.get_attribute("#plot", "aria-valuemax") == "40" and page.inner_text("#turn h3").startswith("Turn")


def test_a_session_of_few_turns_is_shown_call_by_call(opened: Open) -> None:
    with opened(session(3)) as page:
        assert page.get_attribute("#plot", "aria-valuemax") == "9"
        assert page.get_attribute("#of-calls", "aria-pressed") == "true"
    with opened(session(9)) as page:
        assert page.get_attribute("#plot", "aria-valuemax") == "9"
        assert page.get_attribute("#of-prompt", "aria-pressed") == "true"


def test_a_file_without_usage_says_what_is_not_known(opened: Open) -> None:
    silent = replace(session(12), usage=Usage(), cache_reported=False, rounds=(), breaks=(), cost=None)
    with opened(silent) as page:
        assert "no reads from the cache are reported" in page.locator("#plot").text_content()
        assert "what was cached is not known" in page.inner_text("#broke")
        assert page.locator("#of-calls, #cost, #input").count() == 0


def test_a_file_that_says_nothing_of_a_cache_is_not_said_to_have_read_nothing_from_it(opened: Open) -> None:
    silent = replace(session(12), usage=Usage(input=1_000, output=20), cache_reported=False, rounds=(), breaks=())
    with opened(silent) as page:
        assert page.inner_text("#input") == "1,000" and page.locator("#cached-read").count() == 0
        assert "not reported" in page.inner_text("#facts")
        assert "reports nothing of a cache, so what was cached is not known" in page.inner_text("#broke")


def test_calls_of_a_file_without_turns_are_shown_all_the_same(opened: Open) -> None:
    full = session(10)
    bare = Diagnosis("calls.jsonl", "recordings", full.records, 0, 30, 0, 0, full.usage, rounds=full.rounds)
    with opened(bare) as page:
        assert page.get_attribute("#plot", "aria-valuemax") == "10"
        assert page.get_attribute("#plot path.line", "d")


def test_the_report_inside_the_page_is_the_document_that_json_prints(opened: Open) -> None:
    diagnosis = session(12, HOSTILE[0])
    with opened(diagnosis) as page:
        assert json.loads(page.locator("#report").evaluate("node => node.textContent")) == document(diagnosis)
