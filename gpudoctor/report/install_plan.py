"""Renders an install plan in each format of `gpudoctor plan`."""

from gpudoctor.facts.base import Fact
from gpudoctor.facts.plan import InstallPlan
from gpudoctor.knowledge.matrix.offer_types import BaseImage
from gpudoctor.report.commands import Shell
from gpudoctor.report.json import render_json
from gpudoctor.report.plan_text import install_text
from gpudoctor.report.projects import conda_text, dockerfile_text, requirements_text, uv_text
from gpudoctor.report.scripts import install_script
from gpudoctor.report.terminal import Style

_POWERSHELL: Shell = "powershell"


class InstallReport(Fact, frozen=True, kw_only=True):
    """A plan, where it comes from, the platform it is for, and the base image of its Dockerfile."""

    plan: InstallPlan
    about: str
    platform: str | None = None
    image: BaseImage | None = None


def terminal(made: InstallReport, style: Style) -> str:
    """For people."""
    windows = (made.platform or "").startswith("windows")
    return install_text(made.plan, style.width, shell=_POWERSHELL if windows else "bash")


def json(made: InstallReport) -> str:
    """The plan as data."""
    return render_json(made.plan).decode()


def shell(made: InstallReport) -> str:
    """A script for sh."""
    return install_script(made.plan, made.about)


def powershell(made: InstallReport) -> str:
    """A script for PowerShell."""
    return install_script(made.plan, made.about, shell=_POWERSHELL)


def dockerfile(made: InstallReport) -> str:
    """A Dockerfile on `image`."""
    assert made.image is not None
    return dockerfile_text(made.plan, made.about, made.image)


def requirements(made: InstallReport) -> str:
    """A file for pip."""
    return requirements_text(made.plan, made.about)


def uv(made: InstallReport) -> str:
    """A project of uv."""
    return uv_text(made.plan, made.about, made.platform)


def conda_env(made: InstallReport) -> str:
    """An environment file of conda."""
    return conda_text(made.plan, made.about)
