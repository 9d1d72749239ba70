"""Running `gpudoctor node` on many machines, by what launches their jobs already."""
