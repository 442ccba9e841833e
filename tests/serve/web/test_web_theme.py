"""Light and dark, wide and narrow, and whether everyone can read it (WCAG 2.2 AA: 4.5:1 for text, 3:1 for edges)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from served_page import settled

import pincite

STYLE = (Path(pincite.__file__).parent / "serve/web/css/theme.css").read_text("utf-8")
GROUNDS = ("ground", "surface", "sunken", "accent-soft")
TEXT = [(text, ground) for text in ("text", "quiet", "accent") for ground in GROUNDS] + [
    ("accent-text", "accent"), ("mark-text", "mark"), ("warn-text", "warn"), ("bad-text", "bad"),
    ("good-text", "good"), ("added-text", "added"), ("removed-text", "removed"), ("ground", "text"),
]  # fmt: skip
EDGES = [("edge", "ground"), ("edge", "surface"), ("accent", "ground"), ("accent", "surface")]


def colours(theme: str) -> dict[str, str]:
    block = re.search(r':root\[data-theme="dark"\] \{(.*?)\}' if theme == "dark" else r":root \{(.*?)\}", STYLE, re.S)
    assert block
    return dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", block[1]))


def luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def test_contrast_is_computed_as_the_standard_does() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_pair_of_colours_can_be_read(theme) -> None:
    known = colours(theme)
    weak = {pair: contrast(known[pair[0]], known[pair[1]]) for pair in TEXT}
    assert {pair: ratio for pair, ratio in weak.items() if ratio < 4.5} == {}
    edges = {pair: contrast(known[pair[0]], known[pair[1]]) for pair in EDGES}
    assert {pair: ratio for pair, ratio in edges.items() if ratio < 3} == {}


SHOWN = """() => {
  const hasText = e => [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim());
  const shown = e => e.checkVisibility() && !e.closest('svg, .passage.long') && hasText(e);
  const ground = e => {
    const fill = getComputedStyle(e).backgroundColor;
    return fill === 'rgba(0, 0, 0, 0)' && e.parentElement ? ground(e.parentElement) : fill;
  };
  return [...document.querySelectorAll('body *')].filter(shown)
    .map(e => [getComputedStyle(e).color, ground(e), e.tagName + '.' + e.className]);
}"""
"""Each element that holds text, with its colour and that of what it stands on."""


def as_hex(colour: str) -> str:
    return "#" + "".join(f"{int(part):02x}" for part in re.findall(r"\d+", colour)[:3])


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_what_the_browser_shows_can_be_read(visit, address, theme) -> None:
    page = visit(f"{address}/?q=outage&at=baseline:2026-Q1&repository=legislation", color_scheme=theme)
    settled(page)
    page.get_by_role("button", name="Why?").first.click()
    page.locator(".hit-link").first.click()
    page.wait_for_selector(".prose")
    page.click("#tab-history")
    page.wait_for_selector(".diff")
    shown = page.evaluate(SHOWN)
    assert len(shown) > 60
    weak = {name: (colour, ground) for colour, ground, name in shown if contrast(as_hex(colour), as_hex(ground)) < 4.5}
    assert weak == {}


def test_the_theme_follows_the_system_until_it_is_chosen(visit, address) -> None:
    page = visit(address, color_scheme="dark")
    assert page.get_attribute("html", "data-theme") == "dark"
    page.get_by_role("button", name="Switch to the light theme").click()
    assert page.get_attribute("html", "data-theme") == "light"
    page.reload()
    page.wait_for_selector("#results .empty")
    assert page.get_attribute("html", "data-theme") == "light"


@pytest.mark.parametrize("width", [380, 800, 1440])
def test_nothing_is_wider_than_the_window(visit, address, width) -> None:
    page = visit(f"{address}/?q=incident+level", width=width)
    settled(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.locator(".hit-link").first.click()
    page.wait_for_selector(".prose")
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_reduced_motion_moves_nothing(visit, address) -> None:
    page = visit(f"{address}/?q=berth", reduced_motion="reduce")
    settled(page)
    moving = """() => [...document.querySelectorAll('*')].map(e => getComputedStyle(e))
        .filter(s => parseFloat(s.transitionDuration) > 0 || s.scrollBehavior === 'smooth').length"""
    assert page.evaluate(moving) == 0
    still = visit(f"{address}/?q=berth", reduced_motion="no-preference")
    settled(still)
    assert still.evaluate(moving) > 0
