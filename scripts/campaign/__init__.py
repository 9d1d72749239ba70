"""One campaign of minutes on a machine with a GPU: looks, breaks things that mend themselves, measures, records."""
