# SPDX-License-Identifier: Apache-2.0
#
# HDRF's shell profile for Hadoop 3, which 'hdrf install' copies to libexec/shellprofile.d/hdrf.sh and
# 'hdrf uninstall' removes. Hadoop's scripts read it on each start. It adds HDRF's jars to the class path of
# DataNodes, and of nothing else, and the subcommand 'hdfs hdrf'.

# The version in use, not the link to it: a process keeps to the jars that it was started with. Two directories up
# by name first, since shellprofile.d may be a link to somewhere else.
function _hdrf_find
{
  local dir option link closed=
  dir=$(dirname -- "${BASH_SOURCE[0]}")
  for option in -L -P; do
    link=$(unset CDPATH; cd "${option}" -- "${dir}/../.." >/dev/null 2>&1 && pwd "${option}") || continue
    link=${link%/}/hdrf
    (cd -P -- "${link}" >/dev/null 2>&1 && pwd) && return
    if [[ -L "${link}" || -e "${link}" ]]; then
      closed=${link}
    fi
  done
  if [[ -n "${closed}" ]]; then
    hadoop_error "ERROR: HDRF is not used, as ${closed} can't be entered: run 'hdrf install' again"
  fi
}
_hdrf_home=$(_hdrf_find)

if [[ -n "${_hdrf_home}" ]]; then
  hadoop_add_profile hdrf
  if [[ "${HADOOP_SHELL_EXECNAME}" = "hdfs" ]]; then
    hadoop_add_subcommand "hdrf" client "show and manage what DataNodes store in reduced form"
  fi
fi

# Not in _hdrf_hadoop_classpath, which runs before the subcommand is known.
function _hdrf_hadoop_finalize
{
  if [[ "${HADOOP_SUBCMD}" = "datanode" ]]; then
    hadoop_add_classpath "${_hdrf_home}/datanode/*" before
  fi
}

function hdfs_subcommand_hdrf
{
  export HADOOP_HOME HADOOP_CONF_DIR JAVA_HOME
  exec "${_hdrf_home}/bin/hdrf" "$@"
}
