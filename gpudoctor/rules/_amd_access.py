"""Fixes that give a user or a container access to an AMD GPU (/dev/kfd, groups)."""

from gpudoctor.rules.terms import by_hand

#: The group of /dev/kfd (systemd's rules for devices); video has been enough on older systems only.
RENDER = "render"
JOIN = by_hand(
    "Let your user open the GPU's device files",
    "Ask an administrator to run: usermod -aG render,video YOUR_USER_NAME",
    "Log out, and log in again.",
    needs_root=True,
    needs_login=True,
)
GIVEN = by_hand(
    "Give the container the GPU's device files",
    "Start the container again with: docker run --device /dev/kfd --device /dev/dri --group-add video IMAGE",
    needs_container=True,
)
