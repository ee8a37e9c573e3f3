"""Read a file line by line, with a bound on the length of a line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

_MARK = b"\xef\xbb\xbf"


def lines(file: BinaryIO, *, longest: int) -> Iterator[tuple[int, bytes]]:
    """
    Yield number and text of each line that is not blank, from the beginning.

    A line of more than *longest* bytes is never held in memory: it comes as nothing, b"".
    """
    file.seek(0)
    number = 0
    while line := file.readline(longest + 1):
        number += 1
        too_long = len(line) > longest and not line.endswith(b"\n")
        while too_long and line and not line.endswith(b"\n"):
            line = file.readline(longest + 1)
        if too_long:
            yield number, b""
        elif text := line.removeprefix(_MARK if number == 1 else b"").strip():
            yield number, text
