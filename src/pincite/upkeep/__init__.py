"""Upkeep: maintenance of a library. Backups, health, merges, moves to another model, baselines, gates."""
