"""Another machine, another attempt: sentences whose facts are not of what fails, and those that are."""

import pytest

from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.knowledge.surroundings import surroundings_in
from gpudoctor.tickets.facts_read import facts_read
from gpudoctor.tickets.other_machines import without_others
from gpudoctor.tickets.read import ingest

ELSEWHERE = (
    "On the same machine with Windows 11 & WSL2 the same command runs without trouble",
    "on Windows 11 & WSL2 it runs fine",
    "It works on my laptop with an RTX 3060.",
    "My colleague has an RTX 3090 and Ubuntu 20.04, there it trains.",
    "On my other machine (GTX 1080, Windows 10) everything works.",
    "The same code works perfectly on Colab with a T4.",
    "A friend with a 4090 uses driver 535 and has no such error.",
    "With Docker on WSL2 it worked without problems.",
    "the exact same environment on another server with A100 GPUs runs fine",
    "I have no issues on Windows with the same GPU.",
    "My old PC with a GTX 970 had Ubuntu 18.04 and TensorFlow 1.15 there.",
    "Under Ubuntu 22.04 the training works well.",
    "This works fine in a Kaggle notebook.",
    "Everything was fine on my previous workstation with Debian 11",
    "It never had a problem on macOS.",
    "the same script runs as expected on an EC2 p3 instance",
    "In WSL2, it works like a charm",
    "His laptop with a 2060 works.",
    "It does run well under Windows 10 with driver 531.18",
    "On Kaggle's P100 I have no problems at all.",
    "The container starts without errors on our cluster.",
    "my previous machine was a DGX with V100, there it worked",
    "No such error with Fedora 38",
    "using Colab everything works",
    "The program works for me in Windows",
    "On a different computer with a 1660 Ti it is working properly.",
    "someone else's server with CUDA 11.8 has it working",
    "The model loads fine on the RTX 2080 Ti.",
    "Other users with a 3080 on Windows 11 have it running",
    "The very same image worked on Ubuntu 20.04 hosts.",
)
HERE = (
    "I am on Windows 11 with WSL2 and an RTX 3060.",
    "It does not work on Windows 11.",
    "nvidia-smi works fine in WSL2 with driver 535.54.",
    "I tried to make it work on Ubuntu 22.04 with a 3090.",
    "How do I get it to work on Windows?",
    "My laptop has an RTX 3060 and Ubuntu 20.04.",
    "It only works on the CPU with torch 2.1.",
    "I run Ubuntu 22.04 on a Dell workstation with two A6000.",
    "The training runs on an RTX 3090, but it is slow.",
    "The other GPU is a GTX 1050.",
    "Our server runs Ubuntu 20.04 and has 4 GPUs.",
    "I use Docker on Windows with WSL2.",
    "This should work on Windows 10.",
    "I installed CUDA 12.1 on Debian 12 without errors, then torch.",
    "I have Windows 11 installed and Python 3.10",
    "The error appears in WSL2 with Ubuntu 22.04.",
    "It is not working on my laptop with an RTX 3060.",
    "The notebook runs in Colab with a T4, and I get this error",
)
#: What is now, beside what was.
NOW = (
    ("Last week with driver 535.54 everything was fine; now the driver is 550.90.", ["driver 550.90"]),
    ("I replaced my GTX 1080 with an RTX 4090.", ["NVIDIA GeForce RTX 4090"]),
    ("I had an RTX 2080 before, now it's an RTX 3090.", ["NVIDIA GeForce RTX 3090"]),
    ("After I swapped the GTX 970 for an RTX 4070 it fails.", ["NVIDIA GeForce RTX 4070"]),
    ("Everything was OK on jax 0.4.13.", []),
    ("Rolling back to tensorflow 2.10 helps.", []),
    ("conda install openmm cudatoolkit==11.0\nPackagesNotFoundError: none:\n  - cudatoolkit==11.0", []),
)


@pytest.mark.parametrize("sentence", ELSEWHERE)
def test_where_it_works_is_not_here(sentence):
    assert not without_others(sentence).strip()
    assert not [*facts_read(ingest(f"It fails here. {sentence}".encode(), load_matrix()))]


@pytest.mark.parametrize("sentence", HERE)
def test_what_tells_of_this_machine_stays(sentence):
    assert without_others(sentence) == sentence


@pytest.mark.parametrize(("text", "facts"), NOW)
def test_what_was_is_not_what_is(text, facts):
    assert [one for one, _ in facts_read(ingest(text.encode(), load_matrix()))] == facts


def test_the_system_where_it_works_is_not_the_place():
    text = "It fails on Fedora 39. On the same machine with Windows 11 and WSL2 the same command runs fine."
    assert surroundings_in(without_others(text)).isdisjoint({"wsl", "windows"})
    assert "container" in surroundings_in(without_others("It works on my laptop, but not in the Docker container."))
