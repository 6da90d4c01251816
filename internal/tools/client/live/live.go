// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package live

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/spark/podsets"
	"github.com/sparkgate/sparkgate/internal/tools/client"
	"github.com/sparkgate/sparkgate/internal/tools/offline"
)

// Options select what is read.
type Options struct {
	// Now is the time of the plan.
	Now time.Time
	// Schedules reports that schedules are read as well, which plans with deletions need.
	Schedules bool
	// DefaultGate is the operator's default gate. Default: Embedded.
	DefaultGate v1alpha1.GateType
}

// Read reads the state of the cluster that a plan needs. Queues, flavors and the applications of the namespace of c have
// to be readable; without has a sentence about everything else that the user may not read and the plan therefore leaves
// out.
func Read(ctx context.Context, c *client.Cluster, o Options) (state offline.Live, without []string, err error) {
	state = offline.Live{
		Namespaces: map[string]metav1.ObjectMeta{}, Priorities: map[string]int32{}, RuntimeClasses: map[string]corev1.ResourceList{}, Now: o.Now, DefaultGate: o.DefaultGate,
	}
	if state.Queues, err = client.ListAll[v1alpha1.SparkQueue](ctx, c, client.Queues, client.Selection{}); err != nil {
		return state, nil, err
	}
	if state.Flavors, err = client.ListAll[v1alpha1.SparkFlavor](ctx, c, client.Flavors, client.Selection{}); err != nil {
		return state, nil, err
	}
	r := reader{ctx: ctx, cluster: c}
	if err := r.applications(ctx, &state); err != nil {
		return state, nil, err
	}
	if o.Schedules {
		if state.Schedules, err = client.ListAll[v1alpha1.ScheduledSparkApplication](ctx, c, client.Schedules, client.Selection{Namespace: r.only}); err != nil {
			return state, nil, err
		}
	}
	if r.only == "" {
		each(&r, client.Namespaces, func(n *corev1.Namespace) { state.Namespaces[n.Name] = n.ObjectMeta })
	}
	each(&r, client.LimitRanges, func(l *corev1.LimitRange) { state.LimitRanges = append(state.LimitRanges, *l) })
	each(&r, client.Quotas, func(q *corev1.ResourceQuota) {
		if l, demands := podsets.OfQuota(q); demands {
			state.LimitRanges = append(state.LimitRanges, l)
		}
	})
	each(&r, client.PriorityClasses, func(p *schedulingv1.PriorityClass) {
		state.Priorities[p.Name] = p.Value
		if p.GlobalDefault {
			state.DefaultClass, state.DefaultPriority = p.Name, p.Value
		}
	})
	each(&r, client.RuntimeClasses, func(c *nodev1.RuntimeClass) {
		if c.Overhead != nil {
			state.RuntimeClasses[c.Name] = c.Overhead.PodFixed
		}
	})
	if r.only == "" {
		state.Pods = Pods(&state, r.pods(state.Namespaces))
	}
	return state, r.without, nil
}

// reader reads the parts that a plan can do without.
type reader struct {
	ctx     context.Context
	cluster *client.Cluster
	without []string
	// only is the namespace whose objects are read, for a user who may not read others; empty for all.
	only string
}

// each calls see with all objects of a kind, or notes that the user may not list them.
func each[T any](r *reader, kind client.Kind, see func(*T)) {
	all, err := client.ListAll[T](r.ctx, r.cluster, kind, client.Selection{Namespace: r.only})
	if err != nil {
		r.without = append(r.without, fmt.Sprintf("The plan leaves out %s: %v", kind.Resource, err))
	}
	for i := range all {
		see(&all[i])
	}
}
