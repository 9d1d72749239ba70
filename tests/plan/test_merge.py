"""Many fixes as one plan: each change once, in order, contradictions said."""

import pytest
from msgspec.structs import replace

from gpudoctor.facts.finding import Diagnosis, Finding
from gpudoctor.facts.fix import Ask, Fix, Run, SetEnv, Write
from gpudoctor.plan.effects import contradiction, effects
from gpudoctor.plan.merge import plan_of
from tests.cases.load import cases, score

PIP = ("/env/bin/python", "-m", "pip")


def driver(floor, *steps, **facts):
    steps = steps or (Ask(text=f"Install {floor}"),)
    return Fix(
        title=f"Driver {floor}", safety="manual", steps=steps, needs_root=True, needs_reboot=True, driver=floor, **facts
    )


def installing(*requirements, safety="safe", root=False):
    title = f"Install {requirements[0]}"
    return Fix(title=title, safety=safety, needs_root=root, steps=(Run(argv=(*PIP, "install", *requirements)),))


def finding(code, *fixes, severity="error", because_of=()):
    name = f"name-{code.lower()}"
    return Finding(code=code, name=name, severity=severity, summary=f"{code}.", fixes=fixes, because_of=because_of)


def merged(*findings, only=(), **options):
    return plan_of(Diagnosis(findings=findings), only, **options)


def test_one_driver_update_cures_three_findings_and_comes_first():
    plan = merged(
        finding("FRM002", installing("torch==2.14.1")),
        finding("FRM016", driver(">=525.60.13")),
        finding("DRV010", driver(">=570")),
        finding("LIB016", driver(">=545.23.06")),
    )
    first, second = plan.fixes
    assert first.cures == ("FRM016", "DRV010", "LIB016")
    assert first.fix.driver == ">=570"
    assert first.needs == ("root", "a restart")
    assert second.cures == ("FRM002",)
    assert plan.conflicts == plan.unresolved == ()


def test_what_readies_an_environment_is_done_once():
    ready = (
        Run(argv=("rm", "-r", "/env/site-packages/pip-25.0.dist-info")),
        Run(argv=("/env/bin/python", "-m", "ensurepip")),
    )
    one, other = (replace(fix, steps=(*ready, *fix.steps)) for fix in (installing("a==1"), installing("b==1")))
    plan = merged(finding("PYT016", one), finding("PYT019", other))
    assert [len(mending.fix.steps) for mending in plan.fixes] == [3, 1]
    assert plan.fixes[1].cures == ("PYT019",)


def test_the_commands_that_install_a_driver_are_kept_and_the_floor_is_said():
    plan = merged(
        finding("DRV001", driver(">=0", Run(argv=("ubuntu-drivers", "install")))), finding("DRV010", driver(">=570"))
    )
    (one,) = plan.fixes
    assert one.fix.steps[-1] == Run(argv=("ubuntu-drivers", "install"))
    assert ">=570" in one.fix.steps[0].text
    assert one.fix.driver == ">=570"
    assert one.scope == "system"


def test_two_gpus_that_no_driver_serves_both():
    plan = merged(finding("DRV011", driver("<=470")), finding("DRV010", driver(">=570")))
    assert [one.cures for one in plan.fixes] == [("DRV011",)]
    (conflict,) = plan.conflicts
    assert conflict.codes == ("DRV011", "DRV010")
    assert "branch 470 or older" in conflict.text
    assert merged(finding("A", driver("<=580")), finding("B", driver(">=570"))).conflicts == ()


def test_equal_fixes_are_one():
    plan = merged(finding("FRM002", installing("torch==2.14.1")), finding("FRM003", installing("torch==2.14.1")))
    assert [one.cures for one in plan.fixes] == [("FRM002", "FRM003")]
    assert plan.fixes[0].because == ("FRM002.", "FRM003.")


def test_the_next_way_is_taken_where_the_first_contradicts():
    plan = merged(
        finding("FRM002", installing("torch==2.14.1")),
        finding("FRM004", installing("torch==2.9.1"), installing("torchvision==0.29.1")),
    )
    assert [one.fix.title for one in plan.fixes] == ["Install torch==2.14.1", "Install torchvision==0.29.1"]
    assert plan.conflicts == ()


