"""Results as text for an agent.

Score: 0.912 | Source: company/leave.md
Location: Leave Policy > Annual leave > Carry-over
Section: 3.2
Citation: pincite:…

…the passage…

Relevant definitions:
- Leave year: the twelve months from 1 April (pincite:…)
"""

from __future__ import annotations

from collections.abc import Sequence

from pincite.document_tools.results import Result, Results

RULE = "\n\n---\n\n"


def format_results(results: Sequence[Result]) -> str:
    """One block per passage, after notes on anything the search could not do."""
    notes = results.notes if isinstance(results, Results) else ()
    said = "\n".join(f"Note: {note}" for note in notes)
    blocks = RULE.join(map(_block, results)) if results else "No matching passage was found."
    return f"{said}\n\n{blocks}" if said else blocks


def _block(result: Result) -> str:
    page = f", page {result.page}" if result.page is not None else ""
    lines = [f"Score: {result.score:.3f} | Source: {result.source_path}{page}"]
    if result.parent_chain:
        lines.append(f"Location: {' > '.join(result.parent_chain)}")
    if result.section_id:
        lines.append(f"Section: {result.section_id}")
    lines += [f"Citation: {result.citation}", "", result.content]
    if result.definitions:
        lines += ["", "Relevant definitions:"]
        lines += [f"- {item.term}: {' '.join(item.text.split())} ({item.citation})" for item in result.definitions]
    return "\n".join(lines)
