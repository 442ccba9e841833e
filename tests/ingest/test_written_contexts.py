"""Contexts that a model writes during an ingest: paid for once, seen by both legs, never cited, gone when erased."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import pincite
from model_service import Asked, FastClock, Reply, Service, anthropic, anthropic_error, openai, serving
from pincite import wire
from pincite.bookkeeping import Usage
from pincite.errors import InvalidArgument
from pincite.ids import text_hash
from pincite.index.entries import entries
from pincite.ingest.contexts import PURPOSE
from pincite.models import http
from pincite.models.windows import windows
from pincite.testing.catalog import as_operator
from pincite.types import EmbeddedText
from terminal import Run

ACT = """# Waste Act

## Art. 1 Aim

It protects the water.

## Art. 2 Duties

The holder pays.

## Art. 3 Fines

Whoever dumps it is fined.
"""
LEAVE = "# Leave\n\nEveryone has five weeks.\n"
KEY = "sk-ant-secret-of-tests"
PRICES = {"input": 1.0, "output": 5.0, "cache_write": 1.25, "cache_read": 0.1}


def situate(asked: Asked) -> Reply:
    """Answer as a model would: with a word that the passage does not have, and what the cache would have done."""
    content = asked.body["messages"][0]["content"]
    question = content[-1]["text"]
    topic = next((word for word in ("water", "pays", "fined", "weeks") if word in question), "nothing")
    cached = "cache_control" in content[0]
    return anthropic(f"Zirconium note on {topic}.", cache_read_input_tokens=500 if cached else 0)


@pytest.fixture(autouse=True)
def fast(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test waits for a service."""
    monkeypatch.setattr(http, "Clock", FastClock)
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)


@pytest.fixture
def service() -> Iterator[Service]:
    with serving(situate) as running:
        yield running


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "source"
    folder.mkdir()
    (folder / "act.md").write_text(ACT)
    (folder / "leave.md").write_text(LEAVE)
    return folder


def settings(root: Path, service: Service, **model: Any) -> dict[str, Any]:
    return {
        "library": str(root / "library"),
        "context_model": {"model": "writer-1", "base_url": service.url, "prices": PRICES, **model},
    }


@contextmanager
def opened(root: Path, service: Service, *, more: dict[str, Any] | None = None, **model: Any) -> Iterator[Any]:
    with pincite.open({**settings(root, service, **model), **(more or {})}) as library:
        yield library


def contexts(library: pincite.Library, element_id: str) -> list[str]:
    live = library.live(element_id)
    assert live is not None
    return [chunk.context for chunk in live.derivation.chunks]


# --- what a context is for ------------------------------------------------------------------------------------


def test_words_of_a_written_context_find_the_passage_and_are_never_part_of_it(
    tmp_path: Path, service: Service, source: Path
) -> None:
    with opened(tmp_path, service) as library:
        report = library.ingest(source)
        assert (report.contexts.passages, report.contexts.written, report.contexts.missing) == (4, 4, 0)
        assert not report.notes
        assert contexts(library, "act.md")[-2:] == [
            "Waste Act > Art. 2 Duties\n\nZirconium note on pays.",
            "Waste Act > Art. 3 Fines\n\nZirconium note on fined.",
        ]
        hit = library.search("zirconium pays").hits[0]
        assert hit.passage.section_id == "art.2"
        assert hit.passage.text == "## Art. 2 Duties\n\nThe holder pays."
        assert ACT[hit.passage.span.start : hit.passage.span.end] == hit.passage.text
        assert "irconium" not in str(hit.passage.citation)
        found = library.get(str(hit.passage.citation))
        assert found.passage.text == hit.passage.text
        shown = wire.answer(library.search("zirconium pays"), library.describe)["results"][0]
        assert shown["context"].endswith("Zirconium note on pays.")
        assert library.verify("Zirconium note on pays").status == "not_found"


