// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package usage

import (
	"cmp"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/queueing/catalog"
)

// QueueOf returns the queue that the current attempt is charged to. For a gate without SparkQueues the name is prefixed
// with that of the gate, such as Kueue/jobs: users may give such a queue the name of any SparkQueue, whose team must
// not be charged.
func QueueOf(s *v1alpha1.SparkApplicationStatus) string {
	if s.Grant == nil {
		return s.Queue
	}
	queue := cmp.Or(s.Grant.Queue, s.Queue)
	if queue == "" || s.Grant.Gate == "" || catalog.Of(s.Grant.Gate).SparkQueues {
		return queue
	}
	return string(s.Grant.Gate) + "/" + queue
}
