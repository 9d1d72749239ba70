"""What follows from what, as causes.toml links it."""

from graphlib import TopologicalSorter

import pytest

from gpudoctor.knowledge.causes import all_causes, causes_without_rule, what_follows_from
from gpudoctor.rules.load import load_rules

RULES = {rule.name for rule in load_rules()}


def test_every_edge_names_a_cause():
    named = {effect for cause in all_causes().values() for effect in cause.leads_to}
    assert named <= RULES | set(causes_without_rule())


def test_no_cause_follows_from_itself():
    """A circle of causes has no root: none of them would be named."""
    graph = {name: cause.leads_to for name, cause in all_causes().items()}
    TopologicalSorter(graph).prepare()


@pytest.mark.parametrize(
    ("cause", "effect"),
    [
        ("drv-kernel-headers-missing", "framework-sees-no-gpu"),
        ("drv-not-loaded", "cuda-init-failed"),
        ("container-no-gpu-flag", "gpu-required"),
        ("files-overwritten", "library-not-loaded"),
        ("py-user-site-shadow", "numpy-abi"),
    ],
)
def test_what_follows_is_reached_through_what_is_between(cause, effect):
    assert effect in what_follows_from(cause)
    assert cause not in what_follows_from(effect)


def test_what_does_not_follow_here_is_left_out_with_what_comes_of_it():
    everything = set(what_follows_from("tf-cpu-only"))
    less = set(what_follows_from("tf-cpu-only", ("files-overwritten",)))
    assert {"files-overwritten", "cudnn-two-copies"} <= everything - less
    assert "framework-sees-no-gpu" in less


def test_a_cause_without_a_record_leads_to_nothing():
    assert what_follows_from("no-such-cause") == ()
