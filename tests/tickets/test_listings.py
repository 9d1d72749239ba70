"""A program's text is no output: which lines of one are left out before messages are looked for."""

import pytest

from gpudoctor.tickets.listings import without_listings

LISTINGS = {
    "a guard": "import tensorflow as tf\n\nif __name__ == '__main__':\n    main()\n",
    "what it would print": "import torch\nif not torch.cuda.is_available():\n    print('CUDA is not available')\n",
    "what it would raise": "def check():\n    raise RuntimeError('No GPU found')\n",
    "what it would catch": "try:\n    step()\nexcept torch.cuda.OutOfMemoryError:\n    pass\n",
    "what it asserts": "import torch\nassert torch.cuda.is_available(), 'CUDA is not available'\n",
    "C": "#include <cublas_v2.h>\nif (status != CUBLAS_STATUS_NOT_INITIALIZED) {\n",
}
WORDS = ("__main__", "not available", "No GPU", "OutOfMemory", "NOT_INITIALIZED")
KEPT = {
    "a traceback": 'File "a.py", line 3\n    raise RuntimeError("No GPU found")\n  File "b.py"\n    assert ok(1)\n',
    "one line alone": "raise AssertionError('Torch not compiled with CUDA enabled')",
    "with its answer": "import torch\nprint(torch.cuda.is_available())  # False\n",
    "sentences": "if it helps, here is the log:\nfor reference (see below), the error:\nprint works",
    "a compiler's excerpt": "x.h:143:2: error: stop\n#error unsupported GNU version\n#error again\n",
    "a title": "# RuntimeError: No CUDA GPUs are available\n## Describe the bug\n",
}


@pytest.mark.parametrize("text", LISTINGS.values(), ids=LISTINGS)
def test_what_a_listing_says_did_not_happen(text):
    left = without_listings(text)
    assert not any(word in left for word in WORDS)
    assert left.count("\n") == text.count("\n")


@pytest.mark.parametrize("text", KEPT.values(), ids=KEPT)
def test_what_was_printed_is_kept(text):
    left = without_listings(text)
    words = ("No GPU", "Torch not", "# False", "the error", "unsupported")
    assert all(word in left for word in words if word in text)
