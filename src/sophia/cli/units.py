"""The files by which a supervisor runs Sophia: it starts again after a crash, and never after a refusal."""

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from xml.sax.saxutils import escape

import platformdirs

from sophia.cli.config_file import ConfigFile
from sophia.cli.environment import home
from sophia.core.errors import Conflict
from sophia.core.refusals import REFUSALS
from sophia.settings import Settings

LABEL = "sophia"
MARK = "Written by `sophia service install`"
"""By which a file is known for one of ours: another is never written over, nor taken away."""
_SYSTEMD = """\
# {mark}; `sophia service uninstall` takes it away.
[Unit]
Description=Sophia: what your agents share, on this machine
StartLimitIntervalSec=300
StartLimitBurst=5

[Service]
Type=exec
ExecStart={command}
{environment}
Restart=on-failure
RestartSec=2
# These say that it must not run; to try again would not mend it.
RestartPreventExitStatus={refusals}
TimeoutStopSec=20
UMask=0077
NoNewPrivileges=yes
LockPersonality=yes
RestrictSUIDSGID=yes
LimitCORE=0

[Install]
WantedBy=default.target
"""
_LAUNCHD = """\
<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<!-- {mark}; `sophia service uninstall` takes it away. -->
<plist version="1.0">
<dict>
  <key>Label</key><string>{label}</string>
  <key>ProgramArguments</key><array>{command}</array>
  <key>EnvironmentVariables</key><dict>{environment}</dict>
  <key>RunAtLoad</key><true/>
  <!-- launchd cannot tell exit codes apart: it is not to start it again by itself, except after a crash. -->
  <key>KeepAlive</key><dict><key>Crashed</key><true/></dict>
  <key>ThrottleInterval</key><integer>30</integer>
  <key>Umask</key><integer>63</integer>
</dict>
</plist>
"""


def kind() -> str:
    """The supervisor of this system."""
    return "launchd" if sys.platform == "darwin" else "systemd"


def text(kind: str, settings: Settings) -> str:
    """The file for this kind of supervisor."""
    command = [*program(), "serve", "--port", str(settings.port), "--host", settings.host]
    environment = {"SOPHIA_DATA_DIR": str(settings.data_dir), "SOPHIA_KEY_DIR": str(settings.key_dir)}
    if kind == "launchd":
        return _LAUNCHD.format(
            mark=MARK,
            label=LABEL,
            command="".join(f"<string>{escape(word)}</string>" for word in command),
            environment="".join(f"<key>{name}</key><string>{escape(v)}</string>" for name, v in environment.items()),
        )
    return _SYSTEMD.format(
        mark=MARK,
        command=" ".join(_systemd(word) for word in command),
        environment="\n".join(f"Environment={_systemd(f'{name}={value}')}" for name, value in environment.items()),
        refusals=" ".join(str(refusal.exit_code) for refusal in REFUSALS),
    )


def _systemd(word: str) -> str:
    """A word as a unit file quotes it: `%` and `$` mean something to systemd."""
    return shlex.quote(word.replace("%", "%%").replace("$", "$$"))


def unit() -> ConfigFile:
    """Where this system's supervisor looks for it."""
    if kind() == "launchd":
        return ConfigFile(home(), ("Library", "LaunchAgents", f"{LABEL}.plist"))
    config = platformdirs.user_config_path(appauthor=False)
    config.mkdir(mode=0o700, parents=True, exist_ok=True)
    return ConfigFile(config, ("systemd", "user", f"{LABEL}.service"))


def install(settings: Settings) -> Path:
    """Where the file was written; `Conflict` where one stands there that is not ours."""
    file = unit()
    own(file)
    file.write(text(kind(), settings), private=True)
    return file.path


def uninstall() -> Path | None:
    """Where the file was; `None` where there was none, `Conflict` where it is not ours."""
    file = unit()
    if not own(file):
        return None
    file.path.unlink()
    return file.path


def own(file: ConfigFile) -> bool:
    """Whether the file is there, and ours; `Conflict` where it is there and is not."""
    found = file.text()
    if found and MARK not in found:
        raise Conflict(f"{file.path} was not written by Sophia; it stays as it is.", hint="Move it away first.")
    return bool(found)


def supervised(*acts: Sequence[str]) -> tuple[bool, str]:
    """Whether the supervisor did it all, and what it said. The first act that fails is the last one."""
    said: list[str] = []
    program = shutil.which(acts[0][0])
    if program is None:
        return False, f"There is no {acts[0][0]} here."
    for act in acts:
        done = subprocess.run([program, *act[1:]], capture_output=True, text=True, timeout=60, check=False)
        told = (done.stderr or done.stdout).strip()
        if done.returncode != 0:
            return False, f"{shlex.join(act)}: {told or f'exit code {done.returncode}'}"
        said += [told] if told else []
    return True, "\n".join(said)


def starting(path: Path) -> list[list[str]]:
    """What has the supervisor take the file up and start it."""
    if kind() == "launchd":
        return [["launchctl", "load", "-w", str(path)]]
    return [["systemctl", "--user", "daemon-reload"], ["systemctl", "--user", "enable", "--now", LABEL]]


def ending(path: Path) -> list[list[str]]:
    """What has the supervisor stop it, before the file goes."""
    if kind() == "launchd":
        return [["launchctl", "unload", "-w", str(path)]]
    return [["systemctl", "--user", "disable", "--now", LABEL]]


def program() -> list[str]:
    """How this very installation is started."""
    beside = Path(sys.executable).parent / "sophia"
    if os.access(beside, os.X_OK):
        return [str(beside)]
    return [sys.executable, "-c", "from sophia.cli.main import main; main()"]
