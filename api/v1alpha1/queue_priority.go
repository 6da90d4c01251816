// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"fmt"
	"slices"
	"strings"
)

// systemClasses is the prefix of Kubernetes' own PriorityClasses. The API server refuses others with it.
const systemClasses = "system-"

// AllowsPriorityClass reports whether applications of the queue may use a PriorityClass. Without a list, or without a
// queue (s is nil), they may use all but Kubernetes' own. An empty list allows none.
func (s *SparkQueueSpec) AllowsPriorityClass(class string) bool {
	if s == nil || s.PriorityClassNames == nil {
		return !strings.HasPrefix(class, systemClasses)
	}
	return slices.Contains(s.PriorityClassNames, class)
}

// PriorityClassRefusal returns the message that a PriorityClass in a field is not allowed in the queue of that name. s
// is nil if there is no queue.
func (s *SparkQueueSpec) PriorityClassRefusal(class, field, queue string) string {
	where := ""
	if s != nil {
		where = " in queue " + queue
	}
	return fmt.Sprintf("%s: priority class %q is not allowed%s: %s", field, class, where, s.PriorityClassRemedy(queue))
}

// PriorityClassRemedy returns what to do about a PriorityClass that the queue of that name does not allow. s is nil if
// there is no queue.
func (s *SparkQueueSpec) PriorityClassRemedy(queue string) string {
	switch {
	case s == nil:
		return fmt.Sprintf("use one that does not begin with %q, or remove it", systemClasses)
	case len(s.PriorityClassNames) > 0:
		return fmt.Sprintf("use one of %q, or have an administrator add it to spec.priorityClassNames of queue %s", strings.Join(s.PriorityClassNames, ", "), queue)
	case s.PriorityClassNames == nil:
		return fmt.Sprintf("use one that does not begin with %q, or have an administrator list it in spec.priorityClassNames of queue %s", systemClasses, queue)
	}
	return "remove it, or use another queue; spec.priorityClassNames of queue " + queue + " is empty"
}
