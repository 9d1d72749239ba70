"""What the tests of judged texts share."""

import pytest

from gpudoctor.examine.judging import criteria_of
from gpudoctor.examine.triage import ticket


@pytest.fixture
def judged(tmp_path):
    def judge(text):
        path = tmp_path / "ticket.txt"
        path.write_text(text, encoding="utf-8")
        return ticket(str(path), criteria_of((), (), (), None))

    return judge
