"""FRM009: a compiled extension was built for a different version of torch or TensorFlow."""

from gpudoctor.facts.versions import CudaVersion
from gpudoctor.knowledge.frameworks import companions
from gpudoctor.plan.places import install, safety, uninstall
from gpudoctor.rules._linked_to_torch import LINKED
from gpudoctor.rules._tensorflow_lines import OF_TENSORFLOW, of_another_tensorflow
from gpudoctor.rules.builds import release_numbers
from gpudoctor.rules.sections import Framework, Frameworks, Gap, Matrix, Packages, Scene
from gpudoctor.rules.terms import Ask, Fix, Iterator, Problem, by_hand, problem, rule, seen
from gpudoctor.sources.build_tags import parse_wheel_tag

#: They have rules of their own.
COMPANIONS = ("torch", *companions())
#: They name the one torch they are compiled for in their metadata.
PINNED = ("vllm", "xformers", "torch-tensorrt")
_PACKAGES = "|".join((*LINKED, *PINNED, *OF_TENSORFLOW))


@rule(
    "FRM009",
    name="ext-abi-mismatch",
    severity="error",
    when="frameworks.torch.version or frameworks.tensorflow,"
    f" known frameworks.found.cxx11_abi or frameworks.found.built_for_torch or frameworks.found.name={'|'.join(LINKED)}"
    f" or packages.installed.name={_PACKAGES}",
)
def ext_abi_mismatch(frameworks: Frameworks, scene: Scene, matrix: Matrix) -> Iterator[Problem]:
    """A compiled extension was built for a different version of torch or TensorFlow.

    What it means:
    A package such as flash-attn, xformers or vllm carries machine code that was linked against one build of torch,
    tensorflow-text, tensorflow-io or tensorflow-addons against one line of TensorFlow. The installed one is another:
    another release, another CUDA major version or another C++ ABI.

    Why it breaks:
    The extension looks for functions under names that this torch does not have. Its import ends with
    "undefined symbol" or "cannot open shared object file".

    How to fix it:
    Take the wheel of the extension whose name states your torch release, your CUDA and your C++ ABI, or build it anew
    against the installed torch (`--no-build-isolation`). Or install the torch that the extension was built for.

    When to ignore it:
    If you do not use the extension; uninstalling it is cleaner.

    Sources:
    https://github.com/Dao-AILab/flash-attention/releases
    https://docs.pytorch.org/tutorials/advanced/cpp_extension.html
    https://github.com/tensorflow/text#a-note-about-different-operating-system-packages
    https://github.com/tensorflow/io#tensorflow-version-compatibility
    https://github.com/tensorflow/addons#python-op-compatibility-matrix
    https://github.com/vllm-project/vllm/issues/3528
    """
    yield from of_another_tensorflow(frameworks.get("tensorflow"), scene, matrix)
    torch = frameworks.get("torch")
    if torch is None or torch.version is None:
        return
    for extension in (*frameworks.found, *_pinned(frameworks, scene.packages), *_tagged(frameworks, scene.packages)):
        differences = _differences(torch, extension)
        if extension.name in COMPANIONS or not differences:
            continue
        yield problem(
            f"{extension.label} was built for a different torch: {'; '.join(differences)}.",
            seen("torch", torch.version, torch.source),
            seen(f"{extension.label} was built for", _made_for(extension), extension.source),
            subject=extension.label,
            fix=_fix(torch, extension, scene, matrix),
        )