def test_the_dense_leg_sees_the_context_too(tmp_path: Path, service: Service, source: Path) -> None:
    more = {"dense": "auto", "embedding": {"model": "hashing:512"}}
    with opened(tmp_path, service, more=more) as library:
        library.ingest(source, embedding=False)
        library.embed()
        best = library.search("zirconium note fined", mode="semantic").hits[0]
        assert best.passage.section_id == "art.3"


def test_a_written_context_stands_in_the_window_of_the_whole_and_headings_above_each_sentence() -> None:
    text = "The holder of the waste pays for it. The canton may help the holder with money."
    whole, one, two = windows(EmbeddedText(text, "Waste Act > Art. 2\n\nWho pays > what.", "en"))
    assert whole == f"Waste Act, Art. 2. Who pays > what. {text}"
    assert one == "Waste Act, Art. 2. The holder of the waste pays for it."
    assert two.startswith("Waste Act, Art. 2. The canton")


def test_why_not_knows_the_words_of_a_context(tmp_path: Path, service: Service, source: Path) -> None:
    with opened(tmp_path, service) as library:
        library.ingest(source)
        assert "zirconium" not in library.why_not("act.md", "zirconium elephants").lacks


def test_headings_count_once_though_the_context_repeats_them(tmp_path: Path, service: Service, source: Path) -> None:
    with opened(tmp_path, service) as library:
        library.ingest(source)
        (birth,) = [
            b for b in library.catalog.feed.births(library.scope(), 0, 1) if b.lifetime.element_id == "leave.md"
        ]
        (entry,) = entries(birth)
    assert entry.fields["content"] == "Zirconium note on weeks.\n# Leave\n\nEveryone has five weeks."
    assert entry.fields["headings"] == "Leave"


# --- paid for once --------------------------------------------------------------------------------------------


def test_a_second_ingest_asks_nothing(tmp_path: Path, service: Service, source: Path) -> None:
    with opened(tmp_path, service) as library:
        library.ingest(source)
        assert len(service.asked) == 4
        again = library.ingest(source)
        assert (again.unchanged, again.revisions) == (2, 0)
        (source / "act.md").rename(source / "law.md")
        moved = library.ingest(source)
        assert (moved.added, moved.removed) == (1, 1)
        assert (moved.contexts.remembered, moved.contexts.written, moved.contexts.cost_usd) == (3, 0, 0.0)
    assert len(service.asked) == 4


def test_only_what_changed_is_asked_for(tmp_path: Path, service: Service, source: Path) -> None:
    with opened(tmp_path, service) as library:
        library.ingest(source)
        (source / "leave.md").write_text(LEAVE.replace("five", "six"))
        report = library.ingest(source)
        assert report.contexts.written == 1
    assert "six weeks" in service.asked[-1].text


def test_another_model_writes_anew_and_the_old_one_is_remembered(
    tmp_path: Path, service: Service, source: Path
) -> None:
    with opened(tmp_path, service) as library:
        library.ingest(source)
    with opened(tmp_path, service, model="writer-2") as library:
        report = library.ingest(source)
        assert (report.changed, report.contexts.written) == (2, 4)
        assert len({life.lifetime.version_id for life in library.history("act.md")}) == 1
    assert {asked.body["model"] for asked in service.asked[4:]} == {"writer-2"}
    with opened(tmp_path, service) as library:
        assert library.ingest(source).contexts.remembered == 4
    assert len(service.asked) == 8


def test_switched_off_headings_alone_situate(tmp_path: Path, service: Service, source: Path) -> None:
    with opened(tmp_path, service) as library:
        library.ingest(source)
    with opened(tmp_path, service, more={"contextual_embeddings": False}) as library:
        report = library.ingest(source)
        assert (report.changed, report.contexts) == (2, None)
        assert contexts(library, "leave.md") == ["Leave"]
        assert not library.search("zirconium").hits
    assert len(service.asked) == 4


