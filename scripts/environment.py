"""Make .venv or add to it; environment.sh calls this when .venv is not what is needed."""

import fcntl
import shutil
import subprocess
import sys
from pathlib import Path


def set_up(root: Path, kind: str, wanted: str) -> None:
    """Install the checkout into its .venv, with the tools of developers where kind is "dev"."""
    venv = root / ".venv"
    if is_ready(venv, kind, wanted):
        return  # another start did it while this one waited
    print("setting up .venv (once, about a minute) ...", file=sys.stderr)
    has_core = is_ready(venv, "core", wanted)
    for file in venv.glob("ready-*"):
        file.unlink()  # until all is done, so that an interrupted set-up is redone
    if not has_core:
        if venv.exists():
            shutil.rmtree(venv)
        run(sys.executable, "-m", "venv", venv)
    target = f"{root}[dev]" if kind == "dev" else root
    pip = ("-m", "pip", "-qq", "--disable-pip-version-check", "install", "--editable")
    run(venv / "bin" / "python", *pip, target)
    for done in {"core", kind}:
        (venv / f"ready-{done}").write_text(f"{wanted}\n", encoding="utf-8")


def is_ready(venv: Path, kind: str, wanted: str) -> bool:
    """Tell whether a set-up of this checkout, as it is now, has been finished."""
    ready = venv / f"ready-{kind}"
    whole = (venv / "bin" / "python").exists() and ready.exists()
    return whole and ready.read_text(encoding="utf-8") == f"{wanted}\n"


def run(*command: str | Path) -> None:
    """Run a command; stdout belongs to the program that is started afterwards."""
    subprocess.run(command, check=True, stdout=sys.stderr)


if __name__ == "__main__":
    root, kind, wanted = sys.argv[1:]
    try:
        # Starts at the same time wait for each other; the lock of one that dies is dropped.
        with open(Path(root) / "pyproject.toml", "r+") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            set_up(Path(root), kind, wanted)
    except subprocess.CalledProcessError as error:
        sys.exit(f"error: setting up .venv failed (exit {error.returncode}); the cause is above")
    except OSError as error:
        sys.exit(f"error: cannot set up .venv: {error}")
    except KeyboardInterrupt:
        sys.exit(130)
