// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"slices"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/queueing"
)

// entry is one gate.
type entry struct {
	name v1alpha1.GateType
	queueing.Capabilities
}

// gates lists the gates in the order in which users read about them.
var gates = []entry{
	{v1alpha1.GateEmbedded, queueing.Capabilities{Queues: true, SparkQueues: true, Charges: true, Resizes: true}},
	{v1alpha1.GateKueue, queueing.Capabilities{
		Queues: true, Resizes: true, DescribesPods: true, QueueLabel: v1alpha1.KueueQueueLabel, OwnFlavors: true, PodIntegration: true, ShowsProgress: true,
		UnreadLabels: map[string]string{
			"kueue.x-k8s.io/priority-class":        "spec.queue.priorityClassName",
			"kueue.x-k8s.io/max-exec-time-seconds": "spec.timeouts.run",
		},
	}},
	{v1alpha1.GateVolcano, queueing.Capabilities{Queues: true, DescribesPods: true, LeavesRest: true, Scheduler: "volcano"}},
	{v1alpha1.GateYuniKorn, queueing.Capabilities{Queues: true, DescribesPods: true, LeavesRest: true, Scheduler: "yunikorn"}},
	{v1alpha1.GateNone, queueing.Capabilities{}},
}

// Of returns the capabilities of a gate. A gate unknown to this version counts as one with queues, so that what it
// holds is not taken for free.
func Of(gate v1alpha1.GateType) queueing.Capabilities {
	if i := slices.IndexFunc(gates, func(e entry) bool { return e.name == gate }); i >= 0 {
		return gates[i].Capabilities
	}
	return queueing.Capabilities{Queues: true}
}

// Names returns the gates whose capabilities satisfy wanted.
func Names(wanted func(queueing.Capabilities) bool) []v1alpha1.GateType {
	var names []v1alpha1.GateType
	for _, e := range gates {
		if wanted(e.Capabilities) {
			names = append(names, e.name)
		}
	}
	return names
}

// WithQueues returns the gates that hold grants in a queue. These may be used unless an administrator says otherwise.
func WithQueues() []v1alpha1.GateType {
	return Names(func(c queueing.Capabilities) bool { return c.Queues })
}
