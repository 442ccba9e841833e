"""Measurements, one module each: `python -m benchmarks` runs them all, `python -m benchmarks keyword` runs one."""
