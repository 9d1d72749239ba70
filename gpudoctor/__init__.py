"""gpudoctor: finds out why a deep-learning framework does not use the GPU, and says what to type."""

__version__ = "0.1.0"
