# SPDX-License-Identifier: Apache-2.0
#
# For the scripts that source it, after `set -euo pipefail`.

home=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../../../.." && pwd)
programs=$home/native/target/chunkers

# build_c TARGET...: builds what is stale of these CMake targets into $programs. Needs no JDK. Builds
# in one tree wait for each other.
build_c() {
  mkdir -p "$programs"
  local log=$programs/build.log
  if ! (
    flock 9
    { cmake -S "$home/native" -B "$programs" -DHDRF_BENCHMARKS_ONLY=ON &&
      cmake --build "$programs" --target "$@"; } >"$log" 2>&1 9>&-
  ) 9>"$programs/.lock"; then
    cat "$log" >&2
    exit 3
  fi
}
