"""Stands in for an environment's interpreter: writes down how it was called, installs nothing.

Files in the checkout decide what it does: `report.json` is pip's answer to a dry run,
`codes.json` maps a module to its exit code, `<module>.waits` makes that module wait for a signal.
"""

import json
import os
import shutil
import signal
import sys
from pathlib import Path

LAUNCHED = Path(sys.argv[0])


def main(arguments: list[str]) -> int:
    if arguments[0] == "-c":
        sys.stdout.write((LAUNCHED.parent / "version").read_text())
        return 0
    checkout = LAUNCHED.parents[2] if LAUNCHED.parent.name == "bin" else LAUNCHED.parent
    with (checkout / "calls.jsonl").open("a") as calls:
        calls.write(json.dumps(arguments[1:]) + "\n")
    module = arguments[1]
    with (checkout / "folders.jsonl").open("a") as folders:
        folders.write(json.dumps([module, os.getcwd()]) + "\n")
    if module == "venv":
        make_environment(Path(arguments[-1]))
    if "--report" in arguments:
        report = Path(arguments[arguments.index("--report") + 1])
        shutil.copy(checkout / "report.json", report)
        return 0
    say(f"Downloading {module} runs")
    if (checkout / f"{module}.waits").exists():
        wait_for_interrupt()
    return int(json.loads((checkout / "codes.json").read_text()).get(module, 0))


def make_environment(folder: Path, *, version: str = "3.11") -> None:
    (folder / "bin").mkdir(parents=True, exist_ok=True)
    script = f"#!{sys.executable} -S\n" + Path(__file__).read_text(encoding="utf-8")
    python = folder / "bin" / "python"
    python.unlink(missing_ok=True)
    python.write_text(script, encoding="utf-8")
    python.chmod(0o755)
    (folder / "bin" / "version").write_text(version)
    (folder / "pyvenv.cfg").write_text(f"home = nowhere\nversion = {version}.9\n")


def wait_for_interrupt() -> None:
    signal.signal(signal.SIGINT, lambda *_: sys.exit(7))
    say("Downloading waiting")
    signal.pause()


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
