"""For any machine: what is proposed meets every constraint, what is refused says why, more constraints give no more.

The constraints are written out again here, plainly, so that both can be wrong only together.
"""

import itertools

from hypothesis import given, settings
from hypothesis import strategies as st
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from gpudoctor.facts.versions import Capability, DriverRelease, LibraryVersion
from gpudoctor.knowledge.matrix.kernels import likely_code
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.knowledge.matrix.types import PLATFORMS, JaxBuild
from gpudoctor.plan.answer import Wanted
from gpudoctor.plan.builds import builds_of
from gpudoctor.plan.machine import Machine
from gpudoctor.plan.solve import fit
from gpudoctor.plan.wheels import has_wheel, releases_of
from tests.plan.test_fit import FLOORS, runs

MATRIX = load_matrix()
FRAMEWORKS = ("torch", "tensorflow", "jax")
CAPABILITIES = ["3.7", "5.2", "6.1", "7.0", "7.5", "8.0", "8.6", "8.9", "9.0", "10.0", "12.0", "12.1"]
DRIVERS = [
    "390.157", "440.100", "450.80.02", "470.256.02", "525.60.13", "535.54", "550.54.14",
    "570.124.06", "580.65.06", "610.43.02", "999.1",
]  # fmt: skip
SPECIFIERS = ["", ">=2.6", "<2.7", "==2.10.0", ">=2.15", ">=0.6", "!=2.20.0"]

machines = st.builds(
    Machine,
    driver=st.none() | st.sampled_from(DRIVERS).map(DriverRelease),
    capabilities=st.lists(st.sampled_from(CAPABILITIES).map(Capability), max_size=3).map(tuple),
    python=st.none() | st.sampled_from([f"3.{minor}" for minor in range(6, 17)]),
    platform=st.sampled_from(["linux-x86_64", "linux-x86_64", *PLATFORMS]),
    macos=st.none() | st.sampled_from(["10.14", "11.7", "13.2", "26.0"]).map(LibraryVersion),
    libc_version=st.none() | st.sampled_from(["2.17", "2.27", "2.35"]).map(LibraryVersion),
    cpu_only=st.booleans() | st.just(False),
)
wishes = st.lists(
    st.builds(
        Wanted,
        framework=st.sampled_from(FRAMEWORKS),
        specifier=st.sampled_from(SPECIFIERS),
        companions=st.just(()),
    ),
    min_size=1,
    max_size=3,
    unique_by=lambda wanted: wanted.framework,
).map(tuple)


def rows_of(proposal):
    """The rows of the matrix that a proposal can be of."""
    if proposal.framework == "torch":
        return [row for row in MATRIX.torch_builds(proposal.version) if row.variant == proposal.variant]
    if proposal.framework == "jax":
        variant = "cuda12" if proposal.cuda is None else proposal.variant
        return [row for row in MATRIX.jax_builds(proposal.version) if row.variant == variant]
    dist = proposal.build.split("[")[0].split()[0]
    return MATRIX.tensorflow_builds(proposal.version, None, dist)


def meets_everything(proposal, row, machine):
    platforms = getattr(row, "platforms", None) or (row.platform,)
    if proposal.framework == "jax" and proposal.cuda is None:
        # Without its plugin jax is for all systems that its jaxlib is for.
        platforms = tuple(releases_of("jaxlib", MATRIX)[proposal.version].wheels)
    if machine.platform not in platforms or (machine.python is not None and machine.python not in row.pythons):
        return False
    if (getattr(row, "defect", None) and not proposal.links) or getattr(row, "yanked", False):
        return False
    if not machine.uses_cuda:
        return proposal.cuda is None
    likely = likely_code(row, MATRIX.jax_builds()) if isinstance(row, JaxBuild) else None
    own = likely.archs if likely else row.archs or ()
    archs = own.get(machine.platform, ()) if isinstance(own, dict) else own
    cuda = row.cuda
    floor = FLOORS[machine.os].get(cuda.major)
    drives = machine.driver is None or floor is None or machine.driver >= DriverRelease(floor)
    return str(cuda) == proposal.cuda and drives and all(runs(archs, gpu) for gpu in machine.capabilities)


