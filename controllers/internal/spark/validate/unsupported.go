// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// checkQueue holds the queue's options against the executors.
func checkQueue(s *subject) []Finding {
	queue := s.spec.Queue
	if queue == nil || queue.MinExecutors == nil {
		return nil
	}
	gang, err := s.properties.Executors()
	if err != nil || gang.Dynamic || *queue.MinExecutors <= gang.Base {
		return nil
	}
	return []Finding{invalid("spec.queue.minExecutors", "value %d is above the %d executors of the job: lower it, or raise spec.executor.instances",
		*queue.MinExecutors, gang.Base)}
}

// checkUnsupportedQueue reports gates and options of the queue.
func checkUnsupportedQueue(s *subject) []Finding {
	queue := s.spec.Queue
	if queue == nil {
		return nil
	}
	var findings []Finding
	switch queue.Gate {
	case "", v1alpha1.GateEmbedded, v1alpha1.GateNone:
	default:
		findings = append(findings, unsupported("spec.queue.gate", string(queue.Gate), "remove it, or set Embedded or None"))
	}
	if queue.Volcano != nil && queue.Volcano.WaitForInqueue != nil && !*queue.Volcano.WaitForInqueue {
		findings = append(findings, unsupported("spec.queue.volcano.waitForInqueue", false, "remove it"))
	}
	if gang, err := s.properties.Executors(); err == nil && gang.Dynamic && queue.MinExecutors != nil && *queue.MinExecutors < gang.Most {
		findings = append(findings, unsupported("spec.queue.minExecutors", *queue.MinExecutors,
			"remove it: with dynamic allocation, the queue has to hold dynamicAllocation.maxExecutors"))
	}
	return findings
}
