"""What the user's package index offers. The only part of gpudoctor that opens network connections; `check` has none."""