def _fix(torch: Framework, extension: Framework, scene: Scene, matrix: Matrix) -> Fix:
    # Imported here: most machines have no such extension.
    from gpudoctor.plan.extension_for import beside_torch, extension_for

    name = extension.dist or extension.name
    if scene.find(name) is None and extension.dist is None:
        # Only a message tells of it: pip would bring another torch with it.
        from gpudoctor.plan.extension_beside import extension_beside

        beside = extension_beside(name, torch, scene, matrix)
        if beside is not None and beside.safety != "manual":
            return beside
    made = extension_for(name, beside_torch(torch, scene, matrix), matrix)
    if made is not None and (made.wheel or (made.row.torch and not made.is_compiled)):
        title = f"Install the {name} {made.version} that is made for torch {torch.version}"
        options = ("--force-reinstall", "--no-deps") if made.wheel else ()
        return Fix(title, safety(scene), install(scene, made.requirement, options=options))
    release = ".".join(str(number) for number in (release_numbers(torch.version) or ())[:2])
    if extension.name in PINNED and extension.built_for_torch and extension.built_for_torch.count(".") > 1:
        text = f"Install torch=={extension.built_for_torch} from where torch {torch.version} came from, or a newer "
        text += f"{extension.name}, with the torch that it brings along, in an environment of its own."
        return by_hand(f"Give {extension.name} its torch", text)
    text = f"Install the {extension.name} wheel whose name states torch {release}, your CUDA, ABI and Python; or build "
    text += "it against the installed torch (pip install --no-build-isolation)."
    return Fix(
        f"Install a {extension.name} made for torch {torch.version}",
        "review",
        (*uninstall(scene, extension.dist or extension.name), Ask(text=text)),
    )


def _pinned(frameworks: Frameworks, packages: Packages | Gap | None) -> Iterator[Framework]:
    """Extensions that name one torch in their metadata; those whose files say more are among the frameworks."""
    for one in packages.unmet if isinstance(packages, Packages) else ():
        known = next((found for found in frameworks.found if one.package in (found.name, found.dist)), None)
        package = packages.find(one.package) if isinstance(packages, Packages) else None
        is_pin = one.requirement == "torch" and one.wanted.startswith("==") and one.package in PINNED
        if is_pin and package is not None and (known is None or known.built_for_torch is None):
            wanted = one.wanted.removeprefix("==")
            yield Framework(name=one.package, dist=one.package, version=package.version, built_for_torch=wanted)


def _tagged(frameworks: Frameworks, packages: Packages | Gap | None) -> Iterator[Framework]:
    """Extensions of which only the packages tell: the tag of their version, or of the file they came from."""
    if not isinstance(packages, Packages):
        return
    for name in LINKED:
        package, known = packages.find(name), frameworks.get(name)
        if package is None or (known is not None and known.built_for_torch):
            continue
        tag = parse_wheel_tag(package.version, package.direct_url, package.build)
        if known is not None and known.cuda and tag.torch is None:
            continue
        yield Framework(
            name=name,
            dist=name,
            version=package.version,
            built_for_torch=tag.torch,
            cuda=tag.cuda,
            cxx11_abi=tag.cxx11_abi,
        )


def _differences(torch: Framework, extension: Framework) -> tuple[str, ...]:
    """What is known to differ, in words."""
    found = []
    built, have = release_numbers(extension.built_for_torch), release_numbers(torch.version)
    if built and have and have[: min(2, len(built))] != built[:2]:
        found.append(f"built for torch {extension.built_for_torch}, installed is {torch.version}")
    is_linked = extension.built_for_torch is not None or extension.name in LINKED
    if is_linked and extension.cuda and torch.cuda and _differ(extension.cuda, torch.cuda):
        found.append(f"built for CUDA {extension.cuda}, torch has CUDA {torch.cuda}")
    abis = (extension.cxx11_abi, torch.cxx11_abi)
    if None not in abis and abis[0] != abis[1]:
        found.append(f"built for the C++11 ABI {_on(abis[0])}, torch has it {_on(abis[1])}")
    return tuple(found)


def _differ(one: CudaVersion, other: CudaVersion) -> bool:
    """The libraries of one major have the same names; before CUDA 11 the minor is in them, too (libcudart.so.10.1)."""
    if one.major != other.major:
        return True
    return one.major < 11 and "." in str(one) and "." in str(other) and one.minor != other.minor


def _made_for(extension: Framework) -> str:
    torch = f"torch {extension.built_for_torch}" if extension.built_for_torch else None
    cuda = f"CUDA {extension.cuda}" if extension.cuda else None
    return ", ".join(one for one in (torch, cuda) if one) or "another ABI"


def _on(flag: bool | None) -> str:
    return "on" if flag else "off"
