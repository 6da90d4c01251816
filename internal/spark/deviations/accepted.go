// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package deviations

// Accepted are configurations that spark-submit refuses on its own machine but that work with Sparkgate.
// Where has words from its message.
var Accepted = []Deviation{
	{
		Where: []string{
			"S3AFileSystem not found", "No FileSystem for scheme", "UnknownHostException",
		},
		Reason: "spark-submit reads remote files of the job, for which it needs libraries and network access; here only the driver does",
	},
	{
		Where:  []string{"from String \"0o"},
		Reason: "Spark 3.5 does not understand the mode 0o644 in a template, which is the notation of YAML 1.2",
	},
}
