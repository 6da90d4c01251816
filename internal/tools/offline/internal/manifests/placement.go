// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package manifests

import (
	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/namespacepolicy"
	"github.com/sparkgate/sparkgate/internal/spark/conf"
	"github.com/sparkgate/sparkgate/queueing/catalog"
)

// Placement returns gate and queue of an application if neither its namespace nor the operator have other defaults.
func Placement(app *v1alpha1.SparkApplication) namespacepolicy.Placement {
	return namespacepolicy.Policy{}.Place(app, namespacepolicy.Defaults{QueueLabel: func(gate v1alpha1.GateType) string { return catalog.Of(gate).QueueLabel }})
}

// SchedulingGated reports whether executors wait behind a scheduling gate: under dynamic allocation, if the gate supports
// grants that grow.
func SchedulingGated(gate v1alpha1.GateType, properties conf.Properties) bool {
	gang, err := properties.Executors()
	return err == nil && gang.Dynamic && catalog.Of(gate).Resizes
}
