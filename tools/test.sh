#!/usr/bin/env bash
# Every check and every test, the cheap ones first. Ends with pytest's own closing line.
# With arguments only pytest runs, with these arguments.
set -uo pipefail
cd "$(dirname "$0")/.."
unset SOPHIA_DATA_DIR SOPHIA_KEY_DIR PYTHONPATH
export PYTHONDONTWRITEBYTECODE=1
python=.venv/bin/python
shared=(-n 2 --dist loadfile --no-loadscope-reorder --max-worker-restart=0) # a worker that dies ends the run

if [ $# -gt 0 ]; then
    exec "$python" -m pytest "${shared[@]}" "$@"
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT

check() { # NAME COMMAND…: silent when it passes, its whole output when it does not
    local name=$1 start=$SECONDS
    shift
    if "$@" >"$log" 2>&1; then
        printf '  ok  %-14s %3d s\n' "$name" $((SECONDS - start))
    else
        printf 'FAIL  %s\n' "$name"
        cat "$log"
        failed+=("$name")
    fi
}

failed=()
check "lint" .venv/bin/ruff check --quiet --output-format concise
check "format" .venv/bin/ruff format --check --quiet --diff
check "layers" .venv/bin/lint-imports --no-logo
check "dependencies" .venv/bin/deptry src --no-ansi
check "unused code" "$python" -m tools.dead
check "mutants apply" bash tools/mutants_apply.sh
check "documents" "$python" -m tools.gen --check
check "types" .venv/bin/mypy
if [ ${#failed[@]} -gt 0 ]; then
    echo "The tests did not run: first these have to pass: ${failed[*]}."
    exit 1
fi

"$python" -m compileall -q -j 2 src tests
.venv/bin/coverage erase
outcome=0
"$python" -m tools.followed "$log" .venv/bin/coverage run -m pytest "${shared[@]}" --color=no --durations=20 || outcome=$?
closing=$(grep -E '^=+ .*(passed|failed|error|no tests ran).* =+$' "$log" | tail -n 1)
[ "$outcome" -eq 0 ] || exit "$outcome"

covered=0
.venv/bin/coverage combine --quiet >"$log" 2>&1 || { cat "$log"; covered=1; }
.venv/bin/coverage report >"$log" 2>&1 || { cat "$log"; covered=1; }
for package in $(cat tests/spec/fully_covered.txt); do
    [ -d "src/sophia/$package" ] || continue
    .venv/bin/coverage report --include="src/sophia/$package/*" --fail-under=100 >"$log" 2>&1 \
        || { echo "src/sophia/$package has to be covered to the last branch:"; cat "$log"; covered=1; }
done
[ "$covered" -eq 0 ] || printf 'FAIL  coverage\n%s\n' "$closing"
exit "$covered"
