"""BOX023: installing packages in WSL prints "libcuda.so.1 is not a symbolic link", which is harmless."""

from gpudoctor.rules._situation import wsl_of
from gpudoctor.rules.failures import pasted
from gpudoctor.rules.sections import Container, Gap, Live, Toolkits
from gpudoctor.rules.terms import Iterator, Problem, by_hand, problem, rule, seen

LIBRARY = "/usr/lib/wsl/lib/libcuda.so.1"


@rule(
    "BOX023",
    name="wsl-ldconfig-warning",
    severity="info",
    when="container.wsl or live.symptoms.signature=wsl-libcuda-no-link",
)
def wsl_ldconfig_warning(
    container: Container | Gap | None, toolkits: Toolkits | Gap | None, live: Live | Gap | None
) -> Iterator[Problem]:
    """Installing packages in WSL prints "libcuda.so.1 is not a symbolic link", which is harmless.

    What it means:
    Windows shows its driver's libraries in /usr/lib/wsl/lib as plain files. The tool ldconfig expects a link there and
    says so each time packages are installed.

    Why it breaks:
    It does not: the library is found and works.

    How to fix it:
    Nothing needs to be done. Do not install a Linux driver to get rid of the message.

    When to ignore it:
    Always.

    Sources:
    https://github.com/microsoft/WSL/issues/5548
    """
    wsl = wsl_of(container)
    # The message comes with system packages; a toolkit shows that some were installed.
    installs = isinstance(toolkits, Toolkits) and bool(toolkits.found)
    told = any(one.signature == "wsl-libcuda-no-link" for one in pasted(live))
    is_link = wsl.library_is_link if wsl else None
    expected = installs and wsl is not None and wsl.version == 2 and wsl.driver_library and is_link is False
    if not expected and not (told and is_link is not True):
        return
    text = "Leave it as it is; Windows writes these files anew at each start."
    yield problem(
        'In WSL, the ldconfig warning that libcuda.so.1 "is not a symbolic link" is harmless.',
        seen(LIBRARY, "a plain file"),
        fix=by_hand("Nothing needs to be done", text),
    )
