// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package validate

import "testing"

func TestTimeouts(t *testing.T) {
	t.Parallel()
	table{
		"no time to run": {"timeouts: {run: 0s, termination: 0s, total: 1h}", []string{
			`spec.timeouts.run: value "0s" leaves no time: set more, or remove it for the default`,
		}},
		"nor to start": {"timeouts: {admission: 0s, driverStart: 0m, executorStart: 0ms, total: 0h}", []string{
			`spec.timeouts.admission: value "0s" leaves no time: set more, or remove it for the default`,
			`spec.timeouts.driverStart: value "0s" leaves no time: set more, or remove it for the default`,
			`spec.timeouts.executorStart: value "0s" leaves no time: set more, or remove it for the default`,
			`spec.timeouts.total: value "0s" leaves no time: set more, or remove it for the default`,
		}},
		"idle, and no server": {"timeouts: {idle: 1h}", []string{
			`spec.timeouts.idle: only a server is idle between the queries of its clients: remove it, or set server to run one`,
		}},
		"idle for a moment": {"{mainClass: '', mainApplicationFile: '', server: {type: Connect}, timeouts: {idle: 30s}}", []string{
			`spec.timeouts.idle: value "30s" is shorter than a minute: set at least 1m, or remove it`,
		}},
		"idle, and nobody can tell": {"{mainClass: '', mainApplicationFile: '', server: {type: Connect}, timeouts: {idle: 30m}, sparkConf: {spark.ui.enabled: 'false'}}", []string{
			`spec.timeouts.idle: the driver is asked through its web interface, which spec.sparkConf[spark.ui.enabled] switches off: remove one`,
		}},
		"enough": {"timeouts: {run: 1ms, termination: 0s}", nil},
	}.run(t)
}
