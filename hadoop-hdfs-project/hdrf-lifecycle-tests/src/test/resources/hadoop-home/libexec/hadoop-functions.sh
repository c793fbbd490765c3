# SPDX-License-Identifier: Apache-2.0
#
# The functions that Hadoop's 'Unix Shell API' documents and a shell profile needs, written for tests.

CLASSPATH=
PROFILES=()
SUBCOMMANDS=()

hadoop_add_profile() {
  PROFILES+=("$1")
}

# name, kind (client, daemon or admin), description
hadoop_add_subcommand() {
  [ "$2" = client ] || [ "$2" = daemon ] || [ "$2" = admin ] || { echo "bad subcommand $*" >&2; exit 1; }
  SUBCOMMANDS+=("  $1  $3")
}

# path, then 'before' or 'after' (the default); 1 if there is no such file
hadoop_add_classpath() {
  case $1 in
    */\*) [ -d "${1%/*}" ] || return 1 ;;
    *) [ -e "$1" ] || return 1 ;;
  esac
  case ":$CLASSPATH:" in
    *":$1:"*) return 0 ;;
  esac
  if [ "${2:-after}" = before ]; then
    CLASSPATH=$1${CLASSPATH:+:$CLASSPATH}
  else
    CLASSPATH=${CLASSPATH:+$CLASSPATH:}$1
  fi
}

hadoop_add_stock_jars() {
  local part
  for part in common hdfs yarn mapreduce; do
    hadoop_add_classpath "$HADOOP_HOME/share/hadoop/$part"
    hadoop_add_classpath "$HADOOP_HOME/share/hadoop/$part/lib/*"
    hadoop_add_classpath "$HADOOP_HOME/share/hadoop/$part/*"
  done
}

each_profile() {
  local profile
  for profile in "${PROFILES[@]}"; do
    if declare -F "_${profile}_hadoop_$1" >/dev/null; then
      "_${profile}_hadoop_$1"
    fi
  done
}
