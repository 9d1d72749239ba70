"""What every test relies on."""

import signal

# A shell starts jobs in the background with SIGINT ignored, and children inherit that: tests that press Ctrl-C need it.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
