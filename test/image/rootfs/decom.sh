#!/bin/bash
# Copyright 2026 The Sparkgate Authors.
# SPDX-License-Identifier: Apache-2.0
#
# Pre-stop hook of executors when spark.decommission.enabled is set: Spark puts
# the path of this script (spark.kubernetes.decommission.script) into the pod.
# The executor's JVM moves its blocks away and exits on SIGPWR; the hook returns
# when it has gone, since the kubelet sends SIGTERM as soon as a hook returns.
set -euo pipefail

# Seconds to wait; the pod's terminationGracePeriodSeconds ends the wait anyway.
limit=${SPARK_DECOM_TIMEOUT:-600}
class=org.apache.spark.scheduler.cluster.k8s.KubernetesExecutorBackend

# executor_pid prints the process whose executable is java and whose arguments
# name the executor's class. tini carries the same arguments, but is not java.
executor_pid() {
  local pid
  for pid in $(pgrep -x java); do
    if tr '\0' '\n' <"/proc/$pid/cmdline" | grep -qxF "$class"; then
      echo "$pid"
      return
    fi
  done
  return 1
}

if ! pid=$(executor_pid); then
  echo "decom: no executor is running" >&2
  exit 0
fi
echo "decom: asking process $pid to decommission"
kill -s PWR "$pid"
timeout "$limit" tail --pid="$pid" -f /dev/null || echo "decom: still running after $limit s" >&2
