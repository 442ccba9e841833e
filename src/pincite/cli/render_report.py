"""An evaluation for people: the report, printed to a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import typer

from pincite.cli.session import say

TITLES = {
    "ndcg@10": "nDCG@10",
    "mrr@10": "MRR@10",
    "recall@10": "recall@10",
    "recall@100": "recall@100",
    "hit@1": "hit@1",
    "map": "MAP",
}
MAX_MOVED = 20
MAX_WORST = 5
MAX_RANK = 1_000


def render_report(body: Mapping[str, Any], worst: Sequence[Mapping[str, Any]]) -> None:
    """Print metrics by leg and tag, what changed, the gates, and the worst queries; notes go to stderr."""
    qrels = f" ({body['qrels']})" if body.get("qrels") else ""
    typer.echo(
        typer.style(f"{body['dataset']}{qrels}", bold=True) + f", kind {body['kind']}, {body['queries']} queries\n"
    )
    _legs(body)
    _tags(body)
    if "comparison" in body:
        _comparison(body["comparison"])
    _worst(worst)
    latency = body["latency_ms"]
    typer.echo(f"a search takes {latency['p50']:.1f} ms (p95 {latency['p95']:.1f})")
    if "gates" in body:
        _gates(body["gates"])
    for note in (*body["notes"], *body.get("comparison", {}).get("notes", ())):
        say(f"note: {note}")


def _legs(body: Mapping[str, Any]) -> None:
    typer.echo(f"{'':<10}" + "".join(f"{title:>12}" for title in TITLES.values()) + "   nDCG@10 within (95 %)")
    for leg, values in body["metrics"].items():
        low, high = body["intervals"][leg]["ndcg@10"]
        line = f"{leg:<10}" + "".join(f"{values[name]:>12.4f}" for name in TITLES) + f"   {low:.3f} to {high:.3f}"
        typer.echo(typer.style(line, bold=leg == "final"))
    typer.echo()


def _tags(body: Mapping[str, Any]) -> None:
    """nDCG@10 by tag, for every leg."""
    if not body["by"]:
        return
    legs = list(body["metrics"])
    width = min(40, max(len(tag) for tag in body["by"]) + 2)
    typer.echo(f"{'nDCG@10 by tag':<{width}}{'queries':>9}" + "".join(f"{leg:>12}" for leg in legs))
    for tag, values in body["by"].items():
        cells = "".join(f"{values[leg]['ndcg@10']:>12.4f}" for leg in legs)
        typer.echo(f"{tag:<{width}}{body['by_queries'][tag]:>9}{cells}")
    typer.echo()


def _comparison(found: Mapping[str, Any]) -> None:
    typer.echo(f"against the baseline, over {found['queries']} queries")
    for name, (old, new) in found.get("settings", {}).items():
        typer.echo(f"  {name}: {old} → {new}")
    for name, title in TITLES.items():
        moved = found["metrics"]["final"][name]
        low, high = moved["interval"]
        typer.echo(
            f"  {title:<11}{moved['before']:.4f} → {moved['after']:.4f}  {moved['difference']:+.4f}"
            f"  ({low:+.3f} to {high:+.3f}, p {moved['p']:.3g}{'' if low <= 0 <= high else ', significant'})"
        )
    fell = [item for item in found["moved"] if item["difference"] < 0]
    rose = [item for item in reversed(found["moved"]) if item["difference"] > 0]
    for title, items in (("fell", fell), ("rose", rose)):
        for item in items[:MAX_MOVED]:
            typer.echo(f"  {title} {item['before']:.3f} → {item['after']:.3f}  {item['id']}: {_short(item['query'])}")
        if len(items) > MAX_MOVED:
            typer.echo(f"  {title}: {len(items) - MAX_MOVED} more queries (--json lists them all)")
    typer.echo()


def _gates(found: Mapping[str, Any]) -> None:
    typer.echo()
    for item in found["checks"]:
        mark = typer.style("passed", fg="green") if item["passed"] else typer.style("FAILED", fg="red", bold=True)
        typer.echo(f"{mark}  {item['name']}: {item['text']}")


def _worst(worst: Sequence[Mapping[str, Any]]) -> None:
    poor = [item for item in worst if item["value"] < 1][:MAX_WORST]
    if poor:
        typer.echo("worst queries")
    for item in poor:
        lost = max(item["relevant"], key=lambda place: (place["rank"] or MAX_RANK) * place["grade"])
        where = f"at {lost['rank']}" if lost["rank"] else "not found"
        first = f"; first was {item['hits'][0]['name']}" if item["hits"] else "; nothing was found"
        typer.echo(
            f"  {item['value']:.3f}  {item['id']}: {_short(item['query'])}\n         {lost['name']} {where}{first}"
        )
    if poor:
        typer.echo()


def _short(text: str, width: int = 90) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= width else flat[: width - 1] + "…"
