"""From what is asked for to an environment that works: target, plan, preview, carrying out, proof, outcome."""
