"""SMK024: JAX's CUDA plugin cannot be initialised."""

from gpudoctor.plan.recipes import jax_for_gpus
from gpudoctor.rules.live_problem import Failed, Said, failure_rule
from gpudoctor.rules.sections import Matrix, Scene


@failure_rule("SMK024", name="jax-plugin-init-failed", severity="error")
def jax_plugin_init_failed(failed: Failed, scene: Scene, matrix: Matrix) -> Said:
    """JAX's CUDA plugin cannot be initialised.

    What it means:
    JAX found its CUDA plugin and could not start it, so it goes on with the processor or ends.

    Why it breaks:
    Mostly the plugin loads an older library than it was built with, is of another version than jaxlib, or the
    driver is too old.

    How to fix it:
    Mend what this finding is listed under, where there is one. Else install JAX with its extra again, as below.

    When to ignore it:
    If you do not use JAX on the GPU.

    Sources:
    https://docs.jax.dev/en/latest/installation.html
    """
    return (
        f"JAX cannot initialise its CUDA plugin: {failed.meaning or failed.first.text}",
        (jax_for_gpus(scene, matrix, failed.version if failed.name == "jax" else None),),
    )
