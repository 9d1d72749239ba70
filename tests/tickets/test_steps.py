"""What the reporter did: packages that commands installed or took away, and what is only asked, planned or failed."""

import pytest

from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.tickets.pasted import plain
from gpudoctor.tickets.read import ingest
from gpudoctor.tickets.statements import statements_in
from gpudoctor.tickets.steps import installed_by_steps, removed_by_steps

CTK = "nvidia-container-toolkit"
INSTALLED = {
    "Yesterday I did `apt-get install nvidia-container-toolkit`, then it was the same": {CTK: ""},
    "I ran sudo apt install -y nvidia-container-toolkit and restarted docker": {CTK: ""},
    f"$ sudo dnf install -y {CTK}\nComplete!": {CTK: ""},
    f"sudo apt-get install -y \\\n  {CTK} \\\n  libnvidia-container1": {CTK: "", "libnvidia-container1": ""},
    f"I followed the guide: `sudo apt install {CTK}`": {CTK: ""},
    f"sudo pacman -S {CTK}": {CTK: ""},
    "After `pip install xformers==0.0.25` the import fails": {"xformers": "0.0.25"},
    "I used uv pip install vllm==0.6.3 in a new environment": {"vllm": "0.6.3"},
    "1. conda install -c conda-forge cupy=13.2": {"cupy": "13.2"},
    # What was taken away is gone, unless it came back.
    "pip install xformers==0.0.25\npip uninstall -y xformers": {},
    "pip uninstall -y xformers\npip install xformers==0.0.26": {"xformers": "0.0.26"},
    # Asked, planned, advised, denied, failed.
    f"Do I need to run `apt install {CTK}`?": {},
    f"Should I apt install {CTK}?": {},
    f"I will `apt install {CTK}` tomorrow": {},
    f"Try this:\nsudo apt install {CTK}": {},
    f"The readme says to run `sudo apt install {CTK}`": {},
    f"I have not yet done `apt install {CTK}`": {},
    f"I did `apt install {CTK}` but it failed with an error": {},
    f"$ sudo apt install {CTK}\nE: Unable to locate package {CTK}": {},
    f"RUN apt-get install -y {CTK}": {},
}
REMOVED = {
    "I uninstalled xformers and flash-attn": {"xformers", "flash-attn"},
    "xformers was removed before": {"xformers"},
    "sudo apt purge nvidia-driver-535": {"nvidia-driver-535"},
    "I have not uninstalled xformers": set(),
    "Should I have removed xformers?": set(),
}


@pytest.mark.parametrize(("text", "packages"), INSTALLED.items())
def test_what_was_installed(text, packages):
    assert {name: one.version for name, one in installed_by_steps(plain(text)).items()} == packages


@pytest.mark.parametrize(("text", "names"), REMOVED.items())
def test_what_was_taken_away(text, names):
    assert removed_by_steps(plain(text)) == names


def test_a_version_becomes_a_fact_where_nothing_better_states_one():
    def version(text: str) -> str | None:
        found = ingest(text.encode(), load_matrix()).snapshot.packages
        return getattr(getattr(found, "find", lambda _: None)("xformers"), "version", None)

    told = "I did `pip install xformers==0.0.25`"
    assert version(told) == "0.0.25"
    assert version(f"{told}\nLater I uninstalled xformers.") is None
    assert (
        version(f"{told}\n\nPackage    Version\n---------- -------\nnumpy      1.26.4\nxformers   0.0.23") == "0.0.23"
    )
    assert version(f"{told}\nERROR: No matching distribution found for xformers==0.0.25") is None


@pytest.mark.parametrize(
    ("text", "is_there"),
    [
        (f"I did `apt-get install {CTK}` first", True),
        ("We have installed the NVIDIA Container Toolkit", True),
        (f"Do I need `apt-get install {CTK}`?", False),
        (f"I did `apt-get install {CTK}`, then I ran apt purge {CTK}", False),
    ],
)
def test_the_container_toolkit_is_there(text, is_there):
    shown = {one for said in statements_in(plain(text)) for one in said.statement.shows}
    assert ("container-tools-are-there" in shown) == is_there