def test_a_model_that_says_something_else_the_second_time_is_no_conflict(
    tmp_path: Path, service: Service, source: Path
) -> None:
    (source / "act.md").unlink()
    with opened(tmp_path, service) as library:
        library.ingest(source)
        (source / "leave.md").write_text("# Leave\n\nAnother text.\n")
        library.ingest(source)
        with library.catalog._database.write() as connection:
            connection.execute("DELETE FROM contexts")
        service.otherwise = lambda _: anthropic("Something else.")
        (source / "leave.md").write_text(LEAVE)
        assert not library.ingest(source).failed
        assert contexts(library, "leave.md") == ["Leave\n\nSomething else."]


def test_contexts_survive_a_backup(tmp_path: Path, service: Service, source: Path) -> None:
    with opened(tmp_path, service) as library:
        library.ingest(source)
        library.backup(tmp_path / "backup")
    (tmp_path / "other").mkdir()
    from pincite.library import restore_library

    restore_library(tmp_path / "backup", tmp_path / "other" / "library")
    with opened(tmp_path / "other", service) as library:
        assert library.search("zirconium fined").hits[0].passage.section_id == "art.3"
        assert library.ingest(source, repository="second").contexts.remembered == 4
    assert len(service.asked) == 4


def test_what_calls_took_is_recorded(tmp_path: Path, service: Service, source: Path) -> None:
    with opened(tmp_path, service) as library:
        report = library.ingest(source).contexts
        # Three passages share a cached window of 500 tokens, the fourth has its own.
        assert (report.tokens.input, report.tokens.cache_read, report.tokens.output) == (240, 1500, 80)
        assert report.cost_usd == pytest.approx((240 * 1.0 + 1500 * 0.1 + 80 * 5.0) / 1e6)
        assert library.catalog.usage.total("default") == (
            Usage("anthropic", "writer-1", PURPOSE, 4, 240 + 1500, 1500, 80, 790),
        )


# --- order ----------------------------------------------------------------------------------------------------


def test_the_first_passage_of_a_window_goes_ahead_and_the_others_follow_together(
    tmp_path: Path, service: Service, source: Path
) -> None:
    (source / "leave.md").unlink()
    service.hold.clear()
    seen: list[int] = []

    def watch() -> None:
        for _ in range(400):
            if service.at_once:
                break
            time.sleep(0.005)
        time.sleep(0.1)
        seen.append(service.most_at_once)
        service.hold.set()

    watcher = threading.Thread(target=watch)
    watcher.start()
    with opened(tmp_path, service) as library:
        library.ingest(source)
    watcher.join()
    assert seen == [1]
    assert "protects the water" in service.asked[0].body["messages"][0]["content"][1]["text"]
    marks = [asked.body["messages"][0]["content"][0].get("cache_control") for asked in service.asked]
    assert marks == [{"type": "ephemeral", "ttl": "5m"}] * 3


def test_no_more_calls_at_once_than_configured(tmp_path: Path, service: Service, source: Path) -> None:
    for number in range(12):
        (source / f"note{number}.md").write_text(f"# Note {number}\n\nText {number}.\n")
    with opened(tmp_path, service, concurrency=3) as library:
        assert library.ingest(source).contexts.written == 16
    assert service.most_at_once <= 3


# --- failures -------------------------------------------------------------------------------------------------


def test_a_passage_without_a_context_keeps_its_headings_and_is_asked_for_again(
    tmp_path: Path, service: Service, source: Path
) -> None:
    def refuse_one(asked: Asked) -> Reply:
        question = asked.body["messages"][0]["content"][-1]["text"]
        return anthropic_error(400, "invalid_request_error", "too odd") if "pays" in question else situate(asked)

    service.otherwise = refuse_one
    with opened(tmp_path, service) as library:
        report = library.ingest(source)
        assert report.contexts.missing == 1
        (note,) = report.notes
        assert note.startswith(
            "1 of 4 passages have no written context: the service returned 400: too odd (1); they are found by"
        )
        assert not report.failed
        assert "Waste Act > Art. 2 Duties" in contexts(library, "act.md")
        assert library.search("holder pays").hits[0].passage.section_id == "art.2"

        same = library.ingest(source)
        assert (same.unchanged, same.contexts.missing, same.revisions) == (2, 1, 0)

        service.otherwise = situate
        before = len(service.asked)
        repaired = library.ingest(source)
        assert len(service.asked) == before + 1
        assert (repaired.changed, repaired.unchanged, repaired.notes) == (1, 1, ())
        assert library.search("zirconium pays").hits[0].passage.section_id == "art.2"
        assert library.ingest(source).unchanged == 2
    assert len(service.asked) == before + 1


