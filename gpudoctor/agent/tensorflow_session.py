"""Imports TensorFlow for the agent scripts: threads as requested, GPU memory taken only as needed."""

import os

#: Why TensorFlow is not to be used any more in this process.
_refusals = []


def start(channel):
    """TensorFlow, imported, with as many threads as the request says."""
    threads = channel.request.get("threads")
    if threads:
        # For OpenMP and the BLAS of NumPy, which read them when they are loaded.
        for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
            os.environ.setdefault(name, str(threads))
    with channel.stage("import"):
        import tensorflow as tf

        tf.__version__  # noqa: B018 - a folder without __init__.py imports, and has none
    if eager(tf) and threads:
        channel.ask("set threads", lambda: set_threads(tf, threads))
    return tf


def refuse(reason):
    """Have every later use in this process fail: an error while TensorFlow starts its devices leaves a lock held.

    Seen of 2.20: with a driver that makes no context, the next call to use a device waits for ever.
    """
    _refusals.append(reason)


def refused():
    """Whether TensorFlow is not to be used any more."""
    return bool(_refusals)


def require():
    """Raise where TensorFlow is not to be used any more."""
    if _refusals:
        raise RuntimeError(_refusals[0])


def eager(tf):
    """Whether this is TensorFlow 2, which runs each operation at once; TensorFlow 1 runs graphs in sessions."""
    return int(tf.__version__.partition(".")[0]) >= 2


def set_threads(tf, threads):
    """As many threads for an operation, and for operations side by side; to be said before anything is run."""
    if tf.config.threading.get_intra_op_parallelism_threads() == threads:
        return
    tf.config.threading.set_intra_op_parallelism_threads(threads)
    tf.config.threading.set_inter_op_parallelism_threads(threads)


def set_memory_growth(tf):
    """Without it TensorFlow takes nearly all memory of every GPU it sees, at the first use of one."""
    for device in tf.config.list_physical_devices("GPU"):
        tf.config.experimental.set_memory_growth(device, True)


def configuration(tf, threads=None, **more):
    """The configuration of a session."""
    config = tf.compat.v1.ConfigProto(allow_soft_placement=False, **more)
    config.gpu_options.allow_growth = True
    if threads:
        config.intra_op_parallelism_threads = threads
        config.inter_op_parallelism_threads = threads
    return config
