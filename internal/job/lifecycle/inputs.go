// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/pods"
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/amounts"
)

// A grant covers what was planned when it was requested: sizes and accounts follow from the spec, and from objects that
// others may change at any time. If one of them changes before the driver exists, the grant no longer fits. If it is
// not in the status yet, it is released at once. If it is, the attempt is stopped like a preempted one, and the run
// asks again and keeps its place in the queue.

// Outdated reports whether a verdict grants something other than what is planned now. A grant without recorded inputs,
// which an earlier version of the operator made, is outdated.
func Outdated(plan *Plan, v *queueing.Verdict) bool {
	return v.State == queueing.Granted && v.Grant.Inputs != plan.Inputs
}

// beyondGrant returns what a driver requests above its grant; empty if it fits. It checks only a driver whose uid is
// not recorded and which this process did not create: a create may have got no response, or another actor, who can
// guess the name, may have created the pod. Containers that webhooks have added to a pod which this process created,
// such as sidecars, are therefore not checked.
func beyondGrant(st *state, driver *pods.Record) string {
	if st.s.Driver.UID != "" || driver.UID == st.o.CreatedDriver || st.s.Grant == nil {
		return ""
	}
	for i := range st.s.Grant.PodSets {
		set := &st.s.Grant.PodSets[i]
		if set.Name != v1alpha1.DriverPodSet || len(set.Requests) == 0 {
			continue
		}
		if more := moreThan(driver, amounts.ClampAll(set.Requests)); more != "" {
			return fmt.Sprintf("driver pod %s requests %s", driver.Name, more)
		}
	}
	return ""
}

// moreThan names what a pod requests more of than is granted for it; empty if it fits.
func moreThan(r *pods.Record, granted queueing.Resources) string {
	asks := r.Requests()
	for _, name := range slices.Sorted(maps.Keys(asks)) {
		_, wasAsked := granted[name]
		if name == string(corev1.ResourcePods) || asks[name] <= granted[name] || !wasAsked && name == string(corev1.ResourceEphemeralStorage) {
			continue // some clusters request local storage for every pod
		}
		wanted, allowed := amounts.Quantity(name, asks[name]), amounts.Quantity(name, granted[name])
		return fmt.Sprintf("%s %s, but the grant has %s", name, wanted.String(), allowed.String())
	}
	return ""
}
