"""The front door: open a library, put things in, find them, cite them, check them."""

from pincite.library.library import Library
from pincite.library.open import address_of, check_source, has_library, open_library, restore_library

__all__ = ["Library", "address_of", "check_source", "has_library", "open_library", "restore_library"]
