"""The search of the dynamic loader, played without loading anything."""
