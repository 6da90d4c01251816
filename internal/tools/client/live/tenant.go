// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package live

import (
	"context"
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/tools/client"
	"github.com/sparkgate/sparkgate/internal/tools/offline"
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/amounts"
)

// applications reads the applications of all namespaces. For a user who may not list those of others, it reads those of
// one namespace, and what the others hold becomes one holder for each queue.
func (r *reader) applications(ctx context.Context, state *offline.Live) (err error) {
	state.Applications, err = client.ListAll[v1alpha1.SparkApplication](ctx, r.cluster, client.Applications, client.Selection{})
	if !client.IsForbidden(err) {
		return err
	}
	r.only = r.cluster.Namespace
	if state.Applications, err = client.ListAll[v1alpha1.SparkApplication](ctx, r.cluster, client.Applications, client.Selection{Namespace: r.only}); err != nil {
		return err
	}
	r.without = append(r.without, fmt.Sprintf("The plan knows the applications of namespace %s only. The quota that others hold counts as in use, and none of them waits.", r.only))
	state.Pods = others(state)
	if namespace, err := client.GetObject[corev1.Namespace](ctx, r.cluster, client.Namespaces, r.only); err == nil {
		state.Namespaces[r.only] = namespace.ObjectMeta
	}
	return nil
}

// others returns a holder for each queue that holds what its status counts beyond the applications in state.
func others(state *offline.Live) (holders []offline.Pod) {
	for i := range state.Queues {
		q := &state.Queues[i]
		if slices.ContainsFunc(state.Queues, func(below v1alpha1.SparkQueue) bool { return below.Spec.Parent == q.Name }) {
			continue // its usage is that of the queues below it
		}
		grant := queueing.Grant{Gate: string(v1alpha1.GateEmbedded), Queue: q.Name}
		left := heldByOthers(q, state.Applications)
		for _, flavor := range slices.Sorted(maps.Keys(left)) {
			grant.PodSets = append(grant.PodSets, queueing.PodSetGrant{Name: flavor, Flavor: flavor, Count: 1, Requests: left[flavor]})
		}
		if len(grant.PodSets) > 0 {
			ask := queueing.Ask{Key: queueing.Key{Kind: "Others", Name: q.Name}, Queue: q.Name}
			holders = append(holders, offline.Pod{Ask: ask, Grant: &grant})
		}
	}
	return holders
}

// heldByOthers returns what a queue has in use beyond the grants of some applications, by flavor.
func heldByOthers(q *v1alpha1.SparkQueue, known []v1alpha1.SparkApplication) map[string]queueing.Resources {
	left := map[string]queueing.Resources{}
	for _, u := range q.Status.Usage {
		if left[u.Flavor] == nil {
			left[u.Flavor] = queueing.Resources{}
		}
		left[u.Flavor][u.Resource] = amounts.Clamp(u.Resource, u.Used)
	}
	for i := range known {
		g := known[i].Status.Grant
		if g == nil || g.Queue != q.Name {
			continue
		}
		for _, set := range g.PodSets {
			for name, request := range amounts.ClampAll(set.Requests) {
				if of := left[set.Flavor]; of != nil {
					of[name] = max(0, of[name]-amounts.Times(set.Count, request))
				}
			}
		}
	}
	return left
}
