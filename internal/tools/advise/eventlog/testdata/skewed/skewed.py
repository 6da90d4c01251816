# Copyright 2026 The Sparkgate Authors.
# SPDX-License-Identifier: Apache-2.0

from pyspark.sql import SparkSession, functions as f

spark = SparkSession.builder.appName("skewed").getOrCreate()
rows = spark.range(0, 3_000_000, numPartitions=8).withColumn(
    "key", f.when(f.col("id") % 10 < 7, f.lit(0)).otherwise(f.col("id") % 40)
).withColumn("text", f.concat(f.sha2(f.col("id").cast("string"), 256), f.lit("-row")))
print(rows.repartition(8, "key").sortWithinPartitions("text").select(f.sum(f.length("text"))).collect())
print(spark.sparkContext.parallelize(range(1000), 4).map(lambda n: n * n).sum())
spark.stop()
