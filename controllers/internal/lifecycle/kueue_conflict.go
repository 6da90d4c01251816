// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"fmt"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/internal/pods"
)

func takenMessage(driver *pods.Record) string {
	return fmt.Sprintf("Kueue's pod integration has gated driver pod %s with %s and would charge it a second time: take the namespace out of "+
		"managedJobsNamespaceSelector in Kueue's configuration, or name SparkApplication.v1alpha1.sparkgate.io in integrations.externalFrameworks "+
		"and label the application %s; then run again", driver.Name, v1alpha1.KueuePodGate, v1alpha1.KueueQueueLabel)
}
