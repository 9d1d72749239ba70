"""The compatibility matrix: `compat/*.json` as typed rows, and the questions asked of it."""
