// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package render

import corev1 "k8s.io/api/core/v1"

// baseStep adds one kind of settings, for which Spark has no property, to a pod of either role.
type baseStep func(d *draft, in Input, r Role, parts Parts)

// baseSteps run in this order on the pod template of either role. The result takes the place of the template file that
// spark-submit would read for the driver, and is the template file for executors.
var baseSteps = []baseStep{
	addAttemptLabels,
	addEnvironment,
	addAccelerators,
	addVolumes,
	addFiles,
	addMetrics,
	addScheduling,
	addPlacement,
	addGate,
	addSecurity,
	addLastWords,
}

// basePod returns the pod from which Spark's own steps start.
func basePod(in Input, r Role) (draft, []error) {
	parts, errs := r.Decode()
	// Nothing else refers to the decoded template.
	d := draft{pod: &corev1.Pod{ObjectMeta: parts.Template.ObjectMeta, Spec: parts.Template.Spec}}
	d.takeContainer(r, in)
	for _, step := range baseSteps {
		step(&d, in, r, parts)
	}
	return d, errs
}
