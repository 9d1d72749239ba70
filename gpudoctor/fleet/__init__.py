"""Many machines: what is recorded of each, how they are asked, and one report of them all."""
