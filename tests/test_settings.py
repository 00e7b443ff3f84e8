from pathlib import Path

import pytest

from sophia.core.refusals import BindNotLoopback
from sophia.search.provider import PROVIDERS
from sophia.settings import EMBEDDINGS, BadSetting, Settings, bind_address, data_directory


def made(environ: dict[str, str] | None = None, config_text: str | None = None) -> Settings:
    return Settings.from_environ(environ or {}, config_text)


def test_what_nobody_set_is_as_the_contract_says():
    settings = made()
    assert (settings.host, settings.port, settings.presence) == ("127.0.0.1", 7342, None)
    assert (settings.approval_wait_s, settings.approval_ttl_minutes) == (20.0, 10)
    assert (settings.keyring, settings.log_level, settings.embeddings) == (True, "info", "packaged")
    assert settings.failpoint is None
    assert settings.data_dir.name == "sophia"
    assert settings.key_dir.name == "keys"
    assert settings.data_dir not in settings.key_dir.parents
    assert set(settings.origins.values()) == {"default"}


def test_the_environment_wins_over_the_file_and_the_command_line_over_both():
    settings = made({"SOPHIA_PORT": "8000", "SOPHIA_DATA_DIR": "/data"}, 'port = 9000\nlog_level = "debug"\n')
    assert (settings.port, settings.log_level, settings.data_dir) == (8000, "debug", Path("/data"))
    assert settings.origins["port"] == "environment (SOPHIA_PORT)"
    assert settings.origins["log_level"] == "config.toml"
    assert settings.origins["host"] == "default"
    told = settings.overridden(port=0)
    assert (told.port, told.log_level, told.origins["port"]) == (0, "debug", "command line")
    assert settings.port == 8000
    with pytest.raises(BadSetting):
        settings.overridden(port=70000)


def test_every_setting_has_an_origin():
    settings = made({"SOPHIA_KEY_DIR": "/keys"})
    fields = set(settings.__dataclass_fields__) - {"origins"}
    assert set(settings.origins) == fields


@pytest.mark.parametrize(
    ("variable", "value", "expected"),
    [
        ("APPROVAL_WAIT_S", "0.25", 0.25),
        ("APPROVAL_TTL_MINUTES", "1", 1),
        ("PRESENCE", "unattended", "unattended"),
        ("PRESENCE", "terminal", "terminal"),
        ("PRESENCE", "passphrase", "passphrase"),
        ("KEYRING", "off", False),
        ("KEYRING", "on", True),
        ("LOG_LEVEL", "error", "error"),
        ("FAILPOINT", "commit:kill", "commit:kill"),
        ("HOST", "::1", "::1"),
        ("HOST", "localhost", "127.0.0.1"),
    ],
)
def test_a_variable_is_read(variable: str, value: str, expected: object):
    assert getattr(made({f"SOPHIA_{variable}": value}), variable.lower()) == expected


def test_the_file_speaks_its_own_types():
    settings = made(
        None, 'approval_wait_s = 1\nkeyring = false\npresence = "unattended"\nkey_dir = "/keys"\nport = 0\n'
    )
    assert (settings.approval_wait_s, settings.keyring, settings.presence) == (1.0, False, "unattended")
    assert (settings.key_dir, settings.port) == (Path("/keys"), 0)
    assert made(None, 'keyring = "off"\nembeddings = "none"').keyring is False


def test_paths_are_made_absolute(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", "/somewhere")
    settings = made({"SOPHIA_DATA_DIR": "data", "SOPHIA_KEY_DIR": "~/keys"})
    assert (settings.data_dir, settings.key_dir) == (tmp_path / "data", Path("/somewhere/keys"))
    assert data_directory({"SOPHIA_DATA_DIR": "data", "SOPHIA_PORT": "nonsense"}) == tmp_path / "data"
    assert data_directory({}) == made().data_dir


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("DATA_DIR", ""),
        ("DATA_DIR", "  "),
        ("DATA_DIR", "a\0b"),
        ("KEY_DIR", ""),
        ("PORT", "many"),
        ("PORT", "-1"),
        ("PORT", "65536"),
        ("PORT", "1.5"),
        ("PORT", ""),
        ("APPROVAL_WAIT_S", "nan"),
        ("APPROVAL_WAIT_S", "601"),
        ("APPROVAL_TTL_MINUTES", "0"),
        ("PRESENCE", "always"),
        ("PRESENCE", ""),
        ("KEYRING", "yes"),
        ("LOG_LEVEL", "INFO"),
        ("FAILPOINT", ""),
    ],
)
def test_a_value_that_means_nothing_is_refused_by_its_name(variable: str, value: str):
    with pytest.raises(BadSetting, match=f"SOPHIA_{variable}") as refused:
        made({f"SOPHIA_{variable}": value})
    assert refused.value.argument == f"SOPHIA_{variable}"


