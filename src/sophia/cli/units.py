"""The files by which a supervisor runs Sophia: it starts again after a crash, and never after a refusal."""

import os
import shlex
import sys
from pathlib import Path
from xml.sax.saxutils import escape

import platformdirs

from sophia.core.refusals import REFUSALS
from sophia.settings import Settings

LABEL = "sophia"
_SYSTEMD = """\
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
            label=LABEL,
            command="".join(f"<string>{escape(word)}</string>" for word in command),
            environment="".join(f"<key>{name}</key><string>{escape(v)}</string>" for name, v in environment.items()),
        )
    return _SYSTEMD.format(
        command=" ".join(_systemd(word) for word in command),
        environment="\n".join(f"Environment={_systemd(f'{name}={value}')}" for name, value in environment.items()),
        refusals=" ".join(str(refusal.exit_code) for refusal in REFUSALS),
    )


def _systemd(word: str) -> str:
    """A word as a unit file quotes it: `%` and `$` mean something to systemd."""
    return shlex.quote(word.replace("%", "%%").replace("$", "$$"))


def install(settings: Settings) -> tuple[Path, str]:
    """Where the file was written, and the command that starts it from there."""
    if kind() == "launchd":
        path = Path.home() / "Library" / "LaunchAgents" / f"{LABEL}.plist"
        then = f"launchctl load -w {shlex.quote(str(path))}"
    else:
        path = platformdirs.user_config_path("systemd", appauthor=False) / "user" / f"{LABEL}.service"
        then = f"systemctl --user daemon-reload && systemctl --user enable --now {LABEL}"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text(kind(), settings), "utf-8")
    path.chmod(0o600)
    return path, then


def program() -> list[str]:
    """How this very installation is started."""
    beside = Path(sys.executable).parent / "sophia"
    if os.access(beside, os.X_OK):
        return [str(beside)]
    return [sys.executable, "-c", "from sophia.cli.main import main; main()"]
