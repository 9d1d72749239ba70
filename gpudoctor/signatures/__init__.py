"""Known error messages: their patterns, what they mean, and which causes they point to. Pure."""
