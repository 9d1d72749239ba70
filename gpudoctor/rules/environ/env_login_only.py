"""ENV006: a program lacks CUDA variables that the login shell sets."""

from gpudoctor.facts.system import LoginSetting
from gpudoctor.rules.sections import Container, Environ
from gpudoctor.rules.terms import Ask, Iterator, Problem, SetEnv, by_hand, problem, rule, seen

SEARCH_PATHS = ("PATH", "LD_LIBRARY_PATH", "LIBRARY_PATH", "CPATH")


@rule("ENV006", name="env-login-only", severity="warning", when="container.notebook=jupyter|sagemaker, environ.login")
def env_login_only(environ: Environ, container: Container) -> Iterator[Problem]:
    """A program lacks CUDA variables that the login shell sets.

    What it means:
    Files such as ~/.profile and ~/.bashrc set variables when somebody logs in. This process was started by a service,
    which does not read them, so it lacks settings that work in a terminal.

    Why it breaks:
    A notebook server started by systemd, JupyterHub or at boot has its own environment. The same program finds CUDA in
    a terminal and not in the notebook.

    How to fix it:
    Set the variables where the service is configured: "env" in the kernel's kernel.json, or Environment= in the unit.

    When to ignore it:
    When the framework brings its own CUDA libraries (pip and conda builds do) and works.

    Sources:
    bash(1), INVOCATION; systemd.exec(5), Environment=; Jupyter client, kernel specs,
    https://jupyter-client.readthedocs.io/en/stable/kernels.html
    """
    # In a terminal these files were read: what then is missing, somebody took away on purpose.
    if container.notebook not in ("jupyter", "sagemaker"):
        return
    missing = {one.name: one for one in environ.login or () if _is_missing(one, environ)}
    if not missing:
        return
    steps = tuple(
        SetEnv(name=one.name, value=_wanted(one, environ), where='"env" of the kernel\'s kernel.json')
        for one in missing.values()
    )
    where = Ask(text='The file is listed by "jupyter kernelspec list". For a systemd unit, use Environment= instead.')
    yield problem(
        f"The login files set {' and '.join(missing)} for CUDA; this notebook's kernel lacks that.",
        *tuple(
            evidence
            for one in missing.values()
            for evidence in (
                seen(f"{one.name} in {one.file}", one.value),
                seen(f"{one.name} here", environ.get(one.name) or "not set"),
            )
        ),
        confidence="likely",
        fix=by_hand("Set it for the notebook's kernel", *steps, where),
    )


def _is_missing(setting: LoginSetting, environ: Environ) -> bool:
    here = environ.get(setting.name)
    if setting.name not in SEARCH_PATHS:
        return here is None and setting.name != "CUDA_VISIBLE_DEVICES"
    folders = {folder.rstrip("/") for folder in (here or "").split(":")}
    return not folders & set(setting.value.split(":"))


def _wanted(setting: LoginSetting, environ: Environ) -> str:
    here = environ.get(setting.name)
    return f"{setting.value}:{here}" if here and setting.name in SEARCH_PATHS else setting.value
