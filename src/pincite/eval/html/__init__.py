"""An evaluation run as one HTML page that needs nothing but itself."""

from pincite.eval.html.page import render_page
from pincite.eval.html.templating import require_templates

__all__ = ["render_page", "require_templates"]