def test_a_contradiction_is_said():
    plan = merged(finding("FRM002", installing("torch==2.14.1")), finding("FRM004", installing("torch==2.9.1")))
    (conflict,) = plan.conflicts
    assert (conflict.kept, conflict.left_out) == ("Install torch==2.14.1", "Install torch==2.9.1")
    assert conflict.text == "Both change torch: one installs torch==2.14.1, the other installs torch==2.9.1."


@pytest.mark.parametrize(
    ("one", "other", "contradict"),
    [
        (Run(argv=(*PIP, "install", "A_b==1")), Run(argv=(*PIP, "install", "a-B==2")), True),
        (Run(argv=(*PIP, "install", "a==1")), Run(argv=("/other/python", "-m", "pip", "install", "a==2")), False),
        (Run(argv=(*PIP, "install", "a==1")), Run(argv=(*PIP, "uninstall", "--yes", "a")), True),
        (
            Run(argv=("uv", "pip", "install", "--python", "/p", "a==1", "--index-url", "https://x")),
            Run(argv=("uv", "pip", "install", "--python", "/p", "b==1", "--index-url", "https://y")),
            False,
        ),
        (SetEnv(name="X", value="1"), SetEnv(name="X", value=None), True),
        (SetEnv(name="X", value="1"), SetEnv(name="Y", value="2"), False),
        (Write(path="/x", text="1"), Write(path="/x", text="2"), True),
        (Run(argv=("ldconfig",)), Run(argv=("ldconfig",)), False),
        # Libraries of two CUDA majors own the same files.
        (Run(argv=(*PIP, "install", "jax[cuda12]")), Run(argv=(*PIP, "install", "nvidia-cudnn-cu13==9.*")), True),
        (Run(argv=(*PIP, "install", "jax[cuda12]")), Run(argv=(*PIP, "install", "tensorflow[and-cuda]>=2.15")), False),
        (Run(argv=(*PIP, "install", "jax[cuda12]")), Run(argv=(*PIP, "install", "tensorflow[and-cuda]==2.14.1")), True),
        (
            Run(argv=(*PIP, "install", "torch", "--index-url", "https://download.pytorch.org/whl/cu130")),
            Run(argv=(*PIP, "install", "jax[cuda12]")),
            True,
        ),
        (
            Run(argv=("uv", "pip", "install", "--python", PIP[0], "torch==2", "--index", "https://x/whl/cu130")),
            Run(argv=(*PIP, "install", "jax[cuda12]")),
            True,
        ),
        (
            Run(argv=(*PIP, "install", "torchvision", "--index-url", "https://download.pytorch.org/whl/cu130")),
            Run(argv=(*PIP, "install", "jax[cuda12]")),
            False,
        ),
        (
            Run(argv=(*PIP, "install", "torch", "--index-url", "https://download.pytorch.org/whl/cpu")),
            Run(argv=(*PIP, "install", "jax[cuda12]")),
            False,
        ),
        (
            Run(argv=("gpu-env/bin/python", "-m", "pip", "install", "jax[cuda12]")),
            Run(argv=("gpu-env/bin/python", "-m", "pip", "install", "nvidia-nccl-cu13")),
            False,
        ),
        (Run(argv=(*PIP, "install", "-r", "a.txt")), Run(argv=(*PIP, "uninstall", "a.txt")), False),
        (Run(argv=(*PIP, "download", "a==1")), Run(argv=(*PIP, "install", "a==2")), False),
    ],
)
def test_contradictions(one, other, contradict):
    left, right = (Fix(title="", safety="safe", steps=(step,)) for step in (one, other))
    assert (contradiction(left, right) is not None) == contradict
    assert (contradiction(right, left) is not None) == contradict


def test_uninstalled_and_installed_again_is_installed():
    steps = (Run(argv=(*PIP, "uninstall", "--yes", "torch")), Run(argv=(*PIP, "install", "torch==2.14.1")))
    assert effects(Fix(title="", safety="safe", steps=steps)) == {("package", "torch", "/env/bin/python"): "==2.14.1"}


