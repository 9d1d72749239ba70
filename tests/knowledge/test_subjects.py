"""What a text is about: its own words and messages count, packages that lie beside do not."""

import pytest

from gpudoctor.knowledge.surroundings import subjects_in

REST = "\n" + "Something does not work here, and nobody knows why. " * 8


@pytest.mark.parametrize(
    ("text", "about"),
    [
        ("localcolabfold finds no GPU\ntensorflow-cpu 2.15.0 requires ml-dtypes~=0.2.0, but you have 0.3.2", {"jax"}),
        ("ComfyUI sees no GPU\nRequirement already satisfied: tensorflow in ./lib", {"torch"}),
        ("jax finds no GPU\ntorch==2.1.0\ntensorflow==2.15.0", {"jax"}),
        ("keras uses the CPU\ntorch      2.1.0\nnumpy      1.26.4", {"tensorflow"}),
        ("no GPU is used\ntensorflow==2.15.0\nnumpy==1.26.4", {"tensorflow"}),
        ("no GPU is used\nSuccessfully installed torch-2.1.0", {"torch"}),
        ("tensorflow 2.15 and torch 2.1 see no GPU", {"tensorflow", "torch"}),
        (REST, {"another"}),
    ],
)
def test_a_text_is_about_what_it_computes_with(text, about):
    assert {one for one in subjects_in(text) if one.startswith("about-")} == {f"about-{one}" for one in about}
