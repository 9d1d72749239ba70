"""The instruments for assistants: the brief, and the server of the Model Context Protocol."""
