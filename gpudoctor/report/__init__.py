"""A Report to text. Every renderer words the same verdict from the same view; see `gpudoctor.report.view`."""
