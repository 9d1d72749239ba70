"""Programs that name their framework, and parts that newer releases of a package no longer have."""

import pytest

from gpudoctor.knowledge.known_surroundings import frameworks_of_applications
from gpudoctor.knowledge.parts_by_release import requirement_that_has
from gpudoctor.knowledge.surroundings import subjects_in


@pytest.mark.parametrize(
    ("text", "frameworks"),
    [
        ("EasyOCR runs on the CPU", {"torch"}),
        ("pip install stable_baselines3", {"torch"}),
        ("https://github.com/deezer/spleeter/issues/1", {"tensorflow"}),
        ("faster-whisper beside numpyro", {"another", "jax"}),
        ("my own program", set()),
    ],
)
def test_who_names_a_program_names_its_framework(text, frameworks):
    assert frameworks_of_applications(text) == frameworks
    assert {f"about-{one}" for one in frameworks} <= subjects_in(text)


@pytest.mark.parametrize(
    ("line", "requirement"),
    [
        ("AttributeError: module 'PIL.Image' has no attribute 'ANTIALIAS'", "Pillow<10"),
        ("ModuleNotFoundError: No module named 'torchvision.transforms.functional_tensor'", "torchvision<0.17"),
        ("ImportError: cannot import name 'KeyArray' from 'jax.random'", "jax<0.4.24"),
        ("ImportError: cannot import name 'PILLOW_VERSION'", "Pillow<7"),
        ("AttributeError: module 'PIL.Image' has no attribute 'LANCZOS'", None),
        ("ModuleNotFoundError: No module named 'transformers.models.gemma2'", "transformers>=4.42"),
        ("ImportError: cannot import name 'cached_download' from 'huggingface_hub' (/v/x.py)", "huggingface-hub<0.26"),
        ("AttributeError: Can't get attribute 'C3k2' on <module 'ultralytics.nn.modules.block'>", "ultralytics>=8.3"),
        ("has model type `qwen3` but Transformers does not recognize this architecture", "transformers>=4.51"),
        ("AttributeError: 'FreeTypeFont' object has no attribute 'getsize'", "Pillow<10"),
        ("RuntimeError: CUDA out of memory", None),
    ],
)
def test_which_releases_still_have_it(line, requirement):
    assert requirement_that_has(line) == requirement
