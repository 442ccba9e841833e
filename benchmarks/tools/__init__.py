"""How well agent tools are ranked for requests in words: `python -m benchmarks.tools DATA`."""
