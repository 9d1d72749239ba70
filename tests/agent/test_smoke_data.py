"""The generated images and the judgement of a training on them: what every framework's training shares."""

import math

import pytest

from gpudoctor.agent import smoke_data
from gpudoctor.agent.smoke_judgement import TOLERANCES, finite, outcome

GOOD = {
    "first_loss": 2.3,
    "last_loss": 0.1,
    "accuracy": 0.98,
    "threshold": 0.9,
    "placed_on_ok": True,
    "difference": 1e-6,
    "tolerance": 1e-3,
}


def nearest(images, labels, test_images):
    """The class of the mean picture that each test image is nearest to: what a network must at least learn."""
    size = smoke_data.PIXELS
    means = [[0.0] * size for _ in range(smoke_data.CLASSES)]
    for index, label in enumerate(labels):
        for pixel, value in enumerate(images[index * size : (index + 1) * size]):
            means[label][pixel] += value
    found = []
    for start in range(0, len(test_images), size):
        image = test_images[start : start + size]
        scores = [sum(a * b for a, b in zip(image, mean, strict=True)) for mean in means]
        found.append(scores.index(max(scores)))
    return found


def test_the_images_can_be_told_apart_and_are_the_same_each_time(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "numpy", None)
    once, again = smoke_data.generated(200, 50), smoke_data.generated(200, 50)
    assert once == again
    assert len(once.images) == 200 * smoke_data.PIXELS
    assert (min(once.images), max(once.images)) == pytest.approx((-1, 1), abs=0.01)
    assert nearest(once.images, once.labels, once.test_images) == list(once.test_labels)


def test_batches_go_through_the_set_again_and_again():
    examples = smoke_data.Examples(range(1024), range(1024), (), ())
    starts = [smoke_data.batch(examples, step)[0][0] for step in range(33)]
    assert starts[0] == starts[16] == starts[32] == 0
    assert sorted(set(starts)) == list(range(0, 1024, 64))


def test_a_training_that_is_as_it_should_be_passes():
    assert outcome(**GOOD) == ("passed", None)
    assert outcome(**{**GOOD, "accuracy": None, "placed_on_ok": None, "difference": None}) == ("passed", None)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"last_loss": 2.3}, "the loss did not fall"),
        ({"last_loss": 2.5}, "the loss did not fall"),
        ({"last_loss": 2.2}, "the loss fell too little"),
        ({"last_loss": math.nan}, "the last loss is nan"),
        ({"first_loss": math.inf}, "the first loss is inf"),
        ({"last_loss": None}, "not measured"),
        ({"accuracy": 0.5}, "the accuracy is 0.50, below 0.90"),
        ({"accuracy": math.nan}, "the accuracy is nan"),
        ({"placed_on_ok": False}, "did not run where it was asked to"),
        ({"difference": 0.01}, "differs from the CPU's by 0.01"),
        ({"difference": math.nan}, "differs from the CPU's by nan"),
    ],
)
def test_what_is_wrong_fails_and_is_said(wrong, said):
    verdict, detail = outcome(**{**GOOD, **wrong})
    assert verdict == "failed"
    assert said in detail


def test_two_faults_are_both_said():
    _, detail = outcome(**{**GOOD, "accuracy": 0.1, "placed_on_ok": False})
    assert "accuracy" in detail
    assert "asked to" in detail


def test_numbers_that_json_cannot_hold_are_left_out():
    assert [finite(value) for value in (1, 0.5, math.nan, -math.inf, None)] == [1.0, 0.5, None, None, None]


def test_less_precise_formats_are_held_to_looser_bounds():
    assert TOLERANCES["float32"] < TOLERANCES["tf32"] <= TOLERANCES["float16"] < TOLERANCES["bfloat16"] < 0.5
