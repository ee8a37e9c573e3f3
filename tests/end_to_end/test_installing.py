import os
import shutil
import signal
from pathlib import Path

import pytest

import launch

from .fake_python import make_environment
from .launching import (
    ASKS,
    CPU,
    CUDA,
    INSTALLS_DASHBOARD,
    INSTALLS_TESTS,
    base_python,
    calls,
    folders,
    forget_calls,
    launched,
    modules,
    pip_would_take,
    report,
    started,
    wait_for,
)

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the stand-in is a POSIX script")


def test_a_second_run_installs_nothing(checkout: Path, port: int) -> None:
    launched(checkout, "--port", str(port))
    forget_calls(checkout)

    launched(checkout, "--port", str(port))

    assert ["streamlit"] == modules(checkout)


@pytest.mark.parametrize("file", ["requirements.txt", "requirements-dashboard.txt"])
def test_a_changed_requirement_file_is_installed(checkout: Path, port: int, file: str) -> None:
    launched(checkout, "--port", str(port))
    forget_calls(checkout)
    with (checkout / file).open("a") as requirements:
        requirements.write("another\n")

    launched(checkout, "--port", str(port))

    assert INSTALLS_DASHBOARD in calls(checkout)


def test_a_changed_dependency_in_pyproject_is_installed(checkout: Path, port: int) -> None:
    launched(checkout, "--port", str(port))
    forget_calls(checkout)
    pyproject = checkout / "pyproject.toml"
    pyproject.write_text(pyproject.read_text().replace('"streamlit"', '"streamlit>=2"'))

    launched(checkout, "--port", str(port))

    assert INSTALLS_DASHBOARD in calls(checkout)


def test_a_changed_tool_setting_in_pyproject_installs_nothing(checkout: Path, port: int) -> None:
    launched(checkout, "--port", str(port))
    forget_calls(checkout)
    pyproject = checkout / "pyproject.toml"
    pyproject.write_text(pyproject.read_text().replace("line-length = 100", "line-length = 90"))

    launched(checkout, "--port", str(port))

    assert ["streamlit"] == modules(checkout)


@pytest.mark.parametrize("text", [None, "[project", "[tool.ruff]"])
def test_an_unusable_pyproject_is_named_before_anything_is_installed(
    checkout: Path, port: int, text: str | None
) -> None:
    if text is None:
        (checkout / "pyproject.toml").unlink()
    else:
        (checkout / "pyproject.toml").write_text(text)

    run = launched(checkout, "--port", str(port))

    assert (1, []) == (run.returncode, calls(checkout))
    assert "pyproject.toml cannot be used" in run.stderr


def test_pip_runs_in_the_checkout_wherever_the_launcher_is_started(
    checkout: Path, port: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")

    launched(checkout, "--port", str(port), cwd=elsewhere)

    assert {"pip": str(checkout)}.items() <= folders(checkout).items()


@pytest.mark.parametrize(
    ("requirements", "wanted"),
    [
        ("-e .[torch]\n", "torch>=2.2,<2.14"),
        ("-e .[dev]\n", "torch>=2.2,<2.14"),
        ("# all of it\n-r requirements.txt\n-e .[dashboard]\n", "torch>=2.2,<2.14"),
        ("-e .[dashboard]\n", ""),
        ("-e .\n", ""),
    ],
)
def test_torch_is_required_only_with_its_extra(
    checkout: Path, requirements: str, wanted: str
) -> None:
    (checkout / "some.txt").write_text(requirements)

    assert wanted == launch.torch_requirement(launch.Project(root=checkout), "some.txt")


def test_pip_is_not_queried_for_torch_without_the_extra(checkout: Path, port: int) -> None:
    (checkout / "requirements-dashboard.txt").write_text("-e .[dashboard]\n")

    launched(checkout, "--port", str(port))

    assert INSTALLS_DASHBOARD == calls(checkout)[0]


def test_changed_interpreter_triggers_reinstall(checkout: Path, port: int) -> None:
    launched(checkout, "--port", str(port))
    forget_calls(checkout)
    make_environment(checkout / ".venv", version="3.12")

    launched(checkout, "--port", str(port))

    assert INSTALLS_DASHBOARD in calls(checkout)


def test_the_test_requirements_include_the_dashboard(checkout: Path, port: int) -> None:
    launched(checkout, "test")
    forget_calls(checkout)

    launched(checkout, "--port", str(port))

    assert ["streamlit"] == modules(checkout)


@pytest.mark.parametrize("options", [[], ["--gpu"]])
def test_killed_installation_is_repeated(checkout: Path, port: int, options: list[str]) -> None:
    launched(checkout, "--port", str(port))
    (checkout / "requirements.txt").write_text("-e .[torch]\nchanged\n")
    (checkout / "pip.waits").touch()
    with started(checkout, "--port", str(port), *options) as launcher:
        wait_for(launcher, "waiting")
        os.killpg(launcher.pid, signal.SIGKILL)
    (checkout / "pip.waits").unlink()
    (checkout / "requirements.txt").write_text("-e .[torch]\n")
    forget_calls(checkout)

    launched(checkout, "--port", str(port))

    assert INSTALLS_DASHBOARD in calls(checkout)


def test_a_failed_installation_shows_why_and_starts_nothing(checkout: Path, port: int) -> None:
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
def test_gpu_builds_are_detected_from_pips_plan(
    resolved: list[tuple[str, str]], is_gpu_build: bool
) -> None:
    assert is_gpu_build == launch.pulls_gpu_build(report(resolved))


@pytest.mark.parametrize("named", ["", "https://torch.example/cpu"])
def test_cpu_build_is_installed_first_instead_of_cuda(checkout: Path, named: str) -> None:
    pip_would_take(checkout, CUDA)

    launched(checkout, "test", TORCH_INDEX_URL=named)

    index = named or launch.CPU_INDEX
    takes_cpu = f"pip install --no-deps --index-url {index} torch>=2.2,<2.14"
    assert [ASKS, takes_cpu, INSTALLS_TESTS] == calls(checkout)[:-1]


def test_requested_gpu_build_is_installed_and_kept(checkout: Path, port: int) -> None:
    pip_would_take(checkout, CUDA)
    launched(checkout, "--port", str(port))
    forget_calls(checkout)
    launched(checkout, "--gpu", "--port", str(port))
    (checkout / "requirements-dev.txt").write_text("-r requirements-dashboard.txt\n")
    launched(checkout, "test")

    installs = [call for call in calls(checkout) if call.startswith("pip")]
    assert ["pip uninstall --yes torch", INSTALLS_DASHBOARD, INSTALLS_TESTS] == installs


@pytest.mark.parametrize("damage", ["interpreter gone", "made by an older Python", "never made"])
def test_broken_environment_is_recreated(checkout: Path, damage: str) -> None:
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


def test_working_environment_is_kept(checkout: Path) -> None:
    project = launch.Project(root=checkout, base_python=str(base_python(checkout)))

    launch.install(project, launch.DASHBOARD, gpu=False)

    assert "venv" not in modules(checkout)


@pytest.mark.parametrize("record", ["", "{", "[]", '{"torch": "cpu"}'])
def test_a_damaged_record_counts_as_not_installed(checkout: Path, port: int, record: str) -> None:
    (checkout / ".venv/launcher.json").write_text(record)

    launched(checkout, "--port", str(port))

    assert INSTALLS_DASHBOARD in calls(checkout)