@pytest.mark.parametrize(
    "trouble",
    [
        Reply(body=b'{"content": [{"type": "te'),
        Reply(reset=True),
        Reply(500, b"oops"),
        anthropic_error(529, "overloaded_error", "Overloaded"),
        anthropic_error(429, "rate_limit_error", "slow down", Retry_After="7"),
    ],
    ids=["truncated", "reset", "500", "529", "429"],
)
def test_passing_trouble_is_waited_for(tmp_path: Path, service: Service, source: Path, trouble: Reply) -> None:
    service.script = [trouble, trouble]
    with opened(tmp_path, service) as library:
        assert library.ingest(source).contexts.written == 4
    assert len(service.asked) == 6


@pytest.mark.parametrize("body", [b"{}", b"[1]", anthropic("").body], ids=["no content", "a list", "empty text"])
def test_answers_that_cannot_be_used_leave_the_headings(
    tmp_path: Path, service: Service, source: Path, body: bytes
) -> None:
    service.otherwise = lambda _: Reply(body=body)
    with opened(tmp_path, service) as library:
        report = library.ingest(source)
        assert report.contexts.missing == 4
        assert contexts(library, "leave.md") == ["Leave"]


def test_a_service_that_refuses_the_key_is_asked_no_further(tmp_path: Path, service: Service, source: Path) -> None:
    service.otherwise = lambda _: anthropic_error(401, "authentication_error", f"invalid x-api-key: {KEY}")
    for number in range(20):
        (source / f"note{number}.md").write_text(f"# Note {number}\n\nText {number}.\n")
    with opened(tmp_path, service, concurrency=2) as library:
        report = library.ingest(source)
        assert report.contexts.missing == 24
        assert len(service.asked) <= 3
        assert KEY not in json.dumps(wire.ingest_report(report))
        assert "returned 401" in report.notes[0]
        service.otherwise = situate
        assert library.ingest(source).contexts.written == 24
    assert KEY.encode() not in b"".join(p.read_bytes() for p in tmp_path.rglob("*") if p.is_file())


def test_a_service_that_is_down_is_given_up_after_a_while(tmp_path: Path, service: Service, source: Path) -> None:
    service.otherwise = lambda _: Reply(503)
    for number in range(40):
        (source / f"note{number}.md").write_text(f"# Note {number}\n\nText {number}.\n")
    with opened(tmp_path, service, concurrency=2) as library:
        report = library.ingest(source)
        assert report.contexts.missing == 44
        assert len(service.asked) <= 4 * 12
        assert library.search("text 7").hits


