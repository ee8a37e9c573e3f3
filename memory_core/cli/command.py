"""Turn a function into a command with common options, help and output."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer
from typer.core import TyperGroup

from .._version import VERSION
from ..context import allowing_typed_path, redactions
from ..errors import ValidationError
from ..home_folder import expand_home
from .context import Answer, CliContext, Common

Run = Callable[..., Answer]

# In the order of the help, frequent commands first.
_ORDER = (
    "add search list delete undo import export backup restore doctor reindex history config "
    "shell dashboard"
)


class _Listed(TyperGroup):
    def list_commands(self, ctx: Any) -> list[str]:
        order = [*_ORDER.split(), *super().list_commands(ctx)]
        return list(dict.fromkeys(name for name in order if name in self.commands))


app = typer.Typer(
    name="turbovec",
    cls=_Listed,
    help="Store, search and maintain memories from a terminal or a script.\n\n"
    "Results go to stdout, as JSON with --json; everything else goes to stderr. "
    "Exit codes: 0 success, 1 error (message and code on stderr), 2 wrong usage.",
    no_args_is_help=True,
    context_settings={"max_content_width": 100},
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"turbovec {VERSION}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", is_eager=True, callback=_show_version, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    pass


_COMMON: dict[str, Any] = {
    "project": Annotated[
        str | None, typer.Option("--project", "-p", help="The project. Default: MEMORY_PROJECT.")
    ],
    "user": Annotated[str, typer.Option("--user", help="The user whose records to use.")],
    "agent": Annotated[str, typer.Option("--agent", help="The agent whose records to use.")],
    "session": Annotated[str, typer.Option("--session", help="The session to use.")],
    "as_json": Annotated[bool, typer.Option("--json", help="Print the result as JSON.")],
    "db": Annotated[
        Path | None, typer.Option("--db", help="The database file. Default: SQLITE_DB_FILE.")
    ],
}


def command(
    name: str, *examples: str, group: typer.Typer = app, path: str = ""
) -> Callable[[Run], Run]:
    """
    Register a function, whose first parameter is the CliContext, as a command; *examples* end its
    help.

    *path* names the parameter that is a file or folder. The user types it, so any location is
    allowed: this is the only place in the product where the allowed roots do not apply.
    """

    def record(run: Run) -> Run:
        said = "\b\nExamples:\n" + "\n".join(f"  turbovec {each}" for each in examples)
        group.command(name, epilog=said if examples else None)(_wrap_command(run, path))
        return run

    return record


def _wrap_command(run: Run, path: str) -> Callable[..., None]:
    def wrapped(context: typer.Context, **given: Any) -> None:
        desk: CliContext = context.obj
        desk.common = Common(
            **{field: given.pop(field) or getattr(desk.defaults, field) for field in _COMMON}
        )
        with redactions() as redacted, _typed_path(given, path):
            answer = run(desk, **given)
        desk.show(answer)
        for each in redacted:
            desk.tell(f"Taken out before it was stored: {each}.")
        if answer.code:
            raise typer.Exit(answer.code)

    hints = get_type_hints(run, include_extras=True)
    own = [
        parameter.replace(annotation=hints[parameter.name], kind=parameter.KEYWORD_ONLY)
        for parameter in list(inspect.signature(run).parameters.values())[1:]
    ]
    shared = [
        inspect.Parameter(
            field,
            inspect.Parameter.KEYWORD_ONLY,
            default=getattr(Common(), field),
            annotation=annotation,
        )
        for field, annotation in _COMMON.items()
    ]
    context = inspect.Parameter(
        "context", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=typer.Context
    )
    parameters = [context, *own, *shared]
    wrapped.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    wrapped.__annotations__ = {each.name: each.annotation for each in parameters}
    wrapped.__doc__ = run.__doc__
    return wrapped


@contextmanager
def _typed_path(given: dict[str, Any], parameter: str) -> Iterator[None]:
    """Make the typed path absolute, and allow it inside the block."""
    typed = given.get(parameter, "")
    if not typed:
        yield
        return
    try:
        place = expand_home(typed).absolute()
        real = place.resolve()
        # A bare name that is not in this folder is kept: it may be in exports or backups.
        is_here = Path(typed).name != typed or place.exists()
    except (OSError, RuntimeError, ValueError) as error:
        raise ValidationError(
            f"{typed!r} is not a file path ({error}). Give another one."
        ) from error
    given[parameter] = str(place) if is_here else typed
    with allowing_typed_path(real):
        yield
