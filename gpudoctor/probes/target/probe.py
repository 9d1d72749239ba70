"""The target interpreter: chosen, asked who it is, and its environment worked out from outside."""

from gpudoctor.facts.base import Gap
from gpudoctor.facts.codec import presentable
from gpudoctor.facts.python import Interpreter
from gpudoctor.host.port import Host
from gpudoctor.probes.kernelspecs import read_kernelspecs
from gpudoctor.probes.target.choice import Choice, Fault, choose
from gpudoctor.probes.target.environment import read_environment
from gpudoctor.probes.target.identity import Identity, identify
from gpudoctor.probes.target.pins import read_pins
from gpudoctor.probes.target.pip import find_managers, find_project_files, read_pip
from gpudoctor.probes.target.shadow import find_shadows
from gpudoctor.probes.target.site import read_sites

__all__ = ["Choice", "Fault", "choose", "identify", "probe"]


def probe(host: Host, choice: Choice, identity: Identity | Fault | None = None) -> Interpreter | Gap:
    """The chosen interpreter, or why it could not be examined; `identity` is what it said where it was asked before."""
    identity = identity or identify(host, choice)
    if isinstance(identity, Fault):
        return identity.gap
    return presentable(_describe(host, choice, identity))


def _describe(host: Host, choice: Choice, identity: Identity) -> Interpreter:
    environment = read_environment(host, identity)
    sites = read_sites(host, identity, environment)
    pip = read_pip(host, sites.folders)
    executable = identity.executable or choice.executable
    return Interpreter(
        executable=executable,
        chosen_by=choice.chosen_by,
        started_as=choice.executable if choice.executable != executable else None,
        passed_over=choice.passed_over,
        version=identity.version,
        implementation=identity.implementation,
        bits=64 if identity.bits == 64 else 32,
        abi=identity.abi,
        platform=identity.platform,
        free_threaded=identity.free_threaded,
        prefix=environment.prefix,
        base_prefix=identity.base_prefix,
        environment=environment.kind,
        made_by=environment.made_by,
        externally_managed=environment.externally_managed,
        include_system_site=environment.include_system_site,
        site_dirs=sites.folders,
        python_path=sites.python_path,
        user_site=sites.user_site,
        user_site_enabled=sites.user_site_enabled,
        executable_pth=sites.executable_pth,
        editables=sites.editables,
        shadows=find_shadows(host, identity, sites),
        has_ssl=identity.has_ssl,
        has_python_h=identity.python_h,
        pip_version=pip.version,
        pip_on_path=pip.on_path,
        pip_on_path_interpreter=pip.on_path_interpreter,
        managers=find_managers(host),
        project_files=find_project_files(host),
        pins=read_pins(host),
        kernelspecs=read_kernelspecs(host, executable, environment.prefix, identity.home),
    )
