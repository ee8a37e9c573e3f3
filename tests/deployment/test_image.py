"""The image: what is in it starts, asks for a secret, and holds nothing else."""

from __future__ import annotations

import json
import re
import stat
import subprocess
import sys
import threading
import tomllib
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest
from support import PATIENCE

from tests.browser.running import free_port, wait_for
from tests.deployment.image import ROOT, check, lay_out, lines_of, start
from tests.deployment.loading import entrypoint

ASK = urllib.request.build_opener(urllib.request.ProxyHandler({}))
HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "raw", "version": "0"},
    },
}


@contextmanager
def running(app, service, **environment):
    process = start(app, service, **environment)
    try:
        yield process
    finally:
        process.terminate()
        process.communicate(timeout=PATIENCE)


def greet(port, *, token):
    """Return the status and the text with which the MCP server answers a greeting."""
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}/mcp",
        json.dumps(HELLO).encode(),
        {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "Authorization": f"Bearer {token}",
        },
    )
    try:
        with ASK.open(request, timeout=PATIENCE) as reply:
            return reply.status, reply.read().decode()
    except urllib.error.HTTPError as refusal:
        with refusal:
            return refusal.code, refusal.read().decode()


@pytest.mark.process
def test_server_starts_in_the_image_and_requires_its_generated_token(tmp_path):
    app, volume, port = lay_out(tmp_path / "app"), tmp_path / "volume", free_port()
    volume.mkdir()
    given = {"MEMORY_DATA_DIR": str(volume), "MCP_PORT": str(port), "MCP_TOKEN": ""}
    with running(app, "server", **given) as process:
        wait_for(f"http://127.0.0.1:{port}/health", process)
        kept = volume / "secrets" / "mcp_token"
        token = kept.read_text(encoding="ascii").strip()

        assert 200 == greet(port, token=token)[0]
        assert 401 == greet(port, token="x" * len(token))[0]
        assert 0 == check(app, "server", **given)
        assert 0o600 == stat.S_IMODE(kept.stat().st_mode)
    assert 1 == check(app, "server", **given)
    assert (volume / "memory.db").exists()


@pytest.mark.process
def test_dashboard_starts_in_the_image(tmp_path):
    app, volume, port = lay_out(tmp_path / "app"), tmp_path / "volume", free_port()
    volume.mkdir()
    given = {
        "MEMORY_DATA_DIR": str(volume),
        "DASHBOARD_PORT": str(port),
        "DASHBOARD_PASSWORD": "",
        "DASHBOARD_STARTS_SERVER": "false",
    }
    with running(app, "dashboard", **given) as process:
        wait_for(f"http://127.0.0.1:{port}/_stcore/health", process)
        made = (volume / "secrets" / "dashboard_password").read_text(encoding="ascii").strip()

        assert 0 == check(app, "dashboard", **given)
        assert len(made) >= 32


def test_provided_secrets_are_used_and_not_written(tmp_path):
    service = entrypoint.SERVICES["server"]
    given = {"MEMORY_DATA_DIR": str(tmp_path), "MCP_TOKEN": "a token of my own"}

    assert given == entrypoint.with_secret(service, given)
    assert [] == list(tmp_path.iterdir())


def test_generated_secrets_survive_restarts(tmp_path):
    first = entrypoint.kept_secret(tmp_path / "secrets" / "mcp_token")

    assert first == entrypoint.kept_secret(tmp_path / "secrets" / "mcp_token")
    assert ["mcp_token"] == [each.name for each in (tmp_path / "secrets").iterdir()]


def test_concurrent_services_share_one_generated_secret(tmp_path):
    together = threading.Barrier(8)

    def ask(_):
        together.wait(PATIENCE)
        return entrypoint.kept_secret(tmp_path / "secrets" / "mcp_token")

    with ThreadPoolExecutor(8) as pool:
        kept = set(pool.map(ask, range(8)))

    assert 1 == len(kept)


@pytest.mark.parametrize("left", ["", "short\n"])
def test_truncated_secret_files_are_regenerated(tmp_path, left):
    (tmp_path / "mcp_token").write_text(left)

    assert len(entrypoint.kept_secret(tmp_path / "mcp_token")) >= 32


def test_unknown_services_are_rejected_with_a_hint(capsys):
    assert 2 == entrypoint.main(["dashbord"], {})
    assert "server | dashboard" in capsys.readouterr().err


@pytest.mark.process
def test_installed_packages_are_compatible():
    asked = [sys.executable, "-m", "pip", "check", "--disable-pip-version-check"]
    answer = subprocess.run(asked, capture_output=True, text=True)

    assert 0 == answer.returncode, answer.stdout


def test_image_runs_unprivileged_with_one_volume():
    assert ["memory"] == lines_of("USER")
    assert ["/memory"] == lines_of("VOLUME")
    assert any("MEMORY_DATA_DIR=/memory" in line for line in lines_of("ENV"))


def test_image_installs_cpu_torch_before_dependents():
    (installs,) = [line for line in lines_of("RUN") if "pip install" in line]
    steps = [step.strip() for step in installs.split("&&")]

    assert steps[2] == 'pip install --no-deps --index-url "$TORCH_INDEX_URL" -r torch.txt'
    assert steps[3] == "pip install -r wanted.txt"
    assert ["TORCH_INDEX_URL=https://download.pytorch.org/whl/cpu"] == lines_of("ARG")


@pytest.mark.process
def test_image_installs_the_pyproject_dependencies(tmp_path):
    wanted = subprocess.run(
        [sys.executable, ROOT / "deploy" / "requirements.py", "dashboard", "torch"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]

    assert [*project["dependencies"], *extras["dashboard"], *extras["torch"]] == wanted
    assert 1 == len([each for each in wanted if re.match(r"torch[^a-z-]", each)])


def test_image_build_precompiles_all_modules():
    sources = {
        source.partition("/")[0]
        for line in lines_of("COPY")
        for source in line.split()[:-1]
        if source.endswith(".py") or any((ROOT / source).glob("*.py"))
    }
    (compiled,) = [line.split() for line in lines_of("RUN") if "compileall" in line]

    assert {"memory_core", "dashboard", "main.py", "deploy"} <= sources
    assert sources <= set(compiled)
