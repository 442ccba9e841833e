"""Public corpora: every hit is cut out of its file, in reasonable time."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

import pincite
from pincite.kinds.documents import kind

DATA = Path(os.environ.get("PINCITE_TEST_DATA", Path(__file__).parents[3] / "shared" / "data"))
QUERIES = {
    "k8s-docs": [
        "How do I drain a node before maintenance?",
        "Wie skaliere ich ein Deployment?",
        "déployer une application sans état",
        "creare un cluster con kubeadm",
        '"rolling update" AND kubectl',
        "kube-proxy",
    ],
    "site-policy": ["When may an account be suspended?", "DMCA counter notice", "politique de confidentialité", "§ 2"],
}

pytestmark = [pytest.mark.data, pytest.mark.slow]


@pytest.fixture(scope="module", params=sorted(QUERIES))
def corpus(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[str, Path, pincite.Library]]:
    folder = DATA / request.param / "docs"
    if not folder.is_dir():
        pytest.skip(f"{folder} is not there")
    with pincite.open(tmp_path_factory.mktemp(request.param) / "library") as library:
        report = library.ingest(folder)
        assert report.added > 50
        assert not report.failed
        print(f"{request.param}: {report.added} files, {report.chunks} passages in {report.seconds:.1f} s")
        yield request.param, folder, library


def test_every_hit_is_cut_out_of_its_file(corpus: tuple[str, Path, pincite.Library]) -> None:
    name, folder, library = corpus
    for query in QUERIES[name]:
        answer = library.search(query, group="chunk", limit=100)
        assert answer.hits, query
        for hit in answer.hits:
            place = hit.passage
            text = (folder / place.element_id).read_bytes().decode("utf-8-sig")
            assert place.span is not None
            assert text[place.span.start : place.span.end] == place.text
        first = answer.hits[0].passage
        assert library.get(first.citation).passage.text == first.text
        assert library.verify(first.text[:300], first.citation).status == "verified"


def test_of_an_unchanged_corpus_only_what_was_passed_over_is_read_again(
    corpus: tuple[str, Path, pincite.Library], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, folder, library = corpus
    read: list[object] = []
    real = kind.read_document
    monkeypatch.setattr("pincite.apart.process.inside", True)  # files are read here, where they can be counted
    monkeypatch.setattr(kind, "read_document", lambda *given: read.append(given) or real(*given))
    report = library.ingest(folder)
    assert report.unchanged > 50
    assert len(read) == len(report.skipped)
    assert (report.added, report.changed, report.removed, report.revisions) == (0, 0, 0, 0)
