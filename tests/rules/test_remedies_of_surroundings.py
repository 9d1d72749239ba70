"""What to do depends on what is around: the distribution, the kind of container, the package that was compiled."""

from typing import Any

import pytest

from gpudoctor.facts.libraries import Libraries, LibraryCopy, LinkedExtension, SymbolNeed
from gpudoctor.facts.system import Container, System
from gpudoctor.facts.versions import LibraryVersion
from tests.rules.situations import BARE, UBUNTU, driver, gpu, gpus, libraries, unlisted
from tests.rules.stacks import SITE, frameworks
from tests.rules.table import fires, texts_of

PASCAL = gpus(unlisted(pci_id="10de:1b06", bound_driver="none"))
LXC, DOCKER, POD = (Container(kind=kind) for kind in ("lxc", "docker", "kubernetes"))


def said(name: str, **sections: Any) -> str:
    return " | ".join(texts_of(fires(name, **sections)))


def machine(distribution: str, *like: str) -> System:
    return System(os="linux", distribution=distribution, distribution_like=like, kernel=UBUNTU.kernel, arch="x86_64")


@pytest.mark.parametrize(
    ("host", "words"),
    [
        (machine("fedora"), ("akmod-nvidia-580xx", "xorg-x11-drv-nvidia-580xx-cuda")),
        (machine("ubuntu", "debian"), ("nvidia-driver-580", "hold")),
        (machine("arch"), ("nvidia-580xx-dkms", "AUR")),
        (machine("cachyos", "arch"), ("nvidia-580xx-dkms", "AUR")),
        (machine("nixos"), ("nvidiaPackages.legacy_580",)),
        (machine("solus"), ("legacy packages",)),
    ],
)
def test_the_last_branch_for_an_old_gpu_as_the_distribution_calls_it(host: System, words: tuple[str, ...]) -> None:
    text = said("driver-dropped-gpu", gpus=PASCAL, driver=driver("595.58.03"), host=host, container=BARE)
    assert all(word in text for word in words)


def test_a_container_is_no_place_for_the_hosts_packages() -> None:
    text = said("driver-dropped-gpu", gpus=PASCAL, driver=driver("595.58.03"), host=machine("fedora"), container=DOCKER)
    assert "akmod" not in text


@pytest.mark.parametrize(("around", "own"), [(LXC, True), (DOCKER, False), (BARE, False)])
def test_a_system_container_has_libraries_of_its_own(around: Container, own: bool) -> None:
    other = driver("570.148.06", libraries=libraries("570.148.08"), nvml=None, cuda_init=None)
    found = fires("drv-lib-mismatch", gpus=gpus(unlisted()), driver=other, host=UBUNTU, container=around)
    text = " | ".join(texts_of(found))
    assert ("570.148.06 in the container" in text and "--no-kernel-module" in text) is own
    assert any(fix.needs_reboot for fix in found.fixes) is not own


@pytest.mark.parametrize(("around", "elsewhere"), [(POD, True), (DOCKER, True), (BARE, False)])
def test_the_licence_of_a_vgpu_is_the_nodes(around: Container, elsewhere: bool) -> None:
    unlicensed = gpus(gpu(virtualization="vgpu", vgpu_licensed=False))
    assert ("not in this container" in said("vgpu-unlicensed", gpus=unlicensed, container=around)) is elsewhere


@pytest.mark.parametrize(
    ("package", "variable"), [("flash-attn", "FLASH_ATTENTION_FORCE_BUILD=TRUE"), ("torch-scatter", None)]
)
def test_what_was_compiled_elsewhere_can_be_compiled_here(package: str, variable: str | None) -> None:
    file = f"{SITE}/{package.replace('-', '_')}_cuda.so"
    needs = (SymbolNeed(file=file, library="libc.so.6", version=LibraryVersion("2.32")),)
    linked = (LinkedExtension(package=package, version="2.8.0", file=file),)
    focal = System(os="linux", arch="x86_64", libc="glibc", libc_version="2.31", pretty_name="Ubuntu 20.04.6 LTS")
    build = frameworks(("torch", "2.6.0+cu124"))
    text = said("glibc-too-old", host=focal, frameworks=build, libraries=Libraries(needs=needs, extensions=linked))
    assert f"--no-binary {package} {package}" in text
    assert ("FORCE_BUILD" in text) is (variable is not None)
    assert variable is None or variable in text
    # NVIDIA's own libraries are not compiled.
    own = LibraryCopy(family="cudnn", soname="libcudnn.so.9", path=file, origin="conda")
    plain = said("glibc-too-old", host=focal, frameworks=build, libraries=Libraries(needs=needs, copies=(own,)))
    assert "--no-binary" not in plain
