"""One file, one rule, found by walking the package; see `gpudoctor.rules.declare`."""
