#!/usr/bin/env bash
# Whether every patch of tests/mutants still applies: seconds, where running them takes minutes.
set -uo pipefail
cd "$(dirname "$0")/.."
stale=0
for patch in tests/mutants/*.patch; do
    git apply --check -C1 "$patch" 2>/dev/null || { echo "$patch does not apply any more: write it anew."; stale=1; }
done
exit "$stale"
