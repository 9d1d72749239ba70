"""A plan in the format that was asked for."""

import click

from gpudoctor.cli.machine_options import Target
from gpudoctor.cli.show import style_of
from gpudoctor.facts.plan import InstallPlan
from gpudoctor.knowledge.matrix.offer_types import BaseImage
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.report.formats import renderer
from gpudoctor.report.install_plan import InstallReport

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
    report = InstallReport(
        plan=plan,
        about=f"Made by gpudoctor plan; compatibility matrix {matrix.edition}.",
        platform=target.machine.platform,
        image=_image(target, matrix) if form == "dockerfile" else None,
    )
    write = renderer("plan", form)
    text: str = write(report, style_of()) if form == "terminal" else write(report)
    return text


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
