"""Whether a job needs a GPU, which, and what can be done without: estimates from tables and measurements. No I/O."""
