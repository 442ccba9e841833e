"""An evaluation run as one HTML page that needs nothing but itself."""

from pincite.eval.html.page import render_page

__all__ = ["render_page"]
