"""Which words of a passage enter the lexicon, and in which form.

A word is embedded as it is written: models know German nouns by their capitals and French words by their accents.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from pincite.text.fold import clean
from pincite.text.stopwords import STOPWORDS
from pincite.text.words import is_unspaced

SHORTEST, LONGEST = 3, 40
LONGEST_ACRONYM = 5
_LETTERS = re.compile(r"[^\W\d_]+")


def forms(text: str, language: str) -> Iterator[str]:
    """The words of a text, function words left out, in order and as often as they occur."""
    stops = STOPWORDS.get(language, frozenset())
    for found in _LETTERS.findall(clean(text)):
        if SHORTEST <= len(found) <= LONGEST and found.lower() not in stops and not is_unspaced(found):
            # A heading in capitals says the same as one without; an acronym does not.
            yield found.capitalize() if found.isupper() and len(found) > LONGEST_ACRONYM else found
