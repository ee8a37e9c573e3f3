"""The dashboard's colours can be read by everyone, and its server is for this machine alone.

Contrast is computed as WCAG 2.2 defines it; AA asks 4.5 for text and 3 for marks and controls.
"""

import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CONFIG = tomllib.loads((ROOT / ".streamlit/config.toml").read_text(encoding="utf-8"))
SURFACES = ("backgroundColor", "secondaryBackgroundColor")
MEANINGS = ("red", "orange", "yellow", "green", "blue", "violet", "gray")
MODES = ("light", "dark")
TEXT, MARK = 4.5, 3.0
CAPTION_OPACITY = 0.6  # what Streamlit gives captions and faded text
TINTS = (0.0, 0.1, 0.2)  # of the accent: below a tab, a chosen segment, and one pointed at


@pytest.mark.parametrize("mode", MODES)
def test_text_links_and_captions_can_be_read_on_every_surface(mode: str) -> None:
    faint = [
        (role, surface, round(ratio, 2))
        for surface in surfaces(mode)
        for role, ratio in (
            ("text", contrast(colour(mode, "textColor"), surface)),
            ("caption", contrast(faded(colour(mode, "textColor"), surface), surface)),
            ("link", contrast(colour(mode, "linkColor"), surface)),
        )
        if ratio < TEXT
    ]

    assert [] == faint


@pytest.mark.parametrize("mode", MODES)
def test_the_accent_carries_white_text_and_stands_out_from_every_surface(mode: str) -> None:
    accent = colour(mode, "primaryColor")

    assert contrast("#ffffff", accent) >= TEXT
    assert min(contrast(accent, surface) for surface in surfaces(mode)) >= MARK


@pytest.mark.parametrize("mode", MODES)
def test_what_is_chosen_can_be_read_on_the_tint_that_marks_it(mode: str) -> None:
    accent, link = colour(mode, "primaryColor"), colour(mode, "linkColor")
    ratios = [
        contrast(link, faded(accent, colour(mode, surface), opacity=tint))
        for surface in SURFACES
        for tint in TINTS
    ]

    assert min(ratios) >= TEXT


@pytest.mark.parametrize("meaning", MEANINGS)
@pytest.mark.parametrize("mode", MODES)
def test_a_coloured_message_can_be_read(mode: str, meaning: str) -> None:
    text = colour(mode, f"{meaning}TextColor")
    grounds = (colour(mode, f"{meaning}BackgroundColor"), colour(mode, "backgroundColor"))

    assert min(contrast(text, ground) for ground in grounds) >= TEXT


@pytest.mark.parametrize("mode", MODES)
def test_code_and_table_headings_can_be_read(mode: str) -> None:
    code = contrast(colour(mode, "codeTextColor"), colour(mode, "codeBackgroundColor"))
    heading = contrast(
        colour(mode, "dataframeHeaderTextColor"), colour(mode, "dataframeHeaderBackgroundColor")
    )

    assert min(code, heading) >= TEXT


def test_both_themes_decide_the_same_things() -> None:
    light, dark = CONFIG["theme"]["light"], CONFIG["theme"]["dark"]

    assert light.keys() == dark.keys()
    assert light["sidebar"].keys() == dark["sidebar"].keys()


def test_the_known_contrast_of_black_on_white_is_computed() -> None:
    assert 21.0 == pytest.approx(contrast("#000000", "#ffffff"))
    assert 4.54 == pytest.approx(contrast("#767676", "#ffffff"), abs=0.005)


def test_the_dashboard_listens_on_this_machine_only_and_reports_to_nobody() -> None:
    server, client = CONFIG["server"], CONFIG["client"]

    assert "127.0.0.1" == server["address"]
    assert {"localhost", "127.0.0.1", "::1"} == set(server["allowedHosts"])
    assert server["enableXsrfProtection"] and server["enableCORS"]
    assert CONFIG["browser"]["gatherUsageStats"] is False
    assert ("type", False) == (client["showErrorDetails"], client["showErrorLinks"])


def test_streamlit_knows_every_option_of_the_file() -> None:
    from streamlit import config

    known = config.get_config_options().keys()
    unknown = [name for name in option_names(CONFIG) if name not in known]

    assert [] == unknown


def colour(mode: str, name: str) -> str:
    return str(CONFIG["theme"][mode][name])


def surfaces(mode: str) -> list[str]:
    theme = CONFIG["theme"][mode]
    return [part[name] for part in (theme, theme["sidebar"]) for name in SURFACES]


def faded(text: str, ground: str, *, opacity: float = CAPTION_OPACITY) -> str:
    mixed = (
        opacity * above + (1 - opacity) * below
        for above, below in zip(channels(text), channels(ground), strict=True)
    )
    return "#" + "".join(f"{round(channel * 255):02x}" for channel in mixed)


def contrast(one: str, other: str) -> float:
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def luminance(text: str) -> float:
    linear = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels(text))
    return sum(
        weight * value for weight, value in zip((0.2126, 0.7152, 0.0722), linear, strict=True)
    )


def channels(text: str) -> list[float]:
    return [int(text[start : start + 2], 16) / 255 for start in (1, 3, 5)]


def option_names(table: dict[str, object], prefix: str = "") -> list[str]:
    names: list[str] = []
    for key, value in table.items():
        if isinstance(value, dict):
            names += option_names(value, prefix=f"{prefix}{key}.")
        else:
            names.append(f"{prefix}{key}")
    return names
