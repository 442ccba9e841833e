"""Upkeep: what keeps a library well. Backups, health, merges, moves to another model, baselines, gates."""
