// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	explainv1 "github.com/sparkgate/sparkgate/api/explain/v1"
	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/amounts"
	"github.com/sparkgate/sparkgate/queueing/embedded/config"
	"github.com/sparkgate/sparkgate/queueing/embedded/explain"
	"github.com/sparkgate/sparkgate/queueing/quota"
)

// Explanation converts the live view of an application.
func Explanation(x explain.Explanation) explainv1.Application {
	out := explainv1.Application{Queue: x.Queue, State: explainv1.State(x.State.String()), Reason: x.Reason, Message: x.Message}
	if x.Pending != nil {
		out.Waits = waitOf(x.Pending)
	}
	if x.Holding != nil {
		out.Holds = holdOf(x.Holding)
	}
	return out
}

func waitOf(w *explain.PendingAsk) *explainv1.Wait {
	since := metav1.NewTime(w.QueuedAt)
	out := &explainv1.Wait{
		Run: w.Run, Attempt: w.Attempt, Priority: w.Priority, Since: &since, Position: w.Position, InLine: w.InLine,
		Ahead: headsOf(w.Ahead, w.Position-len(w.Ahead)), ReservedFor: headsOf(w.ReservedFor, 0), Remedies: w.Remedies,
	}
	for _, p := range w.PodSets {
		set := explainv1.PodSet{Name: p.Name, Count: p.Count, Requests: quantitiesOf(p.Requests)}
		if p.Least() < p.Count {
			set.MinCount = p.Least()
		}
		out.PodSets = append(out.PodSets, set)
	}
	for i := range w.Needs {
		out.Needs = append(out.Needs, needOf(&w.Needs[i]))
	}
	return out
}

func needOf(n *explain.Need) explainv1.Need {
	out := explainv1.Need{
		Resource: n.Resource, Flavor: n.Flavor, Required: amounts.Quantity(n.Resource, n.Need),
		Available: limited(n.Resource, n.Available), Max: limited(n.Resource, n.Most),
	}
	if n.Missing > 0 {
		out.Missing = limited(n.Resource, n.Missing)
	}
	for _, o := range n.BlockedBy {
		out.BlockedBy = append(out.BlockedBy, explainv1.BlockingLimit{
			Queue: o.Queue, Used: amounts.Quantity(n.Resource, o.Used), Limit: amounts.Quantity(n.Resource, o.Limit), Missing: amounts.Quantity(n.Resource, o.Missing),
		})
	}
	return out
}

func holdOf(h *explain.HeldGrant) *explainv1.Hold {
	out := &explainv1.Hold{Run: h.Run, Attempt: h.Attempt, Priority: h.Priority, Terminating: h.Terminating}
	for _, p := range h.PodSets {
		out.PodSets = append(out.PodSets, explainv1.PodSet{Name: p.Name, Count: p.Count, Elastic: p.Elastic, Flavor: p.Flavor, Requests: quantitiesOf(p.Requests)})
	}
	if out.SchedulingGated = h.Wants; out.SchedulingGated > 0 {
		out.SchedulingGatedMessage = h.Why
	}
	for _, g := range h.Reclaims {
		out.Reclaims = append(out.Reclaims, explainv1.Reclaim{Flavor: g.Flavor, Count: g.Count, Message: g.Why.Message})
	}
	if w := h.Eviction; w != nil {
		out.Eviction = &explainv1.Eviction{Reason: w.Reason, Message: w.Message}
	}
	return out
}

// headsOf converts heads. It counts positions from first; 0 means no positions.
func headsOf(heads []explain.Head, first int) []explainv1.Head {
	var out []explainv1.Head
	for i, h := range heads {
		head := explainv1.Head{Kind: h.Key.Kind, Namespace: h.Key.Namespace, Name: h.Key.Name, Priority: h.Priority}
		if first > 0 {
			head.Position = first + i
		}
		out = append(out, head)
	}
	return out
}

// limited returns an amount, or nil if it is unlimited.
func limited(name string, amount int64) *resource.Quantity {
	if amount == quota.Unlimited {
		return nil
	}
	q := amounts.Quantity(name, amount)
	return &q
}

func quantitiesOf(r queueing.Resources) map[string]resource.Quantity {
	out := make(map[string]resource.Quantity, len(r))
	for name, amount := range r {
		out[name] = amounts.Quantity(name, amount)
	}
	return out
}

// QueueExplanation converts the live view of a queue.
func QueueExplanation(x explain.QueueExplanation) explainv1.Queue {
	out := explainv1.Queue{
		Name: x.Name, Parent: x.Parent, Root: x.Root, Leaf: x.Leaf, StoppedBy: x.StoppedBy, Drained: x.Stop == config.StopHoldAndDrain, AtMaxRunning: x.AtMaxRunning,
		Pending: x.Pending, Admitted: x.Admitted, Heads: headsOf(x.Heads, 1), ReservedFor: headsOf(x.ReservedFor, 1),
	}
	out.Problem, out.Message = QueueProblem(&x.QueueState)
	for i, u := range x.Usage {
		usage := QueueUsage(u)
		out.Usage = append(out.Usage, explainv1.Usage{
			Resource: u.Resource, Flavor: u.Flavor, Used: usage.Used, Nominal: usage.Nominal, Borrowed: usage.Borrowed, Reserved: usage.Reserved,
			Available: limited(u.Resource, x.Headroom[i].Available), Max: limited(u.Resource, x.Headroom[i].Most),
		})
	}
	return out
}

// QueueProblem returns why a queue does not admit as it is configured, as reason and message; empty if it does.
func QueueProblem(s *explain.QueueState) (reason, message string) {
	if s.Problem == "" && len(s.MissingFlavors) > 0 {
		return v1alpha1.FlavorNotFoundReason, flavorNotFound(s)
	}
	return s.Problem, s.Message
}

// flavorNotFound says which flavors of a queue do not exist, and what follows for its applications, and for those of
// queues below it that name no flavors and so use its flavors.
func flavorNotFound(s *explain.QueueState) string {
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

// QueueUsage converts what a queue uses.
func QueueUsage(u explain.Usage) v1alpha1.QueueUsage {
	out := v1alpha1.QueueUsage{Flavor: u.Flavor, Resource: u.Resource, Used: amounts.Quantity(u.Resource, u.Used)}
	out.Nominal = limited(u.Resource, u.Nominal)
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
