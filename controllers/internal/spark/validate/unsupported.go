// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/internal/spark/conf"
)

// checkQueue holds the queue's options against the executors.
func checkQueue(s *subject) []Finding {
	queue := s.spec.Queue
	if queue == nil || queue.MinExecutors == nil {
		return nil
	}
	gang, err := s.properties.Executors()
	switch {
	case err != nil || *queue.MinExecutors <= gang.Base:
		return nil
	case gang.Dynamic && *queue.MinExecutors <= gang.Most:
		return nil
	case gang.Dynamic:
		return []Finding{invalid("spec.queue.minExecutors", "value %d is above %d of %s: lower it, or raise the other",
			*queue.MinExecutors, gang.Most, s.properties.Field(conf.DynamicAllocationMax))}
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
	case "", v1alpha1.GateEmbedded, v1alpha1.GateNone, v1alpha1.GateVolcano, v1alpha1.GateYuniKorn:
	default:
		findings = append(findings, unsupported("spec.queue.gate", string(queue.Gate), "remove it, or set Embedded or None"))
	}
	return findings
}
