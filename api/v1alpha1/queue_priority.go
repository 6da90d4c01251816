// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"fmt"
	"slices"
	"strings"
)

// systemClasses begins the names of Kubernetes' own PriorityClasses; the API server refuses others with it.
const systemClasses = "system-"

// AllowsPriorityClass reports whether applications of the queue may name a PriorityClass. Without a list, or without a
// queue (nil), they may name all but Kubernetes' own; an empty list allows none.
func (s *SparkQueueSpec) AllowsPriorityClass(class string) bool {
	if s == nil || s.PriorityClassNames == nil {
		return !strings.HasPrefix(class, systemClasses)
	}
	return slices.Contains(s.PriorityClassNames, class)
}

// PriorityClassRefusal says that a PriorityClass, named in a field, is not allowed in the queue of that name. The spec is
// nil where there is no queue.
func (s *SparkQueueSpec) PriorityClassRefusal(class, field, queue string) string {
	where := ""
	if s != nil {
		where = " in queue " + queue
	}
	return fmt.Sprintf("%s: priority class %q is not allowed%s: %s", field, class, where, s.PriorityClassRemedy(queue))
}

// PriorityClassRemedy returns what to do about a PriorityClass that the queue of that name does not allow. The spec is
// nil where there is no queue.
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
