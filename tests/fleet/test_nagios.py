"""The example for Nagios, run by its own daemon."""

import getpass
import re
import shutil
import subprocess
import sys
import time

import pytest

from tests.fleet.test_examples import printed

pytestmark = [pytest.mark.full, pytest.mark.skipif(not shutil.which("nagios4"), reason="Nagios is not installed")]

MAIN = """\
cfg_file={folder}/objects.cfg
log_file={folder}/log
object_cache_file={folder}/objects.cache
status_file={folder}/status
status_update_interval=1
lock_file={folder}/lock
temp_file={folder}/temporary
temp_path={folder}
check_result_path={folder}
query_socket={folder}/query
nagios_user={user}
nagios_group={user}
check_external_commands=0
execute_host_checks=0
enable_notifications=0
interval_length=1
"""
OBJECTS = """
define timeperiod {
  timeperiod_name always
  alias always
}
define contact {
  contact_name nobody
  host_notification_period always
  service_notification_period always
  host_notification_commands check_gpu
  service_notification_commands check_gpu
  host_notification_options n
  service_notification_options n
}
define host {
  host_name gpu7
  address 127.0.0.1
  max_check_attempts 1
  check_period always
  notification_period always
}
define service {
  host_name gpu7
  service_description gpu
  check_command check_gpu
  max_check_attempts 1
  check_interval 5
  retry_interval 5
  check_period always
  notification_period always
}
"""
DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
ALWAYS = "".join(f"  {day} 00:00-24:00\n" for day in DAYS)


def test_the_daemon_reads_the_line_and_its_figures(tmp_path) -> None:
    command = printed("nagios").replace("/usr/local/bin/gpudoctor", f"{sys.executable} -m gpudoctor")
    (tmp_path / "objects.cfg").write_text(command + OBJECTS.replace("  alias always\n", "  alias always\n" + ALWAYS))
    (tmp_path / "main.cfg").write_text(MAIN.format(folder=tmp_path, user=getpass.getuser()))
    daemon = subprocess.Popen(["nagios4", str(tmp_path / "main.cfg")], stdout=subprocess.DEVNULL)
    try:
        status, until = "", time.monotonic() + 60
        while "plugin_output=GPU" not in status and time.monotonic() < until:
            time.sleep(0.5)
            status = (tmp_path / "status").read_text() if (tmp_path / "status").exists() else ""
    finally:
        daemon.terminate()
        daemon.wait(10)
    said = re.search(r"plugin_output=GPU (OK|WARNING|CRITICAL|UNKNOWN)", status)
    assert said is not None, (tmp_path / "log").read_text()
    state = ("OK", "WARNING", "CRITICAL", "UNKNOWN").index(said[1])
    assert f"current_state={state}\n" in status.partition("servicestatus")[2]
    assert re.search(r"performance_data=gpus=\d+ errors=\d+ warnings=\d+ time=", status)
