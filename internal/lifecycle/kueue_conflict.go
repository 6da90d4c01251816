// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"fmt"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/pods"
	"github.com/sparkgate/sparkgate/queueing/catalog"
)

// gatedByKueue reports whether Kueue has put a driver behind a scheduling gate of its own although the attempt holds
// quota of Kueue already: Kueue's pod integration takes pods as jobs, would charge the driver again, and may never
// ungate it.
func gatedByKueue(driver *pods.Record, grant *v1alpha1.Grant) bool {
	return driver != nil && driver.KueueSchedulingGated && grant != nil && catalog.Of(grant.Gate).PodIntegration
}

func kueueConflictMessage(driver *pods.Record) string {
	return fmt.Sprintf("Kueue's pod integration has gated driver pod %s with %s and would charge it a second time: exclude the namespace in "+
		"managedJobsNamespaceSelector of Kueue's configuration, or list SparkApplication.v1alpha1.sparkgate.io in its integrations.externalFrameworks "+
		"and set the label %s on the application; then change spec.runID to run again", driver.Name, v1alpha1.KueueSchedulingGate, v1alpha1.KueueQueueLabel)
}
