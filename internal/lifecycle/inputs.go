// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/pods"
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/amounts"
)

// A grant is for what was planned when it was requested: sizes and accounts follow from the spec, and from objects that
// others may change at any time. Until the driver exists a change makes the grant worthless. Before the grant is in
// the status it is released at once; later the attempt is stopped like one that is preempted, and the run asks anew, in
// its old place.

// Outdated reports whether a verdict grants something else than is planned now. Without recorded inputs, as from an
// earlier version of the operator, a grant counts as outdated.
func Outdated(plan *Plan, v *queueing.Verdict) bool {
	return v.State == queueing.Granted && v.Grant.Inputs != plan.Inputs
}

// beyondGrant names what a driver requests above the grant, if the driver was not seen before and this process has not
// created it as granted: an answer was lost, or another actor, who knows the names, has created the pod. Empty if it
// fits. Containers that others have since put into a pod of this process, such as sidecars, do not count.
func beyondGrant(st *state, driver *pods.Record) string {
	if st.s.Driver.UID != "" || driver.UID == st.o.CreatedDriver || st.s.Grant == nil {
		return ""
	}
	for i := range st.s.Grant.PodSets {
		set := &st.s.Grant.PodSets[i]
		if set.Name != v1alpha1.DriverPodSet || len(set.Requests) == 0 {
			continue
		}
		granted, asks := amounts.ClampAll(set.Requests), driver.Requests()
		for _, name := range slices.Sorted(maps.Keys(asks)) {
			_, wasAsked := granted[name]
			if name == string(corev1.ResourcePods) || asks[name] <= granted[name] || !wasAsked && name == string(corev1.ResourceEphemeralStorage) {
				continue // some clusters request local storage for every pod
			}
			wanted, allowed := amounts.Quantity(name, asks[name]), amounts.Quantity(name, granted[name])
			return fmt.Sprintf("driver pod %s requests %s %s, but the grant has %s", driver.Name, name, wanted.String(), allowed.String())
		}
	}
	return ""
}