def test_new_environments_have_folders_of_their_own():
    def made(what):
        steps = (
            Run(argv=("python3", "-m", "venv", "gpu-env")),
            Run(argv=("gpu-env/bin/python", "-m", "pip", "install", what)),
        )
        return Fix(title=what, safety="safe", steps=steps)

    plan = merged(finding("A", made("torch==2")), finding("B", made("jax==1")))
    assert plan.fixes[0].fix.steps[0].argv[-1] == "gpu-env"
    assert [step.argv[:1] + step.argv[-1:] for step in plan.fixes[1].fix.steps] == [
        ("python3", "gpu-env-2"),
        ("gpu-env-2/bin/python", "jax==1"),
    ]


def test_who_carries_it_out_and_what_it_needs():
    user = installing("a==1")
    root = Fix(title="r", safety="review", steps=(Run(argv=("ldconfig",)),), needs_root=True)
    words = Fix(title="w", safety="safe", steps=(Ask(text="do"),), needs_login=True, needs_container=True)
    manual = installing("b==1", safety="manual")
    plan = merged(finding("A", user), finding("B", root), finding("C", words), finding("D", manual))
    assert {one.cures[0]: one.scope for one in plan.fixes} == {"A": "user", "B": "system", "C": "person", "D": "person"}
    assert {one.cures[0]: one.needs for one in plan.fixes}["C"] == ("a new login", "a new container")
    assert [one.cures for one in plan.appliable] == [("A",)]
    assert plan.fixes[0].cures == ("B",), "the system comes before the user's packages"


def test_without_root_another_way_goes_before_the_drivers():
    both = finding("FRM016", driver(">=570"), installing("torch==2.9"))
    assert merged(both).fixes[0].scope == "person"
    assert merged(both, can_be_root=True).fixes[0].scope == "person"
    assert merged(both, can_be_root=False).fixes[0].scope == "user"


def test_causes_only_unless_others_are_asked_for():
    cause, follows = finding("A", installing("a==1")), finding("B", installing("b==1"), because_of=("A",))
    note = finding("C", installing("c==1"), severity="info")
    assert [one.cures for one in merged(cause, follows, note).fixes] == [("A",)]
    assert [one.cures for one in merged(cause, follows, note, only=("B", "name-c")).fixes] == [("B",), ("C",)]


def test_what_has_no_fix_is_said():
    (left,) = merged(finding("A")).unresolved
    assert (left.code, left.summary) == ("A", "A.")
    assert left.reason


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.id)
def test_every_cause_of_a_real_machine_is_in_the_plan(case):
    diagnosis = score(case).diagnosis
    plan = plan_of(diagnosis)
    causes = {one.code for one in diagnosis.findings if not one.because_of and one.severity != "info"}
    mended = {code for one in plan.fixes for code in one.cures}
    said = {code for one in plan.conflicts for code in one.codes} | {one.code for one in plan.unresolved}
    assert causes == mended | said
    for index, one in enumerate(plan.fixes):
        for other in plan.fixes[index + 1 :]:
            assert contradiction(one.fix, other.fix) is None
    scopes = [one.scope == "user" for one in plan.fixes if one.scope != "person"]
    assert scopes == sorted(scopes), "the system before the user's packages"


@pytest.mark.parametrize(
    ("one", "other", "words"),
    [
        (SetEnv(name="A", value="1"), SetEnv(name="A", value="2"), ("variable A", "'1'", "'2'")),
        (SetEnv(name="A", value="1"), SetEnv(name="A", value=None), ("variable A", "'1'", "takes it away")),
        (Write(path="/etc/a", text="x"), Write(path="/etc/a", text="y"), ("file /etc/a", "writes it")),
        (
            Run(argv=(*PIP, "install", "torch==2.6.0")),
            Run(argv=(*PIP, "install", "torch==2.7.0")),
            ("torch", "installs torch==2.6.0", "installs torch==2.7.0"),
        ),
        (
            Run(argv=(*PIP, "install", "torch")),
            Run(argv=(*PIP, "install", "torch==2.7.0")),
            ("torch", "installs it", "==2.7.0"),
        ),
        (
            Run(argv=(*PIP, "install", "jax[cuda12]")),
            Run(argv=(*PIP, "install", "nvidia-nccl-cu13")),
            ("NVIDIA's libraries", "those of CUDA 12", "those of CUDA 13"),
        ),
        (SetEnv(name="A", value="1"), SetEnv(name="B", value="2"), None),
        (SetEnv(name="A", value="1"), SetEnv(name="A", value="1"), None),
    ],
)
def test_what_two_fixes_change_otherwise_is_named(one, other, words):
    first, second = (Fix(title="", safety="safe", steps=(step,)) for step in (one, other))
    said = contradiction(first, second)
    assert (said is None) == (words is None)
    assert all(word in (said or "") for word in words or ())


