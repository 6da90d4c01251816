// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/queue"
	"github.com/sparkgate/sparkgate/queueing/convert"
	"github.com/sparkgate/sparkgate/queueing/embedded/config"
	"github.com/sparkgate/sparkgate/queueing/embedded/gate"
)

// queueEngine converts the embedded queue's state to API types for the controller of SparkQueues.
type queueEngine struct{ gate *gate.Gate }

func (e queueEngine) Reload(ctx context.Context) error { return e.gate.Reload(ctx) }

func (e queueEngine) Names() []string { return e.gate.View().Names() }

func (e queueEngine) WriteCounts(name string) bool { return e.gate.WriteCounts(name) }

func (e queueEngine) State(name string) (queue.State, bool) {
	s, known := e.gate.View().State(name)
	if !known {
		return queue.State{}, false
	}
	problem, message := convert.QueueProblem(&s)
	out := queue.State{Problem: problem, Message: message, Inner: !s.Leaf, StoppedBy: s.StoppedBy, Drained: s.Stop == config.StopHoldAndDrain,
		Pending: s.Pending, Admitted: s.Admitted, Waiting: s.Waiting, Share: s.Share}
	if s.ElasticPods > 0 || s.WantedPods > 0 {
		out.Elastic = &v1alpha1.ElasticUsage{Granted: s.ElasticPods, Waiting: s.WantedPods}
	}
	if pods, some := s.Kinds[v1alpha1.PodKind]; some {
		out.UnmanagedPods = &v1alpha1.UnmanagedPods{Pending: pods.Pending, Admitted: pods.Admitted}
	}
	for _, u := range s.Usage {
		out.Usage = append(out.Usage, convert.QueueUsage(u))
	}
	for i, h := range s.Heads {
		out.Heads = append(out.Heads, v1alpha1.QueueHead{
			Position: int32(i + 1), Kind: h.Key.Kind, Namespace: h.Key.Namespace, Name: h.Key.Name, Priority: h.Priority,
		})
	}
	return out, true
}
