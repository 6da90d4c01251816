// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package deviations

// SubmissionHost are intended differences that come from the machine on which spark-submit runs: its user,
// its environment variables and its folders. An application has none of these, so they occur only when a spark-submit
// command is translated.
var SubmissionHost = []Deviation{
	{
		Where:  []string{"pod spec containers * env SPARK_USER* value"},
		Reason: "there is no submitting user: pods run as the user spark, unless spec.driver.env or spark.kubernetes.driverEnv.SPARK_USER names another one",
	},
	{
		Variable: "HADOOP_CONF_DIR",
		Where: []string{
			"properties spark.kubernetes.hadoop.configMapName", "properties spark.kubernetes.executor.hadoopConfigMapName",
			"pod spec volumes hadoop-properties", "other configmap",
		},
		Reason: "the files of the folder belong in a ConfigMap that the user creates and spec.hadoopConfigMap names; spark-submit creates one itself",
	},
	{
		Variable: "SPARK_LOCAL_DIRS",
		Where:    []string{"properties spark.local.dir"},
		Reason:   "spark-submit gives the driver the folders of its own machine; here a property has to name them",
	},
	{
		Variable: "PYSPARK_PYTHON",
		Where:    []string{"properties spark.pyspark.python"},
		Reason:   "spark-submit gives the driver the interpreter of its own machine; here a property has to name it",
	},
	{
		Variable: "PYSPARK_DRIVER_PYTHON",
		Where:    []string{"properties spark.pyspark.driver.python"},
		Reason:   "spark-submit gives the driver the interpreter of its own machine; here a property has to name it",
	},
}
