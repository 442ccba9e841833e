"""The HTTP door: JSON under /v1, the page, and what keeps strangers out. `app.py` is where to begin."""