def test_a_missing_key_is_said_and_costs_no_passage(
    tmp_path: Path, service: Service, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    with opened(tmp_path, service, base_url="") as library:
        report = library.ingest(source)
        assert "4 of 4 passages have no written context: ANTHROPIC_API_KEY is not set" in report.notes[0]
        assert library.search("holder pays").hits


def test_openai_compatible_servers_write_contexts_too(tmp_path: Path, service: Service, source: Path) -> None:
    service.otherwise = lambda _: openai("Vanadium note.")
    with opened(tmp_path, service, provider="openai") as library:
        assert library.ingest(source).contexts.written == 4
        assert len(library.search("vanadium").hits) == 2
    assert {asked.path for asked in service.asked} == {"/v1/chat/completions"}


# --- budget ---------------------------------------------------------------------------------------------------


def test_writing_stops_before_the_budget_is_exceeded_and_goes_on_next_time(
    tmp_path: Path, service: Service, source: Path
) -> None:
    for number in range(10):
        (source / f"note{number}.md").write_text(f"# Note {number}\n\nText {number}.\n")
    budget = 0.002
    with opened(tmp_path, service, budget_usd=budget) as library:
        first = library.ingest(source)
        assert 0 < first.contexts.written < 14
        assert first.contexts.cost_usd <= budget
        assert "the budget of $0.002 leaves no room for another call" in first.notes[0]
        second = library.ingest(source)
        assert (second.contexts.missing, second.notes) == (0, ())
        assert first.contexts.written + second.contexts.written == 14
        assert library.ingest(source).unchanged == 12
    assert len(service.asked) == 14


def test_a_server_that_does_not_state_its_usage_is_charged_as_expected(
    tmp_path: Path, service: Service, source: Path
) -> None:
    service.otherwise = lambda _: Reply(body=b'{"content": [{"type": "text", "text": "Here."}]}')
    for number in range(10):
        (source / f"note{number}.md").write_text(f"# Note {number}\n\nText {number}.\n")
    with opened(tmp_path, service, budget_usd=0.002) as library:
        report = library.ingest(source).contexts
        assert 0 < report.written < 14
        assert 0.001 < report.cost_usd <= 0.002


def test_a_budget_of_nothing_writes_nothing(tmp_path: Path, service: Service, source: Path) -> None:
    with opened(tmp_path, service, budget_usd=0) as library:
        assert library.ingest(source).contexts.missing == 4
    assert not service.asked


def test_a_budget_without_prices_is_refused_before_anything_is_done(
    tmp_path: Path, service: Service, source: Path
) -> None:
    with opened(tmp_path, service, budget_usd=1, prices={}) as library:
        with pytest.raises(InvalidArgument, match=r"set context_model\.prices"):
            library.ingest(source)
        assert as_operator(library.catalog, lambda o: o.repositories.all()) == ()


# --- erased and interrupted -----------------------------------------------------------------------------------


def cached(library: pincite.Library) -> list[str]:
    with library.catalog._database.read() as connection:
        return [row[0] for row in connection.execute("SELECT context FROM contexts ORDER BY context")]


def test_a_purge_erases_the_contexts_of_an_element(tmp_path: Path, service: Service, source: Path) -> None:
    with opened(tmp_path, service) as library:
        library.ingest(source)
        library.catalog.contexts.put("default", "orphan", text_hash("never committed"), "Rhodium of a killed ingest.")
        assert len(cached(library)) == 5
        library.purge("act.md")
        assert cached(library) == ["Zirconium note on weeks."]
        assert not [h for h in library.search("fined").hits if h.passage.element_id == "act.md"]
    left = b"".join(path.read_bytes() for path in (tmp_path / "library").rglob("*") if path.is_file())
    assert b"note on fined" not in left
    assert b"Rhodium" not in left
    assert b"note on weeks" in left


def test_an_interrupt_keeps_what_was_written(tmp_path: Path, service: Service, source: Path) -> None:
    def interrupt(stage: str, done: int, _total: int) -> None:
        if stage.startswith("contexts") and done == 2:
            raise KeyboardInterrupt

    with opened(tmp_path, service) as library:
        with pytest.raises(KeyboardInterrupt):
            library.ingest(source, progress=interrupt)
        kept = len(cached(library))
        assert kept >= 2
        assert kept == len(service.asked)
        assert library.ingest(source).contexts.remembered == kept
    assert len(service.asked) == 4


@pytest.mark.crash
def test_a_kill_in_the_middle_keeps_what_was_written(tmp_path: Path, service: Service, source: Path) -> None:
    for number in range(8):
        (source / f"note{number}.md").write_text(f"# Note {number}\n\nText {number}.\n")
    enough = threading.Event()

    def slow_down(asked: Asked) -> Reply:
        if len(service.asked) >= 6:
            enough.set()
            return Reply(hang=True)
        return situate(asked)

    service.otherwise = slow_down
    given = json.dumps(settings(tmp_path, service, concurrency=1))
    code = "import json, sys, pincite; pincite.open(json.loads(sys.argv[1])).ingest(sys.argv[2])"
    child = subprocess.Popen(
        [sys.executable, "-c", code, given, str(source)], env={**os.environ, "PINCITE_DENSE": "off"}
    )
    assert enough.wait(30)
    child.send_signal(signal.SIGKILL)
    child.wait()
    service.otherwise = situate
    before = len(service.asked)
    with opened(tmp_path, service) as library:
        report = library.ingest(source)
        assert report.contexts.remembered == 5
        assert report.contexts.written == len(service.asked) - before == 12 - 5


# --- the command line -----------------------------------------------------------------------------------------


def configure(root: Path, service: Service, **model: Any) -> str:
    path = root / "pincite.json.yaml"
    path.write_text(json.dumps(settings(root, service, **model)))
    return str(path)


def test_a_dry_run_says_what_it_would_cost_and_does_nothing(
    tmp_path: Path, service: Service, source: Path, run: Run
) -> None:
    config = configure(tmp_path, service, budget_usd=0.5)
    done = run("--config", config, "ingest", str(source), "--dry-run")
    assert done.returncode == 0, done.stderr
    assert "2 new or changed, 0 unchanged; nothing was changed" in done.stdout
    assert "4 passages need a context from writer-1 (0 are stored already)" in done.stdout
    assert "with prompt caching" in done.stdout
    assert "budget $0.5000: enough" in done.stdout
    assert not service.asked
    assert not (tmp_path / "library").exists()

    ingested = run("--config", config, "ingest", str(source))
    assert (
        "contexts: 4 written, 0 remembered, 0 missing; 1,740 tokens in (1,500 from cache), 80 out, $0.0008"
        in ingested.stdout
    )
    (source / "act.md").write_text(ACT + "\n## Art. 4 End\n\nIt ends.\n")
    after = json.loads(run("--config", config, "ingest", str(source), "--dry-run", "--json").stdout)
    assert (after["documents"], after["unchanged"], after["needed"]) == (1, 1, 4)
    assert after["within_budget"] is True
    assert after["output_tokens"] == 400
    assert len(service.asked) == 4


def test_a_dry_run_compares_prices_with_and_without_the_cache(tmp_path: Path, service: Service, source: Path) -> None:
    parts = "\n".join(f"## Part {n}\n\n{'word ' * 150}\n" for n in range(12))
    (source / "long.md").write_text(f"# Long\n\n{parts}")
    with opened(tmp_path, service, budget_usd=0.001) as library:
        found = library.estimate_contexts(source)
        assert found.needed == 4 + 12
        assert found.cost_usd < found.uncached_cost_usd / 2
        assert found.within_budget is False
        assert as_operator(library.catalog, lambda o: o.repositories.all()) == ()
    with opened(tmp_path, service, prices={}) as library:
        unknown = library.estimate_contexts(source)
        assert (unknown.cost_usd, unknown.uncached_cost_usd, unknown.within_budget) == (None, None, None)
        assert unknown.input_tokens == found.input_tokens > 12 * 2_000
    with opened(tmp_path, service, provider="openai") as library:
        plain = library.estimate_contexts(source)
        assert plain.cost_usd == plain.uncached_cost_usd


def test_without_a_model_a_dry_run_says_that_nothing_costs(source: Path, run: Run) -> None:
    done = run("ingest", str(source), "--dry-run")
    assert "no context_model is configured" in done.stdout


def test_what_is_missing_is_said_on_the_command_line(tmp_path: Path, service: Service, source: Path, run: Run) -> None:
    service.otherwise = lambda _: anthropic_error(404, "not_found_error", "model: writer-1")
    done = run("--config", configure(tmp_path, service), "ingest", str(source))
    assert done.returncode == 0
    assert "note: 4 of 4 passages have no written context: the service returned 404: model: writer-1" in done.stderr
