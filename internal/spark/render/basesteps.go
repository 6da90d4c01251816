// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package render

import corev1 "k8s.io/api/core/v1"

// baseStep puts one kind of things that have no property of Spark into a pod of either role.
type baseStep func(d *draft, in Input, r Role, parts Parts)

// baseSteps run in this order on the pod template of either role. What they leave is to the driver what a template file
// is to spark-submit, and to executors it is that file.
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
}

// base returns the pod that Spark's own steps start from.
func base(in Input, r Role) (draft, []error) {
	parts, errs := r.Decode()
	d := draft{pod: &corev1.Pod{ObjectMeta: parts.Template.ObjectMeta, Spec: parts.Template.Spec}} // nothing else refers to what was decoded
	d.takeContainer(r, in)
	for _, step := range baseSteps {
		step(&d, in, r, parts)
	}
	return d, errs
}
