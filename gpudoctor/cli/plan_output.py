"""A plan in the format that was asked for."""

import click

from gpudoctor.cli.machine_options import Target
from gpudoctor.facts.codec import encode
from gpudoctor.facts.plan import InstallPlan
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.knowledge.matrix.types import BaseImage
from gpudoctor.report.output import width
from gpudoctor.report.plan_text import install_text
from gpudoctor.report.projects import conda_text, dockerfile_text, requirements_text, uv_text
from gpudoctor.report.scripts import install_script

#: Formats that hold one environment.
SINGLE = ("dockerfile", "requirements", "uv", "conda-env")


def written(plan: InstallPlan, form: str, target: Target, matrix: Matrix) -> str:
    """The text of the plan. Raises click.UsageError where the format cannot hold it."""
    if form in SINGLE and plan.apart:
        raise click.UsageError(
            f"--format {form} holds one environment, and this takes {len(plan.apart) + 1}, because "
            f"{plan.separate_because}. Ask for each framework by itself."
        )
    if form == "uv" and plan.files:
        raise click.UsageError(
            f"--format uv holds no file of requirements. Add it to the project: uv add -r {plan.files[0]}."
        )
    about = f"Made by gpudoctor plan; compatibility matrix {matrix.edition}."
    if form == "json":
        return encode(plan, indent=2).decode() + "\n"
    if form == "terminal":
        return install_text(plan, width(), shell="powershell" if target.machine.os == "windows" else "bash")
    if form in ("shell", "powershell"):
        return install_script(plan, about, shell="bash" if form == "shell" else "powershell")
    if form == "dockerfile":
        return dockerfile_text(plan, about, _image(target, matrix))
    if form == "requirements":
        return requirements_text(plan, about)
    return uv_text(plan, about, target.machine.platform) if form == "uv" else conda_text(plan, about)


def _image(target: Target, matrix: Matrix) -> BaseImage:
    """The base image with the Python of the plan; the newest that all has wheels for is not guessed."""
    machine = target.machine
    images = [row for row in matrix.table("images") if isinstance(row, BaseImage)]
    wanted = target.place.version or machine.python
    found = next((row for row in images if row.python == wanted and machine.platform in row.platforms), None)
    if found is None:
        known = ", ".join(sorted({row.python for row in images}, key=lambda text: int(text.split(".")[1])))
        what = f"Python {wanted} on {machine.platform}" if wanted else "a Python that is not named"
        raise click.UsageError(
            f"--format dockerfile: no base image is known for {what}. Name one with --python: {known}."
        )
    return found
