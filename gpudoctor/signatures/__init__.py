"""Known error messages: what each means, what causes it, and the question that decides between the causes.

`recognise(text)` finds them in a log or a pasted text, `causes_of(symptoms)` ranks what they point to. Pure data and
text: no file, no machine. One table a family: driver, CUDA errors, cuDNN, loader, TensorFlow, torch, JAX, NCCL, ...
"""

from gpudoctor.signatures.catalogue import Cause, Signature, signature_of, signatures, table_of
from gpudoctor.signatures.causes import OTHER_CAUSES, causes_of, surroundings_in, words_of_cause
from gpudoctor.signatures.recognition import lines_that_matter, recognise

__all__ = [
    "OTHER_CAUSES",
    "Cause",
    "Signature",
    "causes_of",
    "lines_that_matter",
    "recognise",
    "signature_of",
    "signatures",
    "surroundings_in",
    "table_of",
    "words_of_cause",
]
