"""In the process that reads foreign files: which function converts a file, and what is said of one that it cannot."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path

from pincite.errors import InvalidArgument
from pincite.kinds.documents.convert.checks import Unreadable, check
from pincite.kinds.documents.convert.converters import CONVERTERS, Converted

MAX_TEXT_CHARS = 100_000_000
"""Of a file as Markdown: twice the bytes of the largest file that is taken."""
_MAX_REASON_CHARS = 200


class ConversionFailed(InvalidArgument):
    """A file that its converter could not read; the message says why and what to do."""


def convert_here(path: Path, suffix: str) -> tuple[str, str, tuple[str, ...]]:
    """The file as Markdown, what it calls itself, and notes; `ConversionFailed` with the reason."""
    try:
        check(path, suffix)
        converted = _function(suffix)(path)
    except Unreadable as error:
        raise ConversionFailed(str(error)) from error
    except MemoryError:
        raise  # the process is spent, and says so
    except OSError as error:
        raise ConversionFailed(error.strerror or str(error)) from error
    except RecursionError as error:
        raise ConversionFailed("it is nested too deeply; make it flatter") from error
    except Exception as error:
        # Parsers raise anything on a broken file; the reason is reported.
        said = " ".join(str(error).split())[:_MAX_REASON_CHARS]
        reason = f"{type(error).__name__}{': ' + said if said else ''}"
        raise ConversionFailed(f"its converter gave up ({reason})") from error
    if len(converted.text) > MAX_TEXT_CHARS:
        raise ConversionFailed(f"it gives more than {MAX_TEXT_CHARS:,} characters of text; split the file")
    text = converted.text.encode("utf-8", "replace").decode("utf-8")  # a lone surrogate is no text
    return text, converted.title, converted.notes


def _function(suffix: str) -> Callable[[Path], Converted]:
    module, name = CONVERTERS[suffix].function.split(".")
    found: Callable[[Path], Converted] = getattr(importlib.import_module(f"{__package__}.{module}"), name)
    return found
