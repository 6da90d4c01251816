# Copyright 2026 The Sparkgate Authors.
# SPDX-License-Identifier: Apache-2.0
"""Estimates pi by throwing darts at a square: pi.py [slices]."""

import random
import sys

from pyspark.sql import SparkSession

DARTS_PER_SLICE = 100_000


def hits(slice_number):
    """Returns how many of the darts of one slice land inside the circle."""
    darts = random.Random(slice_number)
    return sum(darts.random() ** 2 + darts.random() ** 2 <= 1.0 for _ in range(DARTS_PER_SLICE))


def main():
    slices = int(sys.argv[1]) if len(sys.argv) > 1 else 2
    spark = SparkSession.builder.appName("pi").getOrCreate()
    inside = spark.sparkContext.parallelize(range(slices), slices).map(hits).sum()
    print(f"Pi is roughly {4.0 * inside / (slices * DARTS_PER_SLICE):f}", flush=True)
    spark.stop()


if __name__ == "__main__":
    main()
