"""The guard around texts made to be slow."""

from __future__ import annotations

import re
import signal

import pytest

from runaway import stopped_if_it_runs_away

pytestmark = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs an alarm, as POSIX has")


def test_an_expression_that_blows_up_is_stopped_in_the_middle() -> None:
    before = signal.getsignal(signal.SIGPROF)
    with pytest.raises(pytest.fail.Exception, match=r"still at work after 0\.05 s"), stopped_if_it_runs_away(0.05):
        re.fullmatch("(a+)+", "a" * 60 + "b")
    assert signal.getsignal(signal.SIGPROF) == before
    assert signal.getitimer(signal.ITIMER_PROF) == (0.0, 0.0)


def test_what_ends_is_left_alone() -> None:
    with stopped_if_it_runs_away(30):
        found = re.fullmatch("a+", "aaa")
    assert found
    assert signal.getitimer(signal.ITIMER_PROF) == (0.0, 0.0)
