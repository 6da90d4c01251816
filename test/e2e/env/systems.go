// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package env

import (
	"os"
	"testing"

	"github.com/sparkgate/sparkgate/test/systems"
)

// One of each for all tests that run at the same time.
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

// Cluster is the cluster as a batch scheduler sees it.
func Cluster() systems.Cluster {
	return systems.Cluster{Config: Config(), Kubeconfig: os.Getenv("KUBECONFIG"), Root: cluster.root}
}

// Kueue has the real Kueue run on the node while the test does. Ask for it before New: a namespace is cleared before Kueue stops, while its
// webhooks answer. What is installed stays.
func Kueue(t *testing.T) *systems.System {
	t.Helper()
	return kueue.Use(t)
}

// Volcano has Volcano's scheduler and controllers run on the node while the test does, as Kueue.
func Volcano(t *testing.T) *systems.System {
	t.Helper()
	return volcano.Use(t)
}

// YuniKorn has YuniKorn's scheduler run on the node while the test does, as Kueue.
func YuniKorn(t *testing.T) *systems.System {
	t.Helper()
	return yunikorn.Use(t)
}
