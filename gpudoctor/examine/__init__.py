"""From a machine or a ticket to a report: look, run the frameworks, read what was sent, judge."""
