# Copyright 2026 The Sparkgate Authors.
# SPDX-License-Identifier: Apache-2.0
"""Starts a Spark session, then exits with a code: fail.py [exit code, default 7]."""

import sys

from pyspark.sql import SparkSession


def main():
    code = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    spark = SparkSession.builder.appName("fail").getOrCreate()
    print(f"Exiting with code {code}, as asked", flush=True)
    spark.stop()
    sys.exit(code)


if __name__ == "__main__":
    main()
