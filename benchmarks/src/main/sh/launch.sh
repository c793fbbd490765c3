# SPDX-License-Identifier: Apache-2.0
#
# For the scripts that source it, after `set -euo pipefail`.

home=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../../../.." && pwd)

# launch ARGUMENT...: builds what is stale, then becomes a JVM with those arguments, which begin with
# its flags and the main class. Builds in one tree wait for each other, those of bin/hdrf too.
launch() {
  "$home/bin/hdrf" --version >/dev/null
  (
    flock 9
    cd "$home"
    mvn -B -q -DskipTests -Dspotless.check.skip=true -pl benchmarks -am package 9>&-
  ) 9>"$home/target/.lock"
  exec java -Dlog4j.configuration="file:$home/target/dist/conf/cli-log4j.properties" \
    -Dhdrf.home="$home" -Dhdrf.dist="$home/target/dist" \
    -cp "$home/benchmarks/target/classes:$home/benchmarks/target/lib/*:$home/target/dist/hadoop/*" "$@"
}

# What HDFS and its clients need on JDK 17.
cluster_flags=(-Djava.net.preferIPv4Stack=true --add-opens java.base/java.lang=ALL-UNNAMED)
