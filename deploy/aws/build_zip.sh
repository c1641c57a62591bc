#!/usr/bin/env bash
# Makes the zip of the Lambda function: deploy/aws/build_zip.sh [INVENTORY.yaml] [OUT.zip]
#
# ARCH=x86_64|arm64 and PYTHON=3.13 say for which runtime; EXTRAS=postgres adds that driver. boto3 is
# part of the runtime and not packed. Fails when the zip is over Lambda's limits.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
inventory=${1:-}
out=$(realpath -m "${2:-submitter-lambda.zip}")
arch=${ARCH:-x86_64}
python=${PYTHON:-3.13}
extras=${EXTRAS:-}
case $arch in
  x86_64) machine=x86_64 ;;
  arm64) machine=aarch64 ;;
  *)
    echo "ARCH is x86_64 or arm64, not $arch" >&2
    exit 2
    ;;
esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

python3 -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir "$work/wheel" "$root"
wheel=$(echo "$work"/wheel/submitter-*.whl)
python3 -m pip install --quiet --disable-pip-version-check --no-compile --target "$work/package" \
  --implementation cp --python-version "$python" --only-binary :all: \
  --platform "manylinux_2_28_$machine" --platform "manylinux_2_17_$machine" \
  --platform "manylinux2014_$machine" \
  --constraint "$root/constraints.txt" "$wheel${extras:+[$extras]}"
python3 "$root/deploy/prune.py" "$work/package"
rm -rf "$work/package/bin"
# Compiled beforehand it starts three times as fast; the function's own disk is read-only.
if command -v "python$python" >/dev/null; then
  "python$python" -m compileall -q --invalidation-mode unchecked-hash "$work/package" || true
else
  echo "python$python is not here: the zip starts more slowly than it could" >&2
fi
if [ -n "$inventory" ]; then
  cp "$inventory" "$work/package/inventory.yaml"
fi

# The same files give the same zip: sorted, and all of one date.
find "$work/package" -exec touch -d '1980-01-02T00:00:00Z' {} +
rm -f "$out"
(cd "$work/package" && find . -type f | LC_ALL=C sort | python3 -c '
import sys, zipfile
with zipfile.ZipFile(sys.argv[1], "w", zipfile.ZIP_DEFLATED) as packed:
    for line in sys.stdin:
        packed.write(line.rstrip("\n")[2:])
' "$out")
size=$(stat -c %s "$out")
echo "$out: $((size / 1000000)) MB" >&2
# Source: https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html, read 2026-11-30.
if [ "$size" -gt 50000000 ]; then
  echo "over 50 MB: Lambda takes it from a bucket only, not by direct upload" >&2
  exit 1
fi
