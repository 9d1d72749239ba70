"""What follows from facts, live and stated alike."""
