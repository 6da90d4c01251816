// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package io.sparkgate.examples;

import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;

/** Estimates pi by throwing darts at a square. Argument: the number of slices (default 2). */
public final class SparkPi {
    private static final int DARTS_PER_SLICE = 100_000;

    private SparkPi() {}

    public static void main(String[] args) {
        int slices = args.length > 0 ? Integer.parseInt(args[0]) : 2;
        SparkSession spark = SparkSession.builder().appName("spark-pi").getOrCreate();
        JavaSparkContext context = new JavaSparkContext(spark.sparkContext());
        List<Integer> seeds = IntStream.range(0, slices).boxed().collect(Collectors.toList());
        long inside = context.parallelize(seeds, slices).map(SparkPi::hits).reduce(Long::sum);
        System.out.printf(Locale.ROOT, "Pi is roughly %f%n", 4.0 * inside / ((double) slices * DARTS_PER_SLICE));
        spark.stop();
    }

    private static long hits(int seed) {
        SplittableRandom darts = new SplittableRandom(seed);
        long inside = 0;
        for (int i = 0; i < DARTS_PER_SLICE; i++) {
            double x = darts.nextDouble();
            double y = darts.nextDouble();
            if (x * x + y * y <= 1.0) {
                inside++;
            }
        }
        return inside;
    }
}
