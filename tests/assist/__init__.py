"""The instruments for assistants."""
