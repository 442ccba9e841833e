"""The templates: every value put into one is escaped, and a missing value is an error."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from pincite.eval.html.values import FEW_QUERIES, count, cut, number, signed, span
from pincite.extras import require

if TYPE_CHECKING:
    from jinja2 import Environment

MAX_CHARS = 2000
"""The maximum length of values that no template cuts shorter."""

_UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f\ud800-\udfff]")


def require_templates() -> None:
    """Raise `MissingExtra` if Jinja is not installed, before the long work starts."""
    require("eval", "the page of an evaluation", "jinja2")


def render(name: str, **values: object) -> str:
    """The rendered template of that name."""
    return _environment().get_template(f"{name}.html.j2").render(values)


@cache
def _environment() -> Environment:
    require_templates()
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("pincite.eval.html"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_printable,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {"count": count, "cut": cut, "number": number, "signed": signed, "span": span}
    environment.globals |= {"FEW_QUERIES": FEW_QUERIES}
    return environment


def _printable(value: object) -> object:
    """The output of a template, without characters that HTML or UTF-8 do not allow; its markup is unchanged."""
    return value if hasattr(value, "__html__") else _UNPRINTABLE.sub("\ufffd", cut(value, MAX_CHARS))
