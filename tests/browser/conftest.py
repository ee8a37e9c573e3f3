"""A real dashboard and a real browser on loopback."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.browser.calling import served
from tests.browser.running import FLAGS, PATIENCE, chromium

HERE = ("http://127.0.0.1:", "ws://127.0.0.1:", "data:", "blob:")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """
    Headless Chromium; where there is none, the tests are skipped, but not on CI.

    Not for the whole run: while Playwright is open it keeps an event loop running in this
    thread, and no other test could run one.
    """
    found = chromium()
    if found is None:
        missing = "No Chromium was found, so nothing was tried in a browser. Install chromium."
        if os.environ.get("CI") == "true":
            pytest.fail(missing)
        pytest.skip(missing)
    with sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=found, args=FLAGS)
        yield opened
        opened.close()


@pytest.fixture(scope="session")
def dashboard(tmp_path_factory) -> Iterator[str]:
    """The address of a dashboard over an empty memory of its own, with the real model."""
    folder = tmp_path_factory.mktemp("dashboard")
    with served(folder) as (address, _):
        yield address


@pytest.fixture
def page(browser) -> Iterator[Page]:
    """A page that reports every request that would leave this machine, in page.outside."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    opened = context.new_page()
    opened.set_default_timeout(PATIENCE * 1000)
    expect.set_options(timeout=PATIENCE * 1000)
    outside: list[str] = []

    def note(address: str) -> None:
        if not address.startswith(HERE):
            outside.append(address)

    context.on("request", lambda request: note(request.url))
    opened.on("websocket", lambda socket_: note(socket_.url))
    opened.outside = outside
    yield opened
    context.close()
