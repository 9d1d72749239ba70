"""ENV004: the installer is configured to use only an index that lacks common packages."""

from gpudoctor.rules._unresolvable import NoMatch, looked_for
from gpudoctor.rules.sections import Environ, Gap, Live
from gpudoctor.rules.terms import Ask, Fix, Iterator, Problem, SetEnv, by_hand, problem, rule, seen

#: Variables that replace the usual index, and those that add to it, by installer.
INSTALLERS = {
    "pip": (("PIP_INDEX_URL",), ("PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS"), "PIP_NO_INDEX"),
    "uv": (("UV_DEFAULT_INDEX", "UV_INDEX_URL"), ("UV_INDEX", "UV_EXTRA_INDEX_URL", "UV_FIND_LINKS"), "UV_NO_INDEX"),
}
#: Indexes of one publisher: they hold its own packages and some that these need, not all.
PARTIAL = ("download.pytorch.org/whl", "pypi.nvidia.com", "pypi.ngc.nvidia.com")
#: What frameworks need and every complete index has, for each Python.
EVERYWHERE = frozenset(
    (
        *("numpy", "setuptools", "wheel", "pip", "packaging", "typing-extensions", "six", "pillow", "pyyaml", "tqdm"),
        *("filelock", "sympy", "mpmath", "networkx", "jinja2", "markupsafe", "fsspec"),
    )
)


@rule(
    "ENV004",
    name="pip-no-matching-distribution",
    severity="warning",
    when="live.symptoms.signature=no-matching-distribution|cuda-build-not-on-index"
    " or environ.PIP_INDEX_URL or environ.PIP_NO_INDEX or environ.UV_DEFAULT_INDEX"
    " or environ.UV_INDEX_URL or environ.UV_NO_INDEX",
)
def pip_no_matching_distribution(environ: Environ | Gap | None, live: Live | Gap | None) -> Iterator[Problem]:
    """The installer is configured to use only an index that lacks common packages.

    What it means:
    pip and uv look for packages in an index. A variable replaces the usual index, which has everything, by one of
    PyTorch or NVIDIA, which has only their own packages; or by none at all.

    Why it breaks:
    Other packages end with "No matching distribution found", though they exist.

    How to fix it:
    Name the special index as an additional one, or only on the command line of that one installation.

    When to ignore it:
    When you install only what that index holds.

    Sources:
    pip install, options --index-url and --extra-index-url, https://pip.pypa.io/en/stable/cli/pip_install/; uv, package
    indexes, https://docs.astral.sh/uv/concepts/indexes/
    """
    told = tuple(_set_by_a_variable(environ)) if isinstance(environ, Environ) else ()
    yield from told
    lacking = next((one for one in looked_for(live) if one.package in EVERYWHERE and one.offered == ()), None)
    if lacking is not None and not told:
        yield _partial(lacking)


def _partial(lacking: NoMatch) -> Problem:
    beside = Ask(text="Write --extra-index-url in place of --index-url, so that the usual index is asked as well.")
    first = Ask(text=f"Or install {lacking.package} first, without any option about an index.")
    return problem(
        f"The package index in use does not have {lacking.package}, which every complete index has.",
        seen(f"versions of {lacking.package} that it has", "none, according to the installer"),
        subject="pip",
        severity="error",
        confidence="likely",
        fix=by_hand("Let it look in the usual index as well", beside, first),
    )


def _set_by_a_variable(environ: Environ) -> Iterator[Problem]:
    for installer, (replacing, adding, no_index) in INSTALLERS.items():
        name = next((one for one in replacing if environ.get(one)), None)
        value = environ.get(name) or "" if name else ""
        if any(environ.get(one) for one in adding):
            continue
        none = (environ.get(no_index) or "").lower() in ("1", "true", "yes", "on")
        if not none and not any(partial in value for partial in PARTIAL):
            continue
        cause = no_index if none else name or ""
        unset = SetEnv(name=cause, value=None)
        # Without a replacing index the installer takes its usual one; this one then comes beside it.
        steps = (unset,) if none else (unset, SetEnv(name=adding[0], value=value))
        yield problem(
            f"{installer} is set to {'no index at all' if none else f'the index {value} only'}.",
            seen(cause, environ.get(cause) or ""),
            seen(" and ".join(adding), "not set"),
            subject=installer,
            confidence="likely",
            fix=Fix(
                f"Unset {cause}" if none else "Let it look in the usual index as well",
                "safe",
                steps,
                undo=f"export {cause}={environ.get(cause)}" + ("" if none else f"; unset {adding[0]}"),
            ),
        )
