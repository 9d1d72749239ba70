"""One module a tool, or a few that belong together: what it takes, what it gives, and the function between the two."""
