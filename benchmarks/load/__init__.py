"""A real server under load: many clients at once, over HTTP, for a minute; every answer is checked."""