def test_only_a_person_can_do_it_is_no_way_round_a_contradiction():
    words = Fix(title="w", safety="safe", steps=(Ask(text="do"),))
    plan = merged(finding("FRM002", installing("torch==2.14.1")), finding("FRM004", installing("torch==2.9.1"), words))
    assert [one.cures for one in plan.fixes] == [("FRM002",)]
    assert [one.left_out for one in plan.conflicts] == ["Install torch==2.9.1"]
    assert [one.cures for one in merged(finding("FRM004", words)).fixes] == [("FRM004",)]


def test_of_two_ways_the_one_with_more_steps_is_kept():
    """The same commands: what is said beside them is not lost."""
    bare = installing("a==1")
    told = replace(bare, steps=(Ask(text="Close every program."), *bare.steps))
    for first, second in ((bare, told), (told, bare)):
        (one,) = merged(finding("A", first), finding("B", second)).fixes
        assert one.fix.steps == told.steps
        assert one.cures == ("A", "B")


def test_words_that_differ_are_two_fixes():
    one, other = (Fix(title=text, safety="manual", steps=(Ask(text=text),)) for text in ("Do this.", "Do that."))
    assert [mending.cures for mending in merged(finding("A", one), finding("B", other)).fixes] == [("A",), ("B",)]
    assert [mending.cures for mending in merged(finding("A", one), finding("B", one)).fixes] == [("A", "B")]


def test_a_bare_restart_comes_after_the_rest_of_the_system():
    restart = Fix(title="r", safety="review", steps=(Run(argv=("reboot",)),), needs_root=True, needs_reboot=True)
    plan = merged(finding("A", installing("a==1")), finding("B", restart), finding("C", driver(">=570")))
    assert [one.cures for one in plan.fixes] == [("C",), ("B",), ("A",)]


def test_an_older_floor_does_not_lower_a_driver_update():
    commands = (Run(argv=("apt", "install", "nvidia-driver-580")),)
    (one,) = merged(finding("A", driver(">=580", *commands)), finding("B", driver(">=570"))).fixes
    assert (one.fix.driver, one.fix.steps) == (">=580", commands)
    (same,) = merged(finding("A", driver(">=570", *commands)), finding("B", driver(">=570"))).fixes
    assert same.fix.steps == commands
    (two,) = merged(finding("A", driver(">=570")), finding("B", driver(">=580", *commands))).fixes
    assert two.fix.steps == commands


def test_only_what_makes_an_environment_gets_a_folder_of_its_own():
    def made(what, folder="gpu-env"):
        steps = (
            Run(argv=("python3", "-m", "venv", folder)),
            Run(argv=(f"{folder}\\Scripts\\python.exe", "-m", "pip", "install", what, "gpu-environment")),
        )
        return Fix(title=what, safety="safe", steps=(*steps, Ask(text="Then use gpu-env.")))

    plan = merged(
        finding("A", installing("x==1")),
        finding("B", made("a==1")),
        finding("C", made("b==1")),
        finding("D", made("d==1")),
    )
    folders = [step.argv[-1] for one in plan.fixes for step in one.fix.steps if "venv" in getattr(step, "argv", ())]
    assert folders == ["gpu-env", "gpu-env-2", "gpu-env-3"]
    assert plan.fixes[0].fix == installing("x==1")
    last = plan.fixes[3].fix.steps
    assert last[1].argv == ("gpu-env-3\\Scripts\\python.exe", "-m", "pip", "install", "d==1", "gpu-environment")
    assert last[2] == Ask(text="Then use gpu-env.")
