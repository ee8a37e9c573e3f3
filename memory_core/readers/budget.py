"""Budget of one file: characters, elements, pages and processor time."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from ..errors import ForbiddenError
from ..rules import limits


@dataclass
class ReadBudget:
    """
    What reading one file may take. Readers report each element; above a limit ForbiddenError is
    raised, which names the limit and the fix.
    """

    characters: int
    elements: int = limits.MAX_FILE_ELEMENTS
    pages: int = limits.MAX_FILE_PAGES
    page_bytes: int = limits.MAX_PAGE_BYTES
    seconds: float = limits.MAX_READ_SECONDS
    # CPU time of this thread: a busy machine does not use it up.
    clock: Callable[[], float] = time.thread_time
    _start: float = field(init=False)
    _elements: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        self._start = self.clock()

    def add_element(self, what: str) -> None:
        self._elements += 1
        self.check_elements(self._elements, what)
        self.check_time()

    def check_elements(self, count: int, what: str) -> None:
        _check(count, self.elements, what)

    def check_pages(self, count: int) -> None:
        _check(count, self.pages, "pages")

    def check_page_bytes(self, count: int) -> None:
        _check(count, self.page_bytes, "bytes of drawing commands on one page")

    def check_characters(self, count: int) -> None:
        _check(count, self.characters, "characters of text")

    def check_time(self) -> None:
        if self.clock() - self._start > self.seconds:
            raise ForbiddenError(
                f"The file takes more than {self.seconds:g} seconds of processor time to read, "
                "the maximum. Cut it into parts, or save its text alone."
            )


def _check(count: int, most: int, what: str) -> None:
    if count > most:
        raise ForbiddenError(
            f"The file has more than {most:,} {what}, the maximum. Cut it into parts, or save "
            "its text alone."
        )
