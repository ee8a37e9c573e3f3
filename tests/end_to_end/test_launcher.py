"""The launcher as a newcomer meets it: a checkout, one command, no network in these tests.

The launcher is the real file, run as a program; only the environment's interpreter is a stand-in
(fake_python.py) that writes down what it was asked to do.
"""

import ast
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import launch

from .fake_python import make_environment

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the stand-in is a POSIX script")

LAUNCHER = Path(launch.__file__)
CPU = [("torch", "2.13.0+cpu"), ("sympy", "1.14.0")]
CUDA = [("torch", "2.14.1"), ("nvidia-cublas", "13.1.0.3"), ("triton", "3.7.1")]
INSTALLS_DASHBOARD = "pip install -r requirements-dashboard.txt"
INSTALLS_TESTS = "pip install -r requirements-dev.txt"
ASKS = "pip install --dry-run torch>=2.2,<2.14"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    shutil.copy(LAUNCHER, tmp_path / "launch.py")
    (tmp_path / "requirements.txt").write_text("torch>=2.2,<2.14  # bounds\ntorch-extras\n")
    (tmp_path / "requirements-dashboard.txt").write_text("-r requirements.txt\nstreamlit\n")
    (tmp_path / "requirements-dev.txt").write_text("-r requirements-dashboard.txt\npytest\n")
    (tmp_path / "codes.json").write_text("{}")
    pip_would_take(tmp_path, CPU)
    make_environment(tmp_path / ".venv")
    return tmp_path


@pytest.fixture
def port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def test_the_first_run_installs_then_serves_the_dashboard(checkout: Path, port: int) -> None:
    """With nothing installed: ask about PyTorch, install the requirements, start Streamlit."""
    run = launched(checkout, "--port", str(port))

    app = str(Path("dashboard", "app.py"))
    serves = f"streamlit run {app} --server.port {port}"
    assert (0, [ASKS, INSTALLS_DASHBOARD, serves]) == (run.returncode, calls(checkout))


def test_the_first_run_says_where_everything_is(checkout: Path, port: int) -> None:
    """The dashboard's address, the server's address and the two absolute paths of a client."""
    output = launched(checkout, "--port", str(port)).stdout

    configuration = json.loads(output[output.index("{") : output.rindex("}") + 1])
    server = {
        "command": str(checkout / ".venv/bin/python"),
        "args": [str(checkout / "main.py")],
    }
    assert f"http://localhost:{port}" in output
    assert "http://localhost:4392/mcp" in output
    assert {"mcpServers": {"turbovec": server}} == configuration


def test_a_second_run_installs_nothing(checkout: Path, port: int) -> None:
    """When nothing changed the launcher goes straight to Streamlit."""
    launched(checkout, "--port", str(port))
    forget_calls(checkout)

    launched(checkout, "--port", str(port))

    assert ["streamlit"] == modules(checkout)


@pytest.mark.parametrize("file", ["requirements.txt", "requirements-dashboard.txt"])
def test_a_changed_requirement_file_is_installed(checkout: Path, port: int, file: str) -> None:
    """The file itself and every file it includes count."""
    launched(checkout, "--port", str(port))
    forget_calls(checkout)
    with (checkout / file).open("a") as requirements:
        requirements.write("another\n")

    launched(checkout, "--port", str(port))

    assert INSTALLS_DASHBOARD in calls(checkout)


def test_another_python_behind_the_environment_installs_again(checkout: Path, port: int) -> None:
    """The same files under another Python version are another installation."""
    launched(checkout, "--port", str(port))
    forget_calls(checkout)
    make_environment(checkout / ".venv", version="3.12")

    launched(checkout, "--port", str(port))

    assert INSTALLS_DASHBOARD in calls(checkout)


def test_the_test_requirements_include_the_dashboard(checkout: Path, port: int) -> None:
    """After the tests have run, the dashboard has nothing left to install."""
    launched(checkout, "test")
    forget_calls(checkout)

    launched(checkout, "--port", str(port))

    assert ["streamlit"] == modules(checkout)


