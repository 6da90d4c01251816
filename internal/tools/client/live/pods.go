// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package live

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/sparkgate/sparkgate/internal/job/namespacepolicy"
	"github.com/sparkgate/sparkgate/internal/job/pods/unmanaged"
	"github.com/sparkgate/sparkgate/internal/tools/client"
	"github.com/sparkgate/sparkgate/internal/tools/offline"
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/catalog"
)

// pods returns the unmanaged pods of guarded namespaces.
func (r *reader) pods(namespaces map[string]metav1.ObjectMeta) (found []*unmanaged.Pod) {
	var unread []string
	var why error
	for _, name := range slices.Sorted(maps.Keys(namespaces)) {
		meta := namespaces[name]
		if !namespacepolicy.Of(&meta).Guarded {
			continue
		}
		all, err := client.ListAll[corev1.Pod](r.ctx, r.cluster, client.Pods, client.Selection{Namespace: name, Labels: unmanaged.Selector})
		if err != nil {
			unread, why = append(unread, name), cmp.Or(why, err)
		}
		for i := range all {
			if pod := unmanaged.PodOf(&all[i]); pod != nil {
				found = append(found, pod)
			}
		}
	}
	if why != nil {
		r.without = append(r.without, fmt.Sprintf("The plan leaves out unmanaged pods of %s: %v", strings.Join(unread, ", "), why))
	}
	return found
}

// Pods returns what unmanaged pods hold and ask for, as an operator would decide that starts now and knows only the
// pods themselves. Pods that it would neither charge nor admit are left out.
func Pods(state *offline.Live, all []*unmanaged.Pod) []offline.Pod {
	c := &converter{state: state, queues: map[string]int{}, owners: make(map[types.UID]*unmanaged.Pod, len(all))}
	for i := range state.Queues {
		c.queues[state.Queues[i].Name] = i
	}
	for _, p := range all {
		c.owners[p.UID] = p
	}
	var pods []offline.Pod
	for _, p := range all {
		if pod, counts := c.podOf(p); counts {
			pods = append(pods, pod)
		}
	}
	return pods
}

// converter converts unmanaged pods to those of a plan.
type converter struct {
	state *offline.Live
	// queues are the indexes of the queues in state.Queues, by name.
	queues map[string]int
	owners map[types.UID]*unmanaged.Pod
}

// podOf converts a pod. It returns false if the pod neither holds quota nor waits for it.
func (c *converter) podOf(p *unmanaged.Pod) (offline.Pod, bool) {
	namespace := c.state.Namespaces[p.Namespace]
	namespace.Name = p.Namespace
	policy := namespacepolicy.Of(&namespace)
	placed := policy.Place(nil, namespacepolicy.Defaults{Gate: c.state.DefaultGate})
	owner := c.owners[types.UID(p.Owner)]
	if owner != nil && owner.Namespace != p.Namespace {
		owner = nil
	}
	switch {
	case !policy.Guarded || !catalog.Of(placed.Gate).Charges || !p.HoldsOrAwaitsQuota():
		return offline.Pod{}, false
	case p.SchedulingGate == nil:
		grant := p.Grant(string(placed.Gate), c.chargedTo(p, &namespace))
		ask := queueing.Ask{Key: p.Key(), Queue: grant.Queue, Priority: p.Priority, QueuedAt: p.QueuedAt(owner)}
		return offline.Pod{Ask: ask, Grant: &grant, Terminating: p.Deleting}, true
	}
	return offline.Pod{Ask: p.Ask(&namespace, p.QueuedAt(owner))}, p.Invalid == "" && policy.Queues.Allows(placed.Queue)
}

// chargedTo returns the queue that a running pod is charged to.
func (c *converter) chargedTo(p *unmanaged.Pod, namespace *metav1.ObjectMeta) string {
	if i, exists := c.queues[p.LabelledQueue(namespace)]; exists {
		return p.ChargedTo(namespace, &c.state.Queues[i])
	}
	return unmanaged.QueueOf(namespace)
}
