"""Calls to model services: tried again where it helps, given up where it does not, never too many at once."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from email.utils import format_datetime

import pytest

from model_service import FastClock, Reply, Service, anthropic_error, serving
from pincite.errors import ServiceFailed
from pincite.models.http import MAX_ANSWER_BYTES, CallOptions, Client, retry_after_seconds
from pincite.models.limit import Limit

OK = Reply(body=b'{"fine": true}')
KEY = "sk-very-secret"


@pytest.fixture
def service() -> Iterator[Service]:
    with serving(lambda _: OK) as running:
        yield running


@pytest.fixture
def clock() -> FastClock:
    return FastClock()


@pytest.fixture
def client(clock: FastClock) -> Iterator[Client]:
    made = Client({"x-api-key": KEY}, CallOptions(timeout_seconds=0.3, concurrency=10), secret=KEY, clock=clock)
    yield made
    made.close()


def test_a_refusal_that_may_pass_is_tried_again_after_1_2_and_4_seconds(
    service: Service, client: Client, clock: FastClock
) -> None:
    service.script = [
        Reply(500, b"oops"),
        anthropic_error(529, "overloaded_error", "Overloaded"),
        Reply(503),
    ]
    assert client.post(service.url, {}) == {"fine": True}
    assert clock.waits == [1.0, 2.0, 4.0]


def test_after_four_attempts_the_last_reason_is_told(service: Service, client: Client, clock: FastClock) -> None:
    service.script = [anthropic_error(529, "overloaded_error", "Overloaded")] * 4
    with pytest.raises(ServiceFailed, match=r"returned 529: Overloaded \(4 attempts\)") as failed:
        client.post(service.url, {})
    assert not failed.value.hopeless
    assert len(service.asked) == 4
    assert len(clock.waits) == 3


def test_pauses_are_spread(service: Service, client: Client, clock: FastClock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "jitter", lambda: 0.8)
    service.script = [Reply(500)]
    client.post(service.url, {})
    assert clock.waits == [1.2]


def test_retry_after_in_seconds_is_honoured(service: Service, client: Client, clock: FastClock) -> None:
    service.script = [anthropic_error(429, "rate_limit_error", "slow down", Retry_After="17")]
    assert client.post(service.url, {}) == {"fine": True}
    assert clock.waits == [17.0]


def test_retry_after_as_a_date_is_honoured(service: Service, client: Client, clock: FastClock) -> None:
    until = format_datetime(datetime.fromtimestamp(clock.now() + 25, UTC), usegmt=True)
    service.script = [anthropic_error(429, "rate_limit_error", "slow down", Retry_After=until)]
    assert client.post(service.url, {}) == {"fine": True}
    assert clock.waits == [25.0]


@pytest.mark.parametrize(
    ("value", "seconds"),
    [("5", 5.0), ("0.5", 0.5), ("", None), ("soon", None), ("-3", None), ("Wed, 21 Oct 2015 07:28:00 GMT", 0.0)],
)
def test_retry_after_is_read(value: str, seconds: float | None) -> None:
    assert retry_after_seconds(value, 1_790_000_000.0) == seconds


def test_a_pause_that_a_service_asks_for_holds_for_all_callers(
    service: Service, client: Client, clock: FastClock
) -> None:
    client._not_before = clock.now() + 9
    client.post(service.url, {})
    assert clock.waits == [9.0]


def test_a_service_that_asks_for_an_hour_has_failed(service: Service, client: Client, clock: FastClock) -> None:
    service.script = [anthropic_error(429, "rate_limit_error", "daily limit", Retry_After="3600")]
    with pytest.raises(ServiceFailed, match="daily limit; it asks for a wait of 3600 s"):
        client.post(service.url, {})
    assert clock.waits == []


def test_no_answer_in_time_is_tried_again(service: Service, client: Client, clock: FastClock) -> None:
    service.script = [Reply(hang=True)]
    assert client.post(service.url, {}) == {"fine": True}
    assert clock.waits == [1.0]


def test_a_time_out_says_how_long_it_waited(service: Service, client: Client) -> None:
    service.script = [Reply(hang=True)] * 4
    with pytest.raises(ServiceFailed, match=r"no answer within 0\.3 s \(4 attempts\)"):
        client.post(service.url, {})


@pytest.mark.parametrize(
    "broken",
    [
        Reply(reset=True),
        Reply(body=b'{"fine": tr'),
        Reply(body=b""),
        Reply(body=b'{"fine": true', short=10),
        Reply(body=b"<html>gateway</html>"),
    ],
    ids=["reset", "truncated JSON", "empty", "fewer bytes than promised", "no JSON"],
)
def test_a_broken_answer_is_asked_for_again(service: Service, client: Client, clock: FastClock, broken: Reply) -> None:
    service.script = [broken, broken]
    assert client.post(service.url, {}) == {"fine": True}
    assert clock.waits == [1.0, 2.0]


def test_a_server_that_is_not_there_is_said(client: Client) -> None:
    with serving(lambda _: OK) as gone:
        url = gone.url
    with pytest.raises(ServiceFailed, match=r"no answer: .*\(4 attempts\)"):
        client.post(url, {})


@pytest.mark.parametrize(("status", "hopeless"), [(400, False), (413, False), (401, True), (403, True), (404, True)])
def test_what_will_not_change_is_not_tried_again(
    service: Service, client: Client, clock: FastClock, status: int, hopeless: bool
) -> None:
    service.script = [anthropic_error(status, "some_error", "no")]
    with pytest.raises(ServiceFailed, match=f"returned {status}: no") as failed:
        client.post(service.url, {})
    assert failed.value.hopeless is hopeless
    assert clock.waits == []
    assert len(service.asked) == 1


def test_the_key_is_sent_and_never_shown(service: Service, client: Client) -> None:
    service.script = [anthropic_error(401, "authentication_error", f"invalid x-api-key {KEY}\x1b[31m\nfoo")]
    with pytest.raises(ServiceFailed) as failed:
        client.post(service.url, {})
    assert service.asked[0].headers["x-api-key"] == KEY
    assert KEY not in str(failed.value)
    assert failed.value.message == "the service returned 401: invalid x-api-key *** [31m foo"


def test_a_redirect_is_not_followed_with_the_key(service: Service, client: Client) -> None:
    service.script = [Reply(307, headers={"Location": f"{service.url}/elsewhere"})]
    with pytest.raises(ServiceFailed, match="returned 307"):
        client.post(service.url, {})
    assert len(service.asked) == 1


def test_an_answer_without_end_is_not_read(service: Service, client: Client) -> None:
    service.script = [Reply(body=b" " * (MAX_ANSWER_BYTES + 1))]
    with pytest.raises(ServiceFailed, match="larger than 4,000,000 bytes"):
        client.post(service.url, {})


def test_stopping_ends_the_attempts(service: Service, client: Client) -> None:
    service.script = [Reply(500)] * 4
    client.stop()
    with pytest.raises(ServiceFailed, match="1 attempts"):
        client.post(service.url, {})


# --- how many at once -----------------------------------------------------------------------------------------


def test_no_more_calls_are_under_way_than_allowed(service: Service, clock: FastClock) -> None:
    client = Client({}, CallOptions(concurrency=3, timeout_seconds=10), clock=clock)
    service.hold.clear()
    with ThreadPoolExecutor(9) as pool:
        calls = [pool.submit(client.post, service.url, {}) for _ in range(9)]
        _wait_for(lambda: service.at_once == 3)
        assert service.most_at_once == 3
        service.hold.set()
        assert [call.result() for call in calls] == [{"fine": True}] * 9
    client.close()
    assert service.most_at_once == 3


def test_a_429_halves_what_is_allowed_and_successes_raise_it_again(service: Service, client: Client) -> None:
    service.script = [anthropic_error(429, "rate_limit_error", "slow down")]
    client.post(service.url, {})
    assert client.limit.allowed == 5
    for _ in range(5):
        client.post(service.url, {})
    assert client.limit.allowed == 6
    for _ in range(100):
        client.limit._count_success()
    assert client.limit.allowed == 10


def test_one_burst_of_refusals_halves_once() -> None:
    limit = Limit(8)
    with limit.slot() as one, limit.slot() as two:
        one.too_many()
        two.too_many()
    assert limit.allowed == 4
    with limit.slot() as later:
        later.too_many()
    assert limit.allowed == 2
    for _ in range(5):
        with limit.slot() as again:
            again.too_many()
    assert limit.allowed == 1


def test_a_halved_limit_really_holds(service: Service, clock: FastClock) -> None:
    client = Client({}, CallOptions(concurrency=4, timeout_seconds=10), clock=clock)
    service.script = [anthropic_error(429, "rate_limit_error", "slow down")]
    client.post(service.url, {})
    service.hold.clear()
    with ThreadPoolExecutor(6) as pool:
        calls = [pool.submit(client.post, service.url, {}) for _ in range(6)]
        _wait_for(lambda: service.at_once == 2)
        assert service.most_at_once == 2
        service.hold.set()
        assert [call.result() for call in calls] == [{"fine": True}] * 6
    client.close()


def _wait_for(reached: Callable[[], bool]) -> None:
    """Until it is so, and a moment longer for what must not happen."""
    deadline = time.monotonic() + 5
    while not reached() and time.monotonic() < deadline:
        time.sleep(0.005)
    time.sleep(0.05)
