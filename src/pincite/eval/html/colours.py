"""The colours of the page, for the light and the dark theme."""

from __future__ import annotations

LIGHT = {
    "page": "#faf8f4",
    "card": "#ffffff",
    "ink": "#1d2329",
    "soft": "#56606a",
    "line": "#e2ddd3",
    "final": "#0b5c9e",
    "other": "#7b8794",
    "better": "#0b5c9e",
    "worse": "#b34700",
    "same": "#626d78",
    "on-final": "#ffffff",
}
DARK = {
    "page": "#14181d",
    "card": "#1c2229",
    "ink": "#e9e6df",
    "soft": "#a7b0ba",
    "line": "#343d47",
    "final": "#6cb6f5",
    "other": "#7f8b98",
    "better": "#6cb6f5",
    "worse": "#ff9c5a",
    "same": "#98a3ae",
    "on-final": "#10151a",
}
"""Blue and orange differ for every common kind of colour blindness; all text meets WCAG AA on page and card."""
