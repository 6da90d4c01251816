// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package env

import (
	"os"
	"testing"

	"github.com/sparkgate/sparkgate/test/systems"
)

// One instance of each system, shared by all tests that run at the same time.
var (
	kueue = systems.Shared{Make: func() (*systems.System, error) {
		return systems.NewKueue(Cluster(), systems.KueueSettings{})
	}}
	volcano = systems.Shared{Make: func() (*systems.System, error) {
		return systems.NewVolcano(Cluster(), systems.VolcanoSettings{})
	}}
	yunikorn = systems.Shared{Make: func() (*systems.System, error) {
		return systems.NewYuniKorn(Cluster(), systems.YuniKornSettings{})
	}}
)

// Cluster returns the cluster as a batch scheduler sees it.
func Cluster() systems.Cluster {
	return systems.Cluster{Config: Config(), Kubeconfig: os.Getenv("KUBECONFIG"), Root: cluster.root}
}

// Kueue runs the real Kueue on the node during the test. Call it before New: a namespace has to be cleaned up before
// Kueue stops, while its webhooks answer. What is installed stays.
func Kueue(t *testing.T) *systems.System {
	t.Helper()
	return kueue.Use(t)
}

// Volcano runs Volcano's scheduler and controllers on the node during the test, like Kueue.
func Volcano(t *testing.T) *systems.System {
	t.Helper()
	return volcano.Use(t)
}

// YuniKorn runs YuniKorn's scheduler on the node during the test, like Kueue.
func YuniKorn(t *testing.T) *systems.System {
	t.Helper()
	return yunikorn.Use(t)
}
