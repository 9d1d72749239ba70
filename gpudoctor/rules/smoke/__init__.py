"""Rules on what was run: device lists, trainings, and messages that were pasted."""
