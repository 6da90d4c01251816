# Copyright 2026 The Sparkgate Authors.
# SPDX-License-Identifier: Apache-2.0
"""Keeps executors busy without using the processor: sleep.py [seconds] [tasks].

Every round is one Spark job whose tasks sleep for a second. The number of tasks
is that of the cores at hand unless it is given; more tasks than cores make
dynamic allocation ask for more executors. It ends earlier once the file
/tmp/enough exists in the driver: kubectl exec DRIVER -- touch /tmp/enough
"""

import os
import sys
import time

from pyspark.sql import SparkSession

ENOUGH = "/tmp/enough"


def nap(_):
    time.sleep(1)


def main():
    seconds = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    tasks = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    spark = SparkSession.builder.appName("sleep").getOrCreate()
    context = spark.sparkContext
    start = time.monotonic()
    while (elapsed := time.monotonic() - start) < seconds and not os.path.exists(ENOUGH):
        print(f"Slept {elapsed:.0f} of {seconds} s", flush=True)
        count = tasks or context.defaultParallelism
        context.parallelize(range(count), count).foreach(nap)
    print(f"Slept {elapsed:.0f} of {seconds} s, done", flush=True)
    spark.stop()


if __name__ == "__main__":
    main()
