"""Reports in other languages: what was drawn in English is translated where it leaves, by catalogues of templates.

English loads nothing of this. Codes, commands, numbers and what programs print stay as they are.
"""
