"""The counts of a soak as the page on reliability shows them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..publish import between

Counts = dict[str, Any]

MARK = "counts of a soak"


def publish(page: Path, report: Counts) -> None:
    """Put the counts of *report* between the marks on *page*."""
    text = page.read_text(encoding="utf-8")
    page.write_text(between(text, MARK, _lines(report)), encoding="utf-8")


def _lines(report: Counts) -> list[str]:
    found = sum(len(part["complaints"]) for part in _parts(report).values())
    return [
        f"{report['machine']}; complaints: **{found}**.",
        "",
        "| fault | how often | seconds |",
        "| --- | --- | ---: |",
        *(
            f"| {name} | {_format_part(name, part)} | {part['seconds']:,.0f} |"
            for name, part in _parts(report).items()
        ),
    ]


def _parts(report: Counts) -> dict[str, Counts]:
    return {name: part for name, part in report.items() if isinstance(part, dict)}


def _format_part(name: str, part: Counts) -> str:
    tellers = {
        "kills": _kills,
        "damage": _damage,
        "scarcity": lambda part: f"{part['refused']} acts refused on a full disk",
        "crowd": _crowd,
        "vanishing": _vanishing,
        "calls": _calls,
        "image": _image,
        "life": _life,
    }
    return tellers[name](part)


def _kills(part: Counts) -> str:
    acts = ", ".join(f"{name} {act['killed']}" for name, act in part["acts"].items())
    return (
        f"{part['killed']:,} kills ({acts}), {part['before_the_end']:,} of them before the end; "
        f"{part['acknowledged']:,} rows acknowledged, none lost"
    )


def _calls(part: Counts) -> str:
    return (
        f"{part['calls']:,} calls of {part['tools']} tools, {part['answered']:,} answered and "
        f"{part['refused']:,} refused in words"
    )


def _image(part: Counts) -> str:
    return f"{part['packages']} packages installed from nothing, in {part['steps']} steps"


def _damage(part: Counts) -> str:
    return (
        f"{part['indexes']} index files, {part['logs_cut']} logs cut short, {part['full_texts']} "
        f"full texts out of step, {part['memories']} memories with flipped bits"
    )


def _crowd(part: Counts) -> str:
    return (
        f"{part['promised']:,} writes by all writers in {part['seconds_of_writing']:,.0f} s, "
        f"{part['cycles']} cycles of the librarian, {part['reindexed']} reindexings and copies; a "
        f"search takes {part['read_alone']:.1f} ms alone and {part['read_in_company']:.1f} ms "
        f"in company ({part['slower']} times)"
    )


def _vanishing(part: Counts) -> str:
    (handles, then), (threads, threads_then) = part["handles"], part["threads"]
    return (
        f"{part['clients']} clients gone; handles {handles} before and {then} after, threads "
        f"{threads} and {threads_then}"
    )


def _life(part: Counts) -> str:
    held = "; ".join(
        f"{when}: {part[when]['kilobytes'] // 1024} MB, {part[when]['handles']} handles, "
        f"{part[when]['threads']} threads"
        for when in ("start", "middle", "end")
    )
    return (
        f"{part['rounds']:,} rounds in {part['minutes']:.0f} minutes; {held}; slope "
        f"{part['kilobytes_an_hour'] / 1024:.1f} MB an hour"
    )
