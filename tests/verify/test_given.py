"""The facts that commands are judged by, out of a snapshot."""

from gpudoctor.facts.base import Gap
from gpudoctor.facts.python import Interpreter
from gpudoctor.facts.snapshot import Snapshot
from gpudoctor.facts.system import Container, System
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.verify.given import given_of


def test_what_was_not_seen_is_not_given():
    unseen = Gap(reason="not recorded")
    given = given_of(Snapshot(host=unseen, container=unseen, interpreter=unseen, packages=unseen), load_matrix())
    assert (given.packages, given.python, given.environment) == (None, None, None)


def test_the_interpreter_and_another_pip():
    interpreter = Interpreter(
        executable="/srv/env/bin/python",
        chosen_by="PATH",
        version="3.10.4",
        environment="venv",
        pip_on_path_interpreter="/usr/bin/python3",
    )
    host = System(os="linux", arch="x86_64", distribution="ubuntu", distribution_version="22.04")
    given = given_of(Snapshot(host=host, container=Container(kind="docker"), interpreter=interpreter), load_matrix())
    assert given.machine.python == "3.10"
    assert (given.distribution, given.distribution_version) == ("ubuntu", "22.04")
    assert (given.environment, given.other_pip) == ("venv", "/usr/bin/python3")
