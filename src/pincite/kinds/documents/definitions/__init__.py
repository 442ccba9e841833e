"""What a document says its terms mean: found by the forms in which people define, in four languages.

`extract.py` walks a document section by section; `statements.py` gives it paragraphs and list items; `english.py`,
`german.py`, `french.py` and `italian.py` say how a language defines; `terms.py` decides what can be a term at all;
`scope.py` says how far a definition reaches. In doubt a text is not a definition.
"""

from pincite.kinds.documents.definitions.extract import definitions, with_types

__all__ = ["definitions", "with_types"]
