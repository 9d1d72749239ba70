"""What is known of messages and causes, as data: what a message means, what causes it, the question that decides.

People edit messages/*.toml, fragments.toml, causes.toml, programs.toml and threads.tsv; scripts/compile_knowledge makes
of them the JSON that is loaded. `recognise(text)` finds the messages of a log or a pasted text, `causes_of(symptoms)`
ranks what they point to, `program_of(lines, number)` tells who printed a line, `similar_threads()` finds others.
"""
