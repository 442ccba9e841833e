"""A lexicon in the library's folder: learns the words of a repository from its catalog and finds near ones."""

from __future__ import annotations

import hashlib
import shutil
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from pincite.errors import Damaged, EmbeddingFailed, Locked
from pincite.index.entries import passage
from pincite.index.lexicon.forms import forms
from pincite.index.lexicon.lives import Timeline
from pincite.index.lexicon.near import near
from pincite.index.lexicon.store import (
    LexiconManifest,
    LexiconState,
    append,
    compact,
    damage,
    load,
    publish_lives,
    stamp,
    sweep,
)
from pincite.index.segments.lock import write_lock
from pincite.meaning import Floats, Learned, NearWord
from pincite.protocols import Catalog, Embedder
from pincite.types import Birth, RepositoryInfo, Scope, View

Progress: TypeAlias = Callable[[str, int, int], None]

MAX_WORDS = 100_000
"""Forms per repository, the oldest: a question compares itself with each of them."""
PROBE = "word"
BATCH = 2_000
"""Words embedded and published together: a kill costs no more."""


class FolderLexicon:
    """Words by repository and model, a pure function of the catalog: what is lost is made again.

    The vectors are in the catalog too, so that each word is asked of the model once, whichever node comes first.
    """

    def __init__(self, root: Path, catalog: Catalog) -> None:
        self._root, self._catalog = root, catalog
        self._open: dict[Path, LexiconState] = {}

    def learn(
        self, scope: Scope, embedder: Embedder, *, progress: Progress | None = None, stop: threading.Event | None = None
    ) -> int:
        """Take in the words of passages born since the last time; how many were new. Another process at it: 0."""
        info = self._catalog.repositories.get(scope)
        if info is None:
            return 0
        folder = self._folder(info, embedder.fingerprint)
        try:
            with write_lock(folder, wait_seconds=0):
                return self._learn(folder, scope, embedder, progress or _silent, stop or threading.Event())
        except Locked:
            return 0

    def learned(self, views: Sequence[View], fingerprint: str) -> Learned:
        """Whether there are words to look in, and whether they are all that the views' passages have."""
        stores = [(view, self._store(view, fingerprint)) for view in views]
        here = [(view, store) for view, store in stores if store is not None]
        return Learned(
            words=sum(len(store) for _, store in here),
            complete=len(here) == len(stores) and all(store.manifest.reached >= view.revision for view, store in here),
            full=any(len(store) >= MAX_WORDS for _, store in here),
        )

    def near(
        self, views: Sequence[View], fingerprint: str, vectors: Sequence[Floats], *, above: float, most: int
    ) -> list[NearWord]:
        """Words near one of the vectors, of passages that everybody may read; see `near.near`."""
        stores = [(self._store(view, fingerprint), view) for view in views]
        return near([(store, view) for store, view in stores if store], vectors, above, most)

    def forget(self, scope: Scope, fingerprint: str = "") -> None:
        """Remove the words of a repository, because something in it was erased; or only those of one model."""
        info = self._catalog.repositories.get(scope)
        if info is None:
            return
        self._catalog.words.forget(scope, fingerprint)
        for folder in [self._folder(info, fingerprint)] if fingerprint else [*(self._root / info.key).glob("*")]:
            # A process that is learning just now notices the count of purges and cleans up itself.
            with suppress(Locked), write_lock(folder, wait_seconds=0):
                _clear(folder)

    def check(self, scope: Scope) -> tuple[str, ...]:
        """What is damaged, in words."""
        info = self._catalog.repositories.get(scope)
        problems: list[str] = []
        for folder in sorted((self._root / info.key).glob("*")) if info else ():
            try:
                problems += damage(folder)
            except FileNotFoundError:
                continue  # nothing was published yet
            except Damaged as found:
                problems.append(found.message)
        return tuple(problems)

    def _learn(self, folder: Path, scope: Scope, embedder: Embedder, progress: Progress, stop: threading.Event) -> int:
        info = self._catalog.repositories.get(scope)
        if info is None:
            return 0
        manifest = self._manifest(folder, embedder.fingerprint, info.purges)
        if manifest.reached >= info.head:
            return 0
        sweep(folder, manifest)
        store = LexiconState(folder) if manifest.blocks else None
        numbers = {form: number for number, form in enumerate(store.forms())} if store else {}
        if store:
            self._share(scope, embedder.fingerprint, store)
        before = len(numbers)
        # A death ends the use of words that other passages may have too: then all passages are looked at again.
        after = manifest.reached
        if any(True for _ in self._catalog.feed.deaths(scope, after, info.head)):
            after = 0
        timeline = Timeline(store.lives if store and after else None)
        fresh: list[str] = []
        for birth in self._catalog.feed.births(scope, after, info.head):
            if stop.is_set():
                return len(numbers) - before
            if birth.lifetime.roles:
                continue  # what not everybody may read gives no words
            mine: set[int] = set()
            for form in _forms(birth):
                if form not in numbers and len(numbers) < MAX_WORDS:
                    numbers[form] = len(numbers)
                    fresh.append(form)
                if form in numbers:
                    mine.add(numbers[form])
            timeline.add(mine, birth.lifetime)
            while len(fresh) >= BATCH:
                vectors = self._vectors(scope, embedder, fresh[:BATCH], manifest.purges)
                if self._was_erased(scope, manifest):
                    _clear(folder)
                    return 0
                manifest = append(folder, manifest, fresh[:BATCH], vectors)
                del fresh[:BATCH]
                progress("words", len(numbers) - len(fresh), len(numbers))
        vectors = self._vectors(scope, embedder, fresh, manifest.purges)
        if fresh and not self._was_erased(scope, manifest):
            manifest = append(folder, manifest, fresh, vectors)
        if self._was_erased(scope, manifest):
            _clear(folder)
            return 0
        publish_lives(folder, manifest, timeline.lives(), info.head)
        progress("words", len(numbers), len(numbers))
        return len(numbers) - before

    def _vectors(self, scope: Scope, embedder: Embedder, words: Sequence[str], purges: int) -> NDArray[np.int8]:
        """Vectors of words: those that any node has learned are in the catalog, the others go there."""
        known = self._catalog.words.get(scope, embedder.fingerprint, words)
        learned = {word: compact(_vector(embedder, word)).tobytes() for word in words if word not in known}
        if learned and self._catalog.words.put(scope, embedder.fingerprint, learned, purges=purges):
            learned |= self._catalog.words.get(scope, embedder.fingerprint, learned)  # another node may have been first
        rows = [np.frombuffer((known.get(word) or learned[word]), np.int8) for word in words]
        return np.stack(rows) if rows else np.empty((0, embedder.dimensions), np.int8)

    def _share(self, scope: Scope, fingerprint: str, store: LexiconState) -> None:
        """Bring the words of a lexicon that an earlier version learned to the catalog."""
        first = next(store.forms())
        if self._catalog.words.get(scope, fingerprint, [first]):
            return
        for block in store.blocks:
            forms = (form.decode("utf-8") for form in block.forms)
            rows = {form: vector.tobytes() for form, vector in zip(forms, block.vectors, strict=True)}
            self._catalog.words.put(scope, fingerprint, rows, purges=store.manifest.purges)

    def _was_erased(self, scope: Scope, manifest: LexiconManifest) -> bool:
        """Whether something was purged since the lexicon was begun: a word may be one of those."""
        info = self._catalog.repositories.get(scope)
        return info is None or info.purges != manifest.purges

    def _manifest(self, folder: Path, fingerprint: str, purges: int) -> LexiconManifest:
        """What is there, or a new beginning where it is of another library, damaged, or from before an erasure."""
        new = LexiconManifest(self._catalog.library_id, fingerprint, purges)
        try:
            found = load(folder)
            if any(True for _ in damage(folder)):
                return new
        except (FileNotFoundError, Damaged):
            return new
        return found if (found.library_id, found.purges) == (new.library_id, purges) else new

    def _store(self, view: View, fingerprint: str) -> LexiconState | None:
        """What is published, unless something was erased since."""
        info = view.repository or self._catalog.repositories.get(view.scope)
        if info is None:
            return None
        folder = self._folder(info, fingerprint)
        try:
            known = self._open.get(folder)
            if known is None or known.stamp != stamp(folder):
                known = self._open[folder] = LexiconState(folder)
        except (OSError, Damaged):
            return None  # none learned yet, merged under our hands, or to be learned again
        return known if known.manifest.purges == info.purges else None

    def _folder(self, info: RepositoryInfo, fingerprint: str) -> Path:
        return self._root / info.key / hashlib.blake2b(fingerprint.encode("utf-8"), digest_size=8).hexdigest()


def _silent(stage: str, done: int, total: int) -> None:
    del stage, done, total


def _forms(birth: Birth) -> Iterator[str]:
    for chunk in birth.derivation.chunks:
        text = f"{chunk.context}\n{passage(birth.content, chunk)}"
        yield from forms(text, chunk.language or birth.content.language)


def _vector(embedder: Embedder, word: str) -> Floats:
    """A word that the model refuses is near nothing; a model that refuses any word does not work."""
    try:
        return embedder.embed_query(word)
    except EmbeddingFailed:
        embedder.embed_query(PROBE)
        return np.zeros(embedder.dimensions, np.float32)


def _clear(folder: Path) -> None:
    """Remove all but the lock."""
    for path in folder.iterdir():
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        elif path.name != "lock":
            path.unlink(missing_ok=True)
