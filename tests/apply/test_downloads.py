"""Nothing is downloaded twice: what an index on loopback was asked for."""

import sys

import pytest

from gpudoctor.apply.carry_out import Work, carry_out
from gpudoctor.apply.events import Proved
from gpudoctor.apply.sizes import sizer
from gpudoctor.facts.fix import Run
from tests.apply.package_index import served
from tests.apply.test_campaign import online
from tests.apply.wheels import copied

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="paths of POSIX")


@pytest.mark.parametrize("more", [{}, {"PIP_NO_CACHE_DIR": "1"}])
def test_each_wheel_is_fetched_once(bare, index, tmp_path, more):
    path = copied(bare, tmp_path / "env")
    with served(index) as there:
        work = Work(
            environment=path,
            kind="changed",
            steps=(Run(argv=(f"{path}/bin/python", "-m", "pip", "install", "kit==2.0")),),
            # pip keeps nothing of a plain http address, unless it is told to trust it.
            variables=online(there.url, tmp_path, PIP_TRUSTED_HOST="127.0.0.1", **more),
        )
        end = carry_out(work, lambda _: (Proved(framework="kit", outcome="passed"),), lambda _: None, sizer())
    assert end.outcome == "installed-and-proved", end.reason
    fetched = [address for how, address in there.asked if how == "GET" and address.endswith(".whl")]
    assert sorted(fetched) == ["/files/kit-2.0-py3-none-any.whl", "/files/part-1.5-py3-none-any.whl"]
