"""Fix recipes and the question which builds fit a machine. Data only; nothing here runs anything."""
