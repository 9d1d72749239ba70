"""Imports Keras with the backend that the environment sets or the request forces."""

import importlib
import os

import tensorflow_session

BACKENDS = ("tensorflow", "torch", "jax")


class Started:
    """Keras; the name of its backend; and the backend's own module, None where it could not be imported."""

    def __init__(self, keras, backend, engine):
        self.keras, self.backend, self.engine = keras, backend, engine
        self.version = str(keras.__version__)
        self.major = int(self.version.partition(".")[0])


def start(channel):
    """Import Keras, or the one inside TensorFlow where there is none beside it (before TensorFlow 2.6)."""
    forced = channel.request.get("backend")
    if forced:
        os.environ["KERAS_BACKEND"] = forced
    with channel.stage("import keras"):
        try:
            import keras
        except ImportError as error:
            if getattr(error, "name", None) != "keras":
                raise
            from tensorflow import keras
        backend = keras.backend.backend()
        keras.__version__  # noqa: B018 - a folder without __init__.py imports, and has none
    with channel.stage("import " + backend):
        engine = engine_of(backend)
    threads = channel.request.get("threads")
    if threads:
        channel.ask("set threads", lambda: set_threads(backend, engine, threads))
    return Started(keras, backend, engine)


def engine_of(backend):
    """The module of that backend; None for one that we do not know."""
    return importlib.import_module(backend) if backend in BACKENDS else None


def set_threads(backend, engine, threads):
    """As many threads as asked for; JAX reads its number from the environment when it starts."""
    if backend == "tensorflow" and tensorflow_session.eager(engine):
        tensorflow_session.set_threads(engine, threads)
    elif backend == "torch":
        engine.set_num_threads(threads)


def modest(started):
    """Let TensorFlow take memory of a GPU as it needs it, and put what a GPU cannot do on the CPU, as Keras expects."""
    if started.backend == "tensorflow" and tensorflow_session.eager(started.engine):
        tensorflow_session.set_memory_growth(started.engine)
        started.engine.config.set_soft_device_placement(True)
