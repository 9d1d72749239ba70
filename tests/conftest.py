"""What every test relies on."""

import signal

import pytest
from hypothesis import settings

from tests.rules.rows import DemandRows

# A shell starts jobs in the background with SIGINT ignored, nohup any program with SIGHUP, and children inherit that:
# tests that send them need them.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) == signal.SIG_IGN:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)

# How long an example takes is the machine's affair, and what is measured has tests of its own (`timed`).
settings.register_profile("any machine", deadline=None)
settings.load_profile("any machine")


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(DemandRows(), "rows of rules")
