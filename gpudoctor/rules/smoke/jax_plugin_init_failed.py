"""SMK024: JAX's CUDA plugin cannot be initialised."""

from gpudoctor.plan.recipes import jax_for_gpus
from gpudoctor.rules.live_problem import Failed, Said, failure_rule
from gpudoctor.rules.sections import Matrix, Scene


@failure_rule("SMK024", name="jax-plugin-init-failed", severity="error")
def jax_plugin_init_failed(failed: Failed, scene: Scene, matrix: Matrix) -> Said:
    """JAX's CUDA plugin cannot be initialised."""
    return (
        f"JAX cannot initialise its CUDA plugin: {failed.meaning or failed.first.text}",
        (jax_for_gpus(scene, matrix, failed.version if failed.name == "jax" else None),),
    )
