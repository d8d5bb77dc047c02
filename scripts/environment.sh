# Sourced by the scripts beside it: sets $root and $bin, and gives them `need`.

root=$(CDPATH= cd -- "$(dirname -- "$0")/.." && pwd -P) || exit
bin=$root/.venv/bin

# need core|dev: make .venv unless it is there, installed from this pyproject.toml at this place.
need() {
    wanted="$(cksum < "$root/pyproject.toml") $root"
    # The Python that made .venv may be gone: then its link leads nowhere, and -x is false.
    if [ -x "$bin/python" ] && [ -r "$root/.venv/ready-$1" ] &&
        IFS= read -r found < "$root/.venv/ready-$1" && [ "$found" = "$wanted" ]; then
        return
    fi
    python=$(find_python) && "$python" -I "$root/scripts/environment.py" "$root" "$1" "$wanted" ||
        exit
}

# Print the path of the first Python >= 3.11 that can make environments.
find_python() {
    unfit=
    for name in python3.13 python3.12 python3.11 python3.14 python3 python; do
        "$name" -I -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2> /dev/null || continue
        # The file itself, not a link such as python3, which may come to mean another version.
        "$name" -I -c 'import ensurepip, os, sys, venv; print(os.path.realpath(sys.executable))' \
            2> /dev/null && return
        unfit=${unfit:-$name}
    done
    if [ "$unfit" ]; then
        echo "error: $unfit has no venv module; install it (on Debian: apt install $unfit-venv)"
    else
        echo "error: no Python >= 3.11 in PATH; install one (https://www.python.org/downloads/)"
    fi >&2
    return 1
}
