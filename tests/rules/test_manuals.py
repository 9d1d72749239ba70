"""Every rule has a manual page with all its parts, and every page is of a rule."""

import pytest

from gpudoctor.knowledge.manuals import HEADINGS, manuals
from gpudoctor.rules.load import load_rules


@pytest.mark.parametrize("rule", load_rules(), ids=lambda rule: rule.name)
def test_a_rule_has_its_page(rule):
    page = manuals()[rule.name]
    assert all(getattr(page, part).strip() for part in HEADINGS)
    assert rule.summary.endswith(".")
    assert "\n" not in rule.summary
    assert rule.manual == f"{rule.summary}\n\n{page.text}"


def test_a_page_is_of_a_rule():
    assert manuals().keys() == {rule.name for rule in load_rules()}
