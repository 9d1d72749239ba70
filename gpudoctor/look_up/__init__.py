"""What experts look up: a wheel's name, a symbol, who ships a library, faults of single releases, recipes. Pure."""
