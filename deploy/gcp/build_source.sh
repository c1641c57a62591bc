#!/usr/bin/env bash
# Makes the folder that Google builds the function from: deploy/gcp/build_source.sh [OUT]
# It holds main.py, the product as a wheel, and every requirement with its version.
# EXTRAS=postgres adds that driver; a ledger on PostgreSQL needs it.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
out=${1:-$root/deploy/gcp/source}
extras=${EXTRAS:-}
rm -rf "$out"
mkdir -p "$out"
cp "$root/deploy/gcp/function/main.py" "$out/"
python3 -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir "$out" "$root"
wheel=$(basename "$out"/submitter-*.whl)
{
  echo "./$wheel${extras:+[$extras]}"
  cat "$root/deploy/gcp/function/requirements.in"
  echo "--constraint constraints.txt"
} >"$out/requirements.txt"
cp "$root/constraints.txt" "$out/"
echo "$out" >&2
