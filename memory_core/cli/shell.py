"""Interactive shell: several commands on one open memory."""

from __future__ import annotations

import shlex
import sys

from .attempt import attempt
from .command import command
from .context import Answer, CliContext, Common

PROMPT = "memory> "
_ENDS = ("exit", "quit")


@command("shell", "shell", "shell --user alice < commands.txt")
def shell(desk: CliContext) -> Answer:
    """
    Run commands line by line. They are typed or piped in, until exit or the end of input.

    Options given here hold for every line that does not give them. Exit code 1 if a line failed.
    """
    typed, failed = sys.stdin.isatty(), False
    if typed:
        desk.tell("A command a line, such as: search tea. help lists them, exit ends.")
    desk.defaults = desk.common
    while line := _line(typed):
        words = _words(line, desk)
        if words and words[0] in _ENDS:
            break
        if words:
            failed |= attempt(words, desk) != 0
    desk.common, desk.defaults = desk.defaults, Common()
    return Answer({"failed": failed}, [], code=int(failed))


def _line(typed: bool) -> str:
    if typed:
        sys.stderr.write(PROMPT)
        sys.stderr.flush()
    return sys.stdin.readline()


def _words(line: str, desk: CliContext) -> list[str]:
    try:
        words = shlex.split(line, comments=True)
    except ValueError as error:
        desk.tell(f"Error INVALID_INPUT: the line cannot be read ({error}).")
        return []
    return ["--help"] if words == ["help"] else words
