"""What every test relies on."""

import signal

from hypothesis import settings

# A shell starts jobs in the background with SIGINT ignored, nohup any program with SIGHUP, and children inherit that:
# tests that send them need them.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) == signal.SIG_IGN:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)

# How long an example takes is the machine's affair, and what is measured has tests of its own (`timed`).
settings.register_profile("any machine", deadline=None)
settings.load_profile("any machine")
