"""Images without GPU code, and what is taken instead."""

import pytest

from gpudoctor.knowledge.known_surroundings import image_with_gpu_code


@pytest.mark.parametrize(
    ("image", "instead"),
    [
        ("tensorflow/tensorflow", "tensorflow/tensorflow:latest-gpu"),
        ("docker.io/tensorflow/tensorflow:2.13.0-jupyter", "tensorflow/tensorflow:2.13.0-gpu-jupyter"),
        ("tensorflow/tensorflow:2.13.0-gpu", None),
        ("ghcr.io/open-webui/open-webui:main", "ghcr.io/open-webui/open-webui:cuda"),
        # Its Ollama computes on the GPU.
        ("ghcr.io/open-webui/open-webui:ollama", None),
        ("ghcr.io/ggml-org/llama.cpp:full", "ghcr.io/ggml-org/llama.cpp:full-cuda"),
        ("ghcr.io/huggingface/text-embeddings-inference:cpu-1.5", "ghcr.io/huggingface/text-embeddings-inference:1.5"),
        ("example.org/own/image:1", None),
    ],
)
def test_the_same_program_with_gpu_code(image: str, instead: str | None) -> None:
    """The tag that is left keeps its release; None where the image has GPU code, or nobody knows."""
    assert image_with_gpu_code(image) == instead
