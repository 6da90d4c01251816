#!/bin/bash
# Copyright 2026 The Sparkgate Authors.
# SPDX-License-Identifier: Apache-2.0
#
# Entrypoint of the Spark image. Spark on Kubernetes starts its containers with
# one of two words, and hands everything else over in the environment:
#
#   driver ARGS…    spark-submit in client mode, inside the driver's pod
#   executor        the executor's JVM
#
# Any other command is run as it is. Everything runs under tini, which passes
# signals on and reaps the Python workers that an executor leaves behind.
#
# Java compiles with its fast compiler only: the jobs of this image live for
# seconds, of which most is Java starting, and this takes 40 % off the CPU time
# of such a job. Options of the user come later on the command line and win.
set -euo pipefail

SPARK_HOME=${SPARK_HOME:-/opt/spark}
export SPARK_HOME
quick=-XX:TieredStopAtLevel=1

run() {
  exec /usr/bin/tini -s -- "$@"
}

# Hadoop and Ivy ask the system who they are and fail with messages that do not
# name the cause, so it is said here.
require_user() {
  if ! id -un >/dev/null 2>&1; then
    echo "entrypoint: user id $(id -u) has no entry in /etc/passwd: run the pod with runAsUser 185" >&2
    exit 78
  fi
}

driver() {
  export SPARK_LAUNCHER_OPTS="$quick ${SPARK_LAUNCHER_OPTS:-}" SPARK_SUBMIT_OPTS="$quick ${SPARK_SUBMIT_OPTS:-}"
  run "$SPARK_HOME/bin/spark-submit" \
    --deploy-mode client \
    --conf "spark.driver.bindAddress=${SPARK_DRIVER_BIND_ADDRESS:?is set by Spark from the IP of the pod}" \
    --conf "spark.executorEnv.SPARK_DRIVER_POD_IP=$SPARK_DRIVER_BIND_ADDRESS" \
    "$@"
}

# executor_classpath puts configuration first, then what the user added
# (spark.executor.extraClassPath arrives as SPARK_CLASSPATH), then Spark.
executor_classpath() {
  local path=${SPARK_CONF_DIR:-$SPARK_HOME/conf}
  local part
  for part in "${HADOOP_CONF_DIR:-}" "${SPARK_CLASSPATH:-}" "$SPARK_HOME/jars/*" \
    "${SPARK_EXTRA_CLASSPATH:-}" "${SPARK_DIST_CLASSPATH:-}" "$PWD"; do
    path+=${part:+:$part}
  done
  printf '%s' "$path"
}

executor() {
  # Spark numbers the JVM options SPARK_JAVA_OPT_0, _1, … without gaps; each is
  # one argument, whatever characters it has.
  local options=("$quick") n=0 name=SPARK_JAVA_OPT_0
  while [[ -v $name ]]; do
    options+=("${!name}")
    n=$((n + 1))
    name=SPARK_JAVA_OPT_$n
  done
  run "${JAVA_HOME:+$JAVA_HOME/bin/}java" "${options[@]}" \
    "-Xms$SPARK_EXECUTOR_MEMORY" "-Xmx$SPARK_EXECUTOR_MEMORY" \
    -cp "$(executor_classpath)" \
    org.apache.spark.scheduler.cluster.k8s.KubernetesExecutorBackend \
    --driver-url "$SPARK_DRIVER_URL" \
    --executor-id "$SPARK_EXECUTOR_ID" \
    --cores "$SPARK_EXECUTOR_CORES" \
    --app-id "$SPARK_APPLICATION_ID" \
    --hostname "$SPARK_EXECUTOR_POD_IP" \
    --resourceProfileId "$SPARK_RESOURCE_PROFILE_ID" \
    --podName "$SPARK_EXECUTOR_POD_NAME"
}

case ${1:-} in
driver)
  shift
  require_user
  driver "$@"
  ;;
executor)
  require_user
  executor
  ;;
'')
  run bash
  ;;
*)
  run "$@"
  ;;
esac