@pytest.mark.parametrize("options", [[], ["--gpu"]])
def test_a_killed_installation_is_done_again(checkout: Path, port: int, options: list[str]) -> None:
    """Killed while pip installs, or while --gpu removes the CPU build of a complete one."""
    launched(checkout, "--port", str(port))
    (checkout / "requirements.txt").write_text("torch\nchanged\n")
    (checkout / "pip.waits").touch()
    with started(checkout, "--port", str(port), *options) as launcher:
        wait_for(launcher, "waiting")
        os.killpg(launcher.pid, signal.SIGKILL)
    (checkout / "pip.waits").unlink()
    (checkout / "requirements.txt").write_text("torch>=2.2,<2.14  # bounds\ntorch-extras\n")
    forget_calls(checkout)

    launched(checkout, "--port", str(port))

    assert INSTALLS_DASHBOARD in calls(checkout)


def test_a_failed_installation_shows_why_and_starts_nothing(checkout: Path, port: int) -> None:
    """pip's last words, a way out, exit code 1; the next run tries again."""
    (checkout / "codes.json").write_text('{"pip": 2}')
    failed = launched(checkout, "--port", str(port))
    (checkout / "codes.json").write_text("{}")
    retried = launched(checkout, "--port", str(port))

    assert (1, 0) == (failed.returncode, retried.returncode)
    assert "pip runs" in failed.stderr and "run the same command again" in failed.stderr
    assert 2 == calls(checkout).count(INSTALLS_DASHBOARD)
    assert 1 == modules(checkout).count("streamlit")


@pytest.mark.parametrize(
    ("resolved", "is_gpu_build"),
    [
        (CPU, False),
        ([("torch", "2.13.0"), ("sympy", "1.14.0")], False),
        (CUDA, True),
        ([("torch", "2.13.0"), ("cuda-bindings", "13.0")], True),
        ([("torch", "2.5.1+rocm6.2")], True),
        ([("Torch", "2.5.1+cu124")], True),
    ],
)
def test_a_gpu_build_is_known_by_what_pip_would_install(
    resolved: list[tuple[str, str]], is_gpu_build: bool
) -> None:
    """CUDA packages beside PyTorch, or a build tag other than cpu, give it away."""
    assert is_gpu_build == launch.pulls_gpu_build(report(resolved))


@pytest.mark.parametrize("named", ["", "https://torch.example/cpu"])
def test_the_cpu_build_comes_first_where_pip_would_take_cuda(checkout: Path, named: str) -> None:
    """PyTorch's own index, or the one that TORCH_INDEX_URL names; the rest comes as usual."""
    pip_would_take(checkout, CUDA)

    launched(checkout, "test", TORCH_INDEX_URL=named)

    index = named or launch.CPU_INDEX
    takes_cpu = f"pip install --no-deps --index-url {index} torch>=2.2,<2.14"
    assert [ASKS, takes_cpu, INSTALLS_TESTS] == calls(checkout)[:-1]


def test_a_gpu_build_is_taken_when_asked_for_and_kept(checkout: Path, port: int) -> None:
    """--gpu replaces the CPU build; later runs do not bring the CPU build back."""
    pip_would_take(checkout, CUDA)
    launched(checkout, "--port", str(port))
    forget_calls(checkout)
    launched(checkout, "--gpu", "--port", str(port))
    (checkout / "requirements-dev.txt").write_text("-r requirements-dashboard.txt\n")
    launched(checkout, "test")

    installs = [call for call in calls(checkout) if call.startswith("pip")]
    assert ["pip uninstall --yes torch", INSTALLS_DASHBOARD, INSTALLS_TESTS] == installs


def test_the_test_command_hands_over_arguments_and_exit_code(checkout: Path) -> None:
    """pytest gets the arguments as they are, with coverage before them, and decides the code."""
    (checkout / "codes.json").write_text('{"pytest": 5}')

    run = launched(checkout, "test", "-q", "-k", "this or that", "tests/rules")

    assert 5 == run.returncode
    assert [
        "pytest",
        *launch.SIDE_BY_SIDE,
        *launch.COVERAGE,
        "-q",
        "-k",
        "this or that",
        "tests/rules",
    ] == (raw_calls(checkout)[-1])


