"""The report in a browser: Debian's chromium, no network (``make browser``; no part of make test).

The page is opened from its file as a person would. ``python -m tests.browser RUN
FOLDER`` keeps screenshots of a run's report, to look at.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, sync_playwright

from reports import report
from tests.report_page import EVERYTHING, HOSTILE
from tests.runs import played

WIDTHS = {390: 844, 1280: 720, 1920: 1080}
"""Widths of windows, with their heights, in CSS pixels."""

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync"]


def chromium() -> str:
    """Return the system's binary; a browser is never downloaded."""
    found = shutil.which("chromium")
    assert found, "the browser tests need Debian's chromium: apt-get install chromium"
    return found


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=chromium(), args=FLAGS)
        yield opened
        opened.close()


@pytest.fixture(scope="module", params=[EVERYTHING, HOSTILE], ids=["everything", "hostile"])
def path(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return report.write(played(tmp_path_factory.mktemp("page"), request.param).run)


class Opened:
    """A page in a window of its own, with all that it asked for and complained of."""

    def __init__(self, browser: Browser, path: Path, width: int = 1280, scheme: str = "light"):
        self.context = browser.new_context(
            viewport={"width": width, "height": WIDTHS[width]},
            color_scheme=scheme,  # type: ignore[arg-type]
            offline=True,
        )
        self.page: Page = self.context.new_page()
        self.complaints: list[str] = []
        self.asked: list[str] = []
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.goto(path.resolve().as_uri())

    def __enter__(self) -> Opened:
        return self

    def __exit__(self, *_: object) -> None:
        self.context.close()


@pytest.mark.parametrize("width", WIDTHS)
def test_the_page_opens_without_network_and_fits_the_window(
    browser: Browser, path: Path, width: int
) -> None:
    with Opened(browser, path, width) as opened:
        assert opened.asked == [path.resolve().as_uri()]
        assert opened.complaints == []
        assert opened.page.evaluate("document.documentElement.scrollWidth") <= width
        assert opened.page.title() != "owned"
        for picture in opened.page.locator(".picture svg").all():
            box = picture.bounding_box()
            assert box and box["width"] > 200 and box["height"] > 40


def test_the_first_screen_needs_no_scrolling(browser: Browser, path: Path) -> None:
    for width in (1280, 1920):
        with Opened(browser, path, width) as opened:
            box = opened.page.locator(".first").bounding_box()
            assert box and box["y"] + box["height"] <= WIDTHS[width]


def test_a_table_is_sorted_by_value_and_says_so(browser: Browser, path: Path) -> None:
    with Opened(browser, path) as opened:
        table = opened.page.locator("table[data-key='balance/fairness']")
        heads = table.locator("th")
        for column in (3, 4, 2):
            head = heads.nth(column)
            for direction in ("ascending", "descending"):
                head.locator("button").click()
                assert head.get_attribute("aria-sort") == direction
                assert table.locator("th[aria-sort]").count() == 1
                shown = [
                    row.locator("td").nth(column).get_attribute("data-value")
                    for row in table.locator("tbody tr").all()
                ]
                if column == 2:  # names, in the order of the reader's language: equal ones together
                    assert shown == sorted(shown, key=list(dict.fromkeys(shown)).index)
                else:
                    backwards = direction == "descending"
                    assert shown == sorted(shown, key=float, reverse=backwards)
        assert opened.complaints == []


def test_sorting_and_the_theme_work_from_the_keyboard(browser: Browser, path: Path) -> None:
    with Opened(browser, path) as opened:
        ground = "getComputedStyle(document.body).backgroundColor"
        light = opened.page.evaluate(ground)
        opened.page.locator("#theme").focus()
        opened.page.keyboard.press("Enter")
        dark = opened.page.evaluate(ground)
        assert dark != light
        assert opened.page.locator("#theme").get_attribute("aria-pressed") == "true"
        opened.page.keyboard.press("Enter")
        assert opened.page.evaluate(ground) == light
        button = opened.page.locator("table th button").first
        button.focus()
        opened.page.keyboard.press("Space")
        assert opened.page.locator("table").first.locator("th[aria-sort]").count() == 1


def test_a_picture_follows_the_theme(browser: Browser, path: Path) -> None:
    ink = "getComputedStyle(document.querySelector('.picture svg text')).fill"
    with Opened(browser, path) as light, Opened(browser, path, scheme="dark") as dark:
        assert light.page.evaluate(ink) != dark.page.evaluate(ink)


@pytest.mark.parametrize(("width", "scheme"), [(390, "dark"), (1280, "light")])
def test_axe_finds_no_violation(browser: Browser, path: Path, width: int, scheme: str) -> None:
    with Opened(browser, path, width, scheme) as opened:
        opened.page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
        found = Axe().run(opened.page, options={"resultTypes": ["violations"]})
        assert len(found.response["passes"]) > 20
        told = [(v["id"], v["nodes"][0]["html"]) for v in found.response["violations"]]
        assert told == []


def test_axe_would_find_a_violation(browser: Browser, path: Path) -> None:
    """The check itself: a picture without its text, and grey on grey, are both found."""
    with Opened(browser, path) as opened:
        opened.page.evaluate(
            "document.querySelector('.picture').removeAttribute('aria-label');"
            "document.documentElement.style.setProperty('--quiet', '#ccc')"
        )
        ids = {v["id"] for v in Axe().run(opened.page, ".first").response["violations"]}
        assert {"role-img-alt", "color-contrast"} <= ids


def test_it_prints_on_a4_without_a_cut_table(browser: Browser, path: Path) -> None:
    """A4 less the margins is 182 mm wide: 688 CSS pixels."""
    with Opened(browser, path) as opened:
        opened.page.emulate_media(media="print")
        opened.page.set_viewport_size({"width": 688, "height": 1000})
        wide = opened.page.evaluate(
            "[...document.querySelectorAll('table')].filter(t => t.getBoundingClientRect().right"
            " > 689).map(t => t.dataset.key)"
        )
        assert wide == []


def shoot(run: Path, folder: Path) -> None:
    """Keep the report of a run as a person sees it, in windows of three widths."""
    folder.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=chromium(), args=FLAGS)
        for width in WIDTHS:
            for scheme in ("light", "dark"):
                with Opened(opened, run / "report" / report.PAGE, width, scheme) as one:
                    one.page.screenshot(path=folder / f"{run.name}-{width}-{scheme}.png")
        opened.close()


if __name__ == "__main__":
    shoot(Path(sys.argv[1]), Path(sys.argv[2]))
