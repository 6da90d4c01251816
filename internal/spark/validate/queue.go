// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"github.com/sparkgate/sparkgate/internal/spark/conf"
)

// checkQueue compares queue.minExecutors with the number of executors.
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