def test_ctrl_c_reaches_streamlit_and_its_exit_code_comes_back(checkout: Path, port: int) -> None:
    """An interrupt sent to the launcher alone is Streamlit's to answer."""
    (checkout / "streamlit.waits").touch()
    with started(checkout, "--port", str(port)) as launcher:
        wait_for(launcher, "waiting")
        launcher.send_signal(signal.SIGINT)

    assert 7 == launcher.returncode


def test_a_busy_port_is_refused_before_anything_is_installed(checkout: Path) -> None:
    """The message names the port, who listens, and the option that chooses another."""
    tools = checkout / "tools"
    program(
        tools / "lsof", "#!/bin/sh\necho 'ruby 4711 ann 5u IPv4 TCP *:'${2#-iTCP:}' (LISTEN)'\n"
    )
    with socket.create_server(("127.0.0.1", 0)) as listener:
        busy = listener.getsockname()[1]

        run = launched(checkout, "--port", str(busy), PATH=str(tools))

    assert (1, []) == (run.returncode, calls(checkout))
    assert f"Port {busy} is in use (ruby 4711 ann" in run.stderr
    assert f"launch.py --port {busy + 100}" in run.stderr


@pytest.mark.parametrize("asked", ["0", "65536", "http"])
def test_a_port_that_is_none_is_refused(checkout: Path, asked: str) -> None:
    """Only numbers from 1 to 65535 are ports."""
    run = launched(checkout, "--port", asked)

    assert (2, []) == (run.returncode, calls(checkout))
    assert "--port" in run.stderr


def test_an_old_python_is_refused_by_name(checkout: Path) -> None:
    """The version found, the version needed, and how to go on; nothing is touched."""
    pretends = "import runpy, sys; sys.version_info = (3, 10, 4); sys.argv = ['launch.py']; "
    command = [sys.executable, "-c", pretends + "runpy.run_path('launch.py', run_name='__main__')"]
    run = subprocess.run(command, cwd=checkout, capture_output=True, text=True)

    assert (1, []) == (run.returncode, calls(checkout))
    assert "This is Python 3.10" in run.stderr and "Python 3.11 or newer" in run.stderr


def test_an_old_python_can_read_the_launcher_at_all() -> None:
    """New syntax would greet an old Python with a SyntaxError instead of the explanation."""
    tree = ast.parse(LAUNCHER.read_text(encoding="utf-8"), feature_version=(3, 7))

    assert any(isinstance(node, ast.FunctionDef) and node.name == "main" for node in tree.body)


@pytest.mark.parametrize("damage", ["interpreter gone", "made by an older Python", "never made"])
def test_an_environment_that_does_not_work_is_made_again(checkout: Path, damage: str) -> None:
    """A dangling interpreter, one that was replaced by a newer one, or none at all."""
    environment = checkout / ".venv"
    if damage == "interpreter gone":
        (environment / "bin/python").unlink()
        (environment / "bin/python").symlink_to(checkout / "no-such-python")
    elif damage == "made by an older Python":
        (environment / "pyvenv.cfg").write_text("version = 3.10.12\n")
    else:
        shutil.rmtree(environment)
    project = launch.Project(root=checkout, base_python=str(base_python(checkout)))

    launch.install(project, launch.DASHBOARD, gpu=False)

    made = f"venv --clear --upgrade-deps {environment}"
    assert [made, ASKS, INSTALLS_DASHBOARD] == calls(checkout)


def test_an_environment_that_works_is_kept(checkout: Path) -> None:
    """What somebody installed by hand in a working environment is not thrown away."""
    project = launch.Project(root=checkout, base_python=str(base_python(checkout)))

    launch.install(project, launch.DASHBOARD, gpu=False)

    assert "venv" not in modules(checkout)