@pytest.mark.parametrize(
    "text", ["port = true", "port = [1]", "port = 1.5", "log_level = 1", "keyring = 1", "key_dir = 1"]
)
def test_a_value_of_the_wrong_type_in_the_file_is_refused_by_its_name(text: str):
    with pytest.raises(BadSetting, match=text.split(maxsplit=1)[0]):
        made(None, text)


def test_an_unknown_name_in_the_file_is_refused_with_those_there_are():
    with pytest.raises(BadSetting, match=r"has no setting prot; there are: .*log_level.* port") as refused:
        made(None, "prot = 1")
    assert "port" in (refused.value.valid or [])
    assert "data_dir" not in (refused.value.valid or [])
    for text in ('data_dir = "/elsewhere"', 'failpoint = "x"', "[section]\n"):
        with pytest.raises(BadSetting, match="has no setting"):
            made(None, text)


def test_a_file_that_is_no_toml_is_refused():
    with pytest.raises(BadSetting, match="is not TOML"):
        made(None, "port =")


@pytest.mark.guarantee("T27")
@pytest.mark.parametrize("name", ["openai", "pakcaged", "openai-compatible", "None", "", "nnoe"])
def test_an_embedding_provider_that_is_not_registered_is_refused_by_its_name(name: str):
    with pytest.raises(BadSetting, match=f"SOPHIA_EMBEDDINGS .*{name!r}.* not registered") as refused:
        made({"SOPHIA_EMBEDDINGS": name})
    assert refused.value.valid == ["packaged", "openai_compatible", "none"]
    assert [*PROVIDERS, "none"] == [*EMBEDDINGS]
    with pytest.raises(BadSetting, match="not registered"):
        made(None, f'embeddings = "{name}"')


@pytest.mark.parametrize(
    ("host", "bound"),
    [("127.0.0.1", "127.0.0.1"), ("127.8.9.1", "127.8.9.1"), ("::1", "::1"), ("0:0:0:0:0:0:0:1", "::1")],
)
def test_a_loopback_address_is_bound_as_it_is(host: str, bound: str):
    assert bind_address(host) == bound


def test_localhost_is_never_looked_up(monkeypatch: pytest.MonkeyPatch):
    import socket

    def elsewhere(*arguments: object, **options: object) -> None:
        raise AssertionError("a name was looked up")

    for name in ("getaddrinfo", "gethostbyname", "gethostbyname_ex"):
        monkeypatch.setattr(socket, name, elsewhere)
    assert bind_address("localhost") == "127.0.0.1"
    with pytest.raises(BindNotLoopback):
        bind_address("example.com")


@pytest.mark.guarantee("T11")
@pytest.mark.parametrize(
    "host",
    [
        "0.0.0.0",
        "::",
        "192.168.1.5",
        "10.0.0.1",
        "126.255.255.255",
        "128.0.0.1",
        "::ffff:127.0.0.1",
        "::ffff:0.0.0.0",
        "fe80::1",
        "::1%eth0",
        "[::1]",
        "127.1",
        "0x7f.0.0.1",
        "2130706433",
        "127.0.0.01",
        "127.0.0.1:80",
        "localhost.",
        "localhost.example.com",
        "my-machine",
        "unix:/tmp/socket",
        "unix:@abstract",
        " 127.0.0.1",
        "*",
    ],
)
def test_any_other_address_is_refused_with_85(host: str):
    with pytest.raises(BindNotLoopback) as refused:
        made({"SOPHIA_HOST": host})
    assert refused.value.exit_code == 85
    assert refused.value.details == {"host": host}
    assert repr(host) in refused.value.message
    with pytest.raises(BindNotLoopback):
        made(None, f"host = '{host}'")
