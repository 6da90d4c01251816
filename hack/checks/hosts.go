// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package checks

// knownHosts are the hosts that may occur in a URL, including all their subdomains.
var knownHosts = []string{
	"apache.org",                               // Spark and the licence
	"apache.github.io", "volcano-sh.github.io", // the charts of YuniKorn and Volcano
	"argoproj.github.io", "argoproj.io",
	"fluxcd.io", "toolkit.fluxcd.io",
	"github.com",
	"go.dev",
	"k8s.io", "kubernetes.io", "sigs.k8s.io", "x-k8s.io",
	"sparkgate.io",
	"volcano.sh",
	"example.com", "example.org", "test", "invalid", // reserved, they exist nowhere
	"svc.cluster.local", "svc", "kubernetes.default.svc", // inside a cluster
}
