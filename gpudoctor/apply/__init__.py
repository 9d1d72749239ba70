"""The only writer: carries plans out, dry by default, and keeps the way back."""
