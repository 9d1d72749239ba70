"""Language models on the processor: Ollama's table, llama.cpp's log, and what was not asked for."""

import pytest

from gpudoctor.diagnosis.triage import ticket_of
from gpudoctor.examine.judging import Criteria, judge
from gpudoctor.examine.tickets import Input, subject_of
from gpudoctor.facts.live import Live
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.rules.load import load_rules
from gpudoctor.tickets.read import ingest

HEAD = "NAME        ID              SIZE     PROCESSOR    CONTEXT    UNTIL"
OLD_HEAD = "NAME        ID              SIZE     PROCESSOR    UNTIL"
BIG = "phi4:14b    ac896e5b8b34    27 GB    100% CPU     131072     4 minutes from now"
SMALL = "phi4:14b    ac896e5b8b34    4.1 GB    100% CPU     4096     4 minutes from now"
SPLIT = "phi4:14b    ac896e5b8b34    19 GB    42%/58% CPU/GPU     Forever"
SLOW = "Ollama does not use my GPU, it runs on the CPU"

#: A row: size in bytes, percent on the processor, context, the GPU's memory in GiB.
ROWS = {
    f"{HEAD}\n{BIG}": (27 * 10**9, 100, 131072, None),
    f"I have 12 GB VRAM.\n{HEAD}\n{BIG}": (27 * 10**9, 100, 131072, 12),
    f"My card has 16 GB and I tried VRAM: 8GB.\n{HEAD}\n{BIG}": (27 * 10**9, 100, 131072, None),
    f"{OLD_HEAD}\n{SPLIT}": (19 * 10**9, 42, None, None),
    f"{OLD_HEAD}\nphi4:14b    ac896e5b8b34    900 MB    100% GPU    4 minutes from now": (9 * 10**8, 0, None, None),
}


@pytest.mark.parametrize(("text", "row"), ROWS.items())
def test_the_table(text, row):
    live = ingest(text.encode(), load_matrix()).snapshot.live
    assert isinstance(live, Live)
    (one,) = live.models
    told = one.gpu_memory_told and one.gpu_memory_told >> 30
    assert (one.size, one.on_cpu, one.context, told) == row


def _first(text: str) -> str | None:
    subject, rules = subject_of(Input("text", text.encode()), load_matrix()), load_rules()
    causes = ticket_of("text", "text", judge(subject.snapshot, Criteria(rules=rules)), rules, subject.contents).causes
    return causes[0].key if causes else None


CPU = "llm_load_tensors:        CPU buffer size =  3820.94 MiB"
CUDA = "llm_load_tensors:      CUDA0 buffer size =  3820.94 MiB"
SLOWER = "llama-cpp-python on the GPU is slower than on the CPU"
CAUSES = {
    f"{SLOW}, which has 12 GB VRAM.\n{HEAD}\n{BIG}": "model-larger-than-gpu-memory",
    # The matrix knows the memory of the card.
    f"{SLOW}, a GeForce RTX 3060 Ti\n{HEAD}\n{BIG}": "model-larger-than-gpu-memory",
    f"{SLOW}\n{CPU}\nllm = Llama(model_path=path, n_gpu_layers=35)": "built-without-gpu",
    f"{SLOWER}\nllm = Llama(model_path=path, n_ctx=2048)": "gpu-not-asked-for",
}
OTHERS = {
    f"{SLOW}, which has 24 GB VRAM.\n{HEAD}\n{SMALL}": "model-larger-than-gpu-memory",
    f"{SLOWER}\nllm = Llama(model_path=path, n_gpu_layers=-1)": "gpu-not-asked-for",
}


@pytest.mark.parametrize(("text", "cause"), CAUSES.items())
def test_the_cause(text, cause):
    assert _first(text) == cause


@pytest.mark.parametrize(("text", "cause"), OTHERS.items())
def test_it_is_not(text, cause):
    assert _first(text) != cause


@pytest.mark.parametrize(("text", "is_sign"), [(CPU, True), (f"{CPU}\n{CUDA}", False)])
def test_a_buffer_of_the_processor_is_a_sign_where_the_gpu_has_none(text, is_sign):
    found = [one.signature for one in ingest(text.encode(), load_matrix()).symptoms]
    assert ("llama-cpp-buffers-on-cpu" in found) == is_sign
