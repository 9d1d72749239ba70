"""Tests of gpudoctor.sources."""
