"""An extension for the torch that is installed, as a fix."""

import pytest

from gpudoctor.facts.fix import Run
from gpudoctor.facts.python import Framework
from gpudoctor.facts.scene import Scene
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.plan.extension_beside import extension_beside
from tests.rules.stacks import RTX_4090, interpreter, stack, torch


def scene(**sections):
    machine = stack(RTX_4090, **sections)
    return Scene(**{name: machine[name] for name in Scene.__struct_fields__})


#: Neither what pip keeps of an earlier build, nor another torch, may come.
ANEW = "install --force-reinstall --no-deps --no-cache-dir"


@pytest.mark.parametrize(
    ("name", "beside", "words", "wanted"),
    [
        ("xformers", torch("2.6.0+cu124"), ANEW, "xformers==0.0.29.post3"),
        ("flash-attn", torch("2.14.1+cu126"), f"{ANEW} --no-build-isolation", "flash-attn=="),
        ("flash-attn", torch("2.6.0+cu124", cxx11_abi=False), ANEW, "flash-attn @ https://github.com/"),
    ],
)
def test_what_goes_with_the_torch_that_is_there(name, beside, words, wanted):
    (step,) = extension_beside(name, beside, scene(), load_matrix()).steps
    assert f"{words} {wanted}" in " ".join(step.argv)


def test_where_no_release_goes_with_it_a_person_does_without():
    fix = extension_beside("auto-gptq", torch("2.6.0+cu124"), scene(on=interpreter("3.11.4")), load_matrix())
    assert fix.safety == "manual"
    assert not any(isinstance(step, Run) for step in fix.steps)
    assert "auto-gptq" in fix.title and "torch 2.6.0+cu124" in fix.title


@pytest.mark.parametrize(
    ("name", "beside", "where"),
    [
        ("no-such-extension", torch("2.6.0+cu124"), scene()),
        ("xformers", Framework(name="torch", version=None), scene()),
        ("xformers", torch("2.6.0+cu124"), scene(host=None)),
    ],
    ids=["the extension", "the torch", "the platform"],
)
def test_where_one_is_not_known_there_is_no_fix(name, beside, where):
    assert extension_beside(name, beside, where, load_matrix()) is None
