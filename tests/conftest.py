"""What every test relies on."""

import signal

# A shell starts jobs in the background with SIGINT ignored, nohup any program with SIGHUP, and children inherit that:
# tests that send them need them.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) == signal.SIG_IGN:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
