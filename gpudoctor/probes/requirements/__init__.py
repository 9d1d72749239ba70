"""What installed packages require of one another."""
