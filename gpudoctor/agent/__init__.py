"""Scripts run by an interpreter in a child process; the package never imports them."""
