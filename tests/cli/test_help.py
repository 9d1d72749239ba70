"""The help of every command: its examples stand in lines of their own, and every option says what it does."""

import click
import pytest

from gpudoctor.cli.main import COMMANDS, cli


def every(command: click.Command, words: tuple[str, ...], ctx: click.Context):
    yield words, command
    if isinstance(command, click.Group):
        for name in command.list_commands(ctx):
            below = command.get_command(ctx, name)
            assert below is not None
            yield from every(below, (*words, name), click.Context(below, parent=ctx, info_name=name))


FOUND = [one for one in every(cli, (), click.Context(cli)) if one[0]]


def test_the_commands_are_all_here():
    assert {words[0] for words, _ in FOUND} == {*COMMANDS}


@pytest.mark.parametrize(("words", "command"), FOUND, ids=[" ".join(words) for words, _ in FOUND])
def test_help(words, command):
    text = command.get_help(click.Context(command, info_name=" ".join(words)))
    assert "\\b" not in text
    assert command.help
    silent = [one.opts for one in command.params if isinstance(one, click.Option) and not one.help and not one.hidden]
    assert not [one for one in silent if one != ["--format"]]
