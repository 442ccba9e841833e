"""The HTTP door: JSON under /v1, the page, and access control. Start with `app.py`."""
