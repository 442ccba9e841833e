"""The clients, in a process of their own: python -m benchmarks.load.clients, given on standard input what to ask.

Each client keeps one connection and asks the next question as soon as it has its answer. Every answer is read and
checked: hits with citations, the keyword leg at work, and for the same question the same hits as before, whichever
client asked and whichever worker answered.
"""

from __future__ import annotations

import http.client
import json
import random
import sys
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

TIMEOUT_SECONDS = 60
HEADERS = {"Content-Type": "application/json"}


@dataclass
class Told:
    """What all clients have seen so far."""

    milliseconds: list[float] = field(default_factory=list)
    errors: Counter[str] = field(default_factory=Counter)
    dense: Counter[str] = field(default_factory=Counter)
    answered: int = 0
    """Answers that hold the element from which the question was made."""
    hits: dict[str, list[str]] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def took(self, milliseconds: float) -> None:
        with self.lock:
            self.milliseconds.append(milliseconds)

    def wrong(self, what: str) -> None:
        with self.lock:
            self.errors[what] += 1

    def check(self, question: str, wanted: str, body: dict[str, Any]) -> None:
        results, legs = body["results"], {leg["name"]: leg["status"] for leg in body["legs"]}
        found = [hit["citation"] for hit in results]
        with self.lock:
            self.dense[legs.get("dense", "absent")] += 1
            self.answered += any(hit["element_id"] == wanted for hit in results)
            if not found or not all(found):
                self.errors["an answer without hits or citations"] += 1
            if legs.get("keyword") != "ok":
                self.errors["an answer without the keyword leg"] += 1
            if legs.get("dense") == "ok" and self.hits.setdefault(question, found) != found:
                self.errors["another answer to the same question"] += 1


def ask(told: Told, address: str, questions: list[tuple[str, str]], number: int, until: float) -> None:
    """One client."""
    order = random.Random(number).sample(questions, len(questions))
    place = urlsplit(address)
    connection = http.client.HTTPConnection(place.hostname or "", place.port, timeout=TIMEOUT_SECONDS)
    at = 0
    while time.monotonic() < until:
        question, wanted = order[at % len(order)]
        at += 1
        body = json.dumps({"query": question, "top_k": 10})
        began = time.perf_counter()
        try:
            connection.request("POST", "/v1/search", body, HEADERS)
            response = connection.getresponse()
            data = response.read()
        except (OSError, http.client.HTTPException) as error:
            told.wrong(type(error).__name__)
            connection.close()
            continue
        told.took(1000 * (time.perf_counter() - began))
        if response.status == 200:
            told.check(question, wanted, json.loads(data))
        else:
            told.wrong(f"HTTP {response.status}")
    connection.close()


def percentile(values: list[float], share: float) -> float:
    """Of sorted values: the smallest that at least this share does not exceed."""
    return values[min(len(values) - 1, max(0, -int(-share * len(values) // 1) - 1))]


def run(address: str, questions: list[tuple[str, str]], clients: int, seconds: float) -> dict[str, Any]:
    """All clients at once, for so long."""
    told, began = Told(), time.monotonic()
    threads = [
        threading.Thread(target=ask, args=(told, address, questions, number, began + seconds))
        for number in range(clients)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    took = time.monotonic() - began
    times = sorted(told.milliseconds)
    figures: dict[str, Any] = {
        "requests": len(times),
        "errors": sum(told.errors.values()),
        "error_kinds": dict(told.errors),
        "per_s": round(len(times) / took, 1),
        "seconds": round(took, 1),
        "questions": len(told.hits),
        "answered": round(told.answered / len(times), 3) if times else 0.0,
        "dense": dict(told.dense),
    }
    if times:
        shares = {"p50": 0.5, "p95": 0.95, "p99": 0.99}
        figures |= {f"{name}_ms": round(percentile(times, share), 1) for name, share in shares.items()}
        figures["max_ms"] = round(times[-1], 1)
    return figures


if __name__ == "__main__":
    given = json.loads(sys.stdin.read())
    asked = [(question, wanted) for question, wanted in given["questions"]]
    print(json.dumps(run(given["address"], asked, given["clients"], given["seconds"])))