@pytest.mark.parametrize("record", ["", "{", "[]", '{"torch": "cpu"}'])
def test_a_damaged_record_counts_as_not_installed(checkout: Path, port: int, record: str) -> None:
    """A half-written record never passes for a finished installation."""
    (checkout / ".venv/launcher.json").write_text(record)

    launched(checkout, "--port", str(port))

    assert INSTALLS_DASHBOARD in calls(checkout)


# What continuous integration runs


@pytest.mark.parametrize("has_browser", [True, False])
def test_continuous_integration_runs_the_readme_command(tmp_path: Path, has_browser: bool) -> None:
    """With CI=true, after fetching a browser where there is none; its exit code is passed on."""
    (tmp_path / ".ci").mkdir()
    shutil.copy(LAUNCHER.parent / ".ci/run", tmp_path / ".ci/run")
    tools, log = tmp_path / "tools", tmp_path / "log"
    for name in ("bash", "dirname", "id", "timeout"):
        tools.mkdir(exist_ok=True)
        (tools / name).symlink_to(str(shutil.which(name)))
    program(tools / "sudo", '#!/bin/sh\nexec "$@"\n')
    program(tools / "apt-get", f'#!/bin/sh\necho "apt-get $1" >> {log}\n')
    program(tools / "python3", f'#!/bin/sh\necho "CI=$CI $*" >> {log}\nexit 4\n')
    if has_browser:
        program(tools / "chromium", "#!/bin/sh\n")

    run = subprocess.run([tmp_path / ".ci/run"], env={"PATH": str(tools)}, capture_output=True)

    fetches = [] if has_browser else ["apt-get update", "apt-get install"]
    calls_made = [line.replace(" -q", "") for line in log.read_text().splitlines()]
    assert (4, [*fetches, "CI=true launch.py test"]) == (run.returncode, calls_made)


def launched(
    checkout: Path, *arguments: str, **environment: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(checkout / "launch.py"), *arguments],
        env=surroundings() | environment,
        capture_output=True,
        text=True,
        timeout=60,
    )


def started(checkout: Path, *arguments: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, str(checkout / "launch.py"), *arguments],
        env=surroundings(),
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def surroundings() -> dict[str, str]:
    """The environment, without what would change the launcher's mind."""
    return {name: value for name, value in os.environ.items() if name != "TORCH_INDEX_URL"}


def wait_for(process: "subprocess.Popen[str]", words: str) -> None:
    assert process.stdout is not None
    assert any(words in line for line in process.stdout), "it ended without a word"


def raw_calls(checkout: Path) -> list[list[str]]:
    log = checkout / "calls.jsonl"
    return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []


def calls(checkout: Path) -> list[str]:
    """What the interpreter was asked to run, without paths and options that say nothing here."""
    return [" ".join(telling(call, checkout)) for call in raw_calls(checkout)]


def telling(call: list[str], checkout: Path) -> Iterator[str]:
    quiet = {"--disable-pip-version-check", "--no-input", "--ignore-installed"}
    words = iter(call)
    for word in words:
        if word in ("--progress-bar", "--report"):
            next(words)
        elif word not in quiet:
            yield word.removeprefix(f"{checkout}/") if word.endswith(".txt") else word


def modules(checkout: Path) -> list[str]:
    return [call[0] for call in raw_calls(checkout)]


def forget_calls(checkout: Path) -> None:
    (checkout / "calls.jsonl").unlink()


def pip_would_take(checkout: Path, resolved: list[tuple[str, str]]) -> None:
    (checkout / "report.json").write_text(report(resolved))


def report(resolved: list[tuple[str, str]]) -> str:
    """pip's installation report, in the parts that matter."""
    install = [{"metadata": {"name": name, "version": version}} for name, version in resolved]
    return json.dumps({"version": "1", "install": install})


def base_python(checkout: Path) -> Path:
    """A stand-in for the Python that makes environments."""
    make_environment(checkout / "base")
    return Path(shutil.move(checkout / "base/bin/python", checkout / "base-python"))


def program(path: Path, text: str) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