def check(proposal, wanted, machine):
    rows = rows_of(proposal)
    assert any(meets_everything(proposal, row, machine) for row in rows), (proposal.build, machine)
    assert Version(proposal.version) in SpecifierSet(wanted.specifier)
    assert not Version(proposal.version).is_prerelease
    assert proposal.why
    carrier = "jaxlib" if proposal.framework == "jax" else proposal.framework
    assert machine.os != "macos" or has_wheel(carrier, machine, MATRIX, proposal.version), "not for this macOS"
    if proposal.framework == "torch" and proposal.index_url:
        assert proposal.index_url == f"https://download.pytorch.org/whl/{proposal.variant}"


@settings(max_examples=150, derandomize=True)
@given(machines, wishes)
def test_what_is_proposed_fits_and_what_is_refused_says_why(machine, wish):
    found = fit(machine, wish, MATRIX)
    proposed = {one.framework: one for place in found.environments for one in place.proposals}
    refused = {refusal.framework for refusal in found.refusals}
    assert proposed or refused
    for wanted in wish:
        assert (wanted.framework in proposed) != (wanted.framework in refused or "driver" in refused)
    by_name = {wanted.framework: wanted for wanted in wish}
    for proposal in (*proposed.values(), *found.alternatives):
        check(proposal, by_name[proposal.framework], machine)
    for refusal in found.refusals:
        assert refusal.text.endswith(".")
        assert refusal.constraint
        assert all(way.obstacles for way in refusal.ways)
    for proposal in proposed.values():
        newer = proposal.why_not_newer
        assert newer is None or newer.obstacles


@settings(max_examples=150, derandomize=True)
@given(machines, wishes)
def test_what_shares_an_environment_has_one_cuda_major(machine, wish):
    for place in fit(machine, wish, MATRIX).environments:
        majors = {proposal.cuda.split(".")[0] for proposal in place.proposals if proposal.cuda}
        assert len(majors) <= 1
        for one, other in itertools.combinations(place.proposals, 2):
            names = {one.framework: one, other.framework: other}
            tensorflow = names.get("tensorflow")
            if tensorflow is not None and tensorflow.cuda is not None:
                assert tensorflow.version >= "2.20", "2.14 to 2.19 pin every CUDA library"


def versions(machine, wish):
    found = fit(machine, wish, MATRIX)
    proposed = {one.framework: Version(one.version) for place in found.environments for one in place.proposals}
    return found, [proposed.get(wanted.framework) for wanted in wish]


def narrowed(machine, **facts):
    whole = {name: getattr(machine, name) for name in machine.__struct_fields__}
    return Machine(**{**whole, **facts})


@settings(max_examples=150, derandomize=True)
@given(machines, st.sampled_from(FRAMEWORKS), st.sampled_from(CAPABILITIES), st.sampled_from(DRIVERS))
def test_another_constraint_never_makes_an_answer_newer(machine, name, gpu, driver):
    wish = (Wanted(framework=name),)
    _, (before,) = versions(machine, wish)
    more = [
        narrowed(machine, capabilities=(*machine.capabilities, Capability(gpu))),
        narrowed(machine, libc="musl"),
        narrowed(machine, python=machine.python or "3.9"),
        narrowed(machine, driver=machine.driver or DriverRelease(driver)),
    ]
    answers = [versions(one, wish)[1][0] for one in more]
    linked = {Version(one.version) for one in builds_of(name, machine.platform, MATRIX) if one.links}
    answers += [versions(machine, (Wanted(framework=name, specifier=one),))[1][0] for one in SPECIFIERS]
    for after in answers:
        # A release that must be mended by a link is taken where no other is left: newer ones count as none then.
        assert after is None or after in linked or (before is not None and after <= before)


@settings(max_examples=100, derandomize=True)
@given(machines, wishes)
def test_the_first_wish_gains_nothing_from_the_others(machine, wish):
    _, (alone,) = versions(machine, wish[:1])
    _, (first, *_) = versions(machine, wish)
    assert (alone is None) == (first is None)
    assert alone is None or first <= alone


@settings(max_examples=60, derandomize=True)
@given(machines, wishes)
def test_the_same_question_has_the_same_answer(machine, wish):
    assert fit(machine, wish, MATRIX) == fit(machine, wish, MATRIX)
