# SPDX-License-Identifier: Apache-2.0
#
# For the scripts that source it, after `set -euo pipefail`.

home=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../../../.." && pwd)

# build_benchmarks: builds what is stale. Builds in one tree wait for each other, those of bin/hdrf too.
build_benchmarks() {
  "$home/bin/hdrf" --version >/dev/null
  (
    flock 9
    cd "$home"
    mvn -B -q -DskipTests -Dspotless.check.skip=true -pl benchmarks -am package 9>&-
  ) 9>"$home/target/.lock"
}

# run ARGUMENT...: becomes a JVM with those arguments, which begin with its flags and the main class.
run() {
  exec java -Dlog4j.configuration="file:$home/target/dist/conf/cli-log4j.properties" \
    -Dhdrf.home="$home" -Dhdrf.dist="$home/target/dist" \
    -cp "$home/benchmarks/target/classes:$home/benchmarks/target/lib/*:$home/target/dist/hadoop/*" "$@"
}

# launch ARGUMENT...: builds what is stale, then runs it.
launch() {
  build_benchmarks
  run "$@"
}

# What HDFS and its clients need on JDK 17.
cluster_flags=(-Djava.net.preferIPv4Stack=true --add-opens java.base/java.lang=ALL-UNNAMED)
