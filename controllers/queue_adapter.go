// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/queue"
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/amounts"
	"github.com/sparkgate/sparkgate/queueing/embedded"
	"github.com/sparkgate/sparkgate/queueing/embedded/gate"
	"github.com/sparkgate/sparkgate/queueing/quota"
)

// queueEngine converts the embedded queue's state to API types for the controller of SparkQueues.
type queueEngine struct{ gate *gate.Gate }

func (e queueEngine) Reload(ctx context.Context) error { return e.gate.Reload(ctx) }

func (e queueEngine) Names() []string { return e.gate.Names() }

func (e queueEngine) WriteCounts(name string) bool { return e.gate.WriteCounts(name) }

func (e queueEngine) State(name string) (queue.State, bool) {
	s, known := e.gate.State(name)
	if !known {
		return queue.State{}, false
	}
	out := queue.State{Problem: s.Problem, Message: s.Message, Inner: !s.Leaf, StoppedBy: s.StoppedBy, Drained: s.Stop == embedded.StopHoldAndDrain,
		Pending: s.Pending, Admitted: s.Admitted, Waiting: s.Waiting, Share: s.Share}
	if s.ElasticPods > 0 || s.WantedPods > 0 {
		out.Elastic = &v1alpha1.ElasticUsage{Granted: s.ElasticPods, Waiting: s.WantedPods}
	}
	if s.Problem == "" && len(s.MissingFlavors) > 0 {
		out.Problem, out.Message = v1alpha1.FlavorNotFoundReason, flavorNotFound(&s)
	}
	if s.Pods.Pending > 0 || s.Pods.Admitted > 0 {
		out.UnmanagedPods = &v1alpha1.UnmanagedPods{Pending: s.Pods.Pending, Admitted: s.Pods.Admitted}
	}
	for _, u := range s.Usage {
		out.Usage = append(out.Usage, usageOf(u))
	}
	for i, h := range s.Heads {
		head := v1alpha1.QueueHead{Position: int32(i + 1), Namespace: h.Key.Namespace, Name: h.Key.Name, Priority: h.Priority}
		if h.Key.Kind == queueing.Pod {
			head.Kind = v1alpha1.PodHead
		}
		out.Heads = append(out.Heads, head)
	}
	return out, true
}

// flavorNotFound says which flavors of a queue do not exist, and what follows for its applications, and for those of
// queues below it that name no flavors and so use its flavors.
func flavorNotFound(s *embedded.QueueState) string {
	meanwhile := "meanwhile pods are placed in the other flavors"
	switch {
	case s.AllMissing && s.Leaf:
		meanwhile = "until then nothing is admitted"
	case s.AllMissing:
		meanwhile = "until then queues below it that name no flavors admit nothing"
	}
	field := "spec.flavors"
	if s.FlavorsOf != s.Name {
		field = fmt.Sprintf("spec.flavors of queue %s above it", s.FlavorsOf)
	}
	if len(s.MissingFlavors) == 1 {
		return fmt.Sprintf("flavor %s does not exist: apply a SparkFlavor of that name, or remove it from %s; %s", s.MissingFlavors[0], field, meanwhile)
	}
	return fmt.Sprintf("flavors %s do not exist: apply SparkFlavors of these names, or remove them from %s; %s",
		strings.Join(s.MissingFlavors, ", "), field, meanwhile)
}

func usageOf(u embedded.Usage) v1alpha1.QueueUsage {
	out := v1alpha1.QueueUsage{Flavor: u.Flavor, Resource: u.Resource, Used: amounts.Quantity(u.Resource, u.Used)}
	if u.Nominal != quota.Unlimited {
		nominal := amounts.Quantity(u.Resource, u.Nominal)
		out.Nominal = &nominal
	}
	out.Borrowed, out.Lent, out.Reserved = some(u.Resource, u.Borrowed), some(u.Resource, u.Lent), some(u.Resource, u.Reserved)
	return out
}

// some returns an amount of a resource, or nil if it is not positive.
func some(name string, amount int64) *resource.Quantity {
	if amount <= 0 {
		return nil
	}
	q := amounts.Quantity(name, amount)
	return &q
}
