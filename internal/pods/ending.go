// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package pods

import (
	"fmt"
	"math"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// DefaultMaxTermination bounds how long a pod takes to end that has to, whatever its own grace period is.
const DefaultMaxTermination = 10 * time.Minute

// readGrace takes over how long the pod may take to end.
func (r *Record) readGrace(pod *corev1.Pod) {
	if grace := pod.Spec.TerminationGracePeriodSeconds; grace != nil {
		r.Grace = *grace
	}
	if pod.DeletionTimestamp != nil {
		r.EndsAt = seconds(pod.DeletionTimestamp.Unix())
		r.EndGrace = seconds(ptr.Deref(pod.DeletionGracePeriodSeconds, 0))
	}
}

// seconds cuts a number of seconds to what fits.
func seconds(n int64) uint32 { return uint32(min(max(n, 0), math.MaxUint32)) }

// EndsLate reports whether the pod is being deleted with a longer grace period than most. Deleted once more, it gets a
// shorter one.
func (r *Record) EndsLate(most time.Duration) bool {
	return r.Deleting && int64(r.EndGrace) > wholeSeconds(most)
}

// ForcedAt returns when a pod that is being deleted has had all the time to end that there is: most, from when it was
// first deleted.
func (r *Record) ForcedAt(most time.Duration) time.Time {
	return time.Unix(int64(r.EndsAt)-int64(r.EndGrace), 0).Add(most)
}

// endedDeadline is the shortest activeDeadlineSeconds of a pod: one that has run for longer is ended at once.
const endedDeadline = 1

// EndPatch returns the merge patch that has the kubelet end all containers of exactly this pod, each with the grace
// period of the pod, and keep pod and logs: its deadline (activeDeadlineSeconds) has passed. The pod is then Failed with
// the reason DeadlineExceeded, whatever its containers ended with. A deadline may be set and shortened at any time.
func (r *Record) EndPatch() []byte {
	return fmt.Appendf(nil, `{"metadata":{"uid":%q},"spec":{"activeDeadlineSeconds":%d}}`, r.UID, endedDeadline)
}

// DeleteOptions delete exactly this pod: without grace, or with its own grace period, cut to most.
func (r *Record) DeleteOptions(most time.Duration, force bool) *client.DeleteOptions {
	o := &client.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &r.UID}}
	switch {
	case force:
		o.GracePeriodSeconds = ptr.To[int64](0)
	case r.Grace > wholeSeconds(most), r.EndsLate(most):
		o.GracePeriodSeconds = ptr.To(wholeSeconds(most))
	}
	return o
}

// wholeSeconds rounds up: 0 would be no grace at all.
func wholeSeconds(d time.Duration) int64 { return int64((d + time.Second - 1) / time.Second) }

// NodeReachable reports whether a node's kubelet reports to the API server.
func NodeReachable(node *corev1.Node) bool {
	for i := range node.Status.Conditions {
		if c := &node.Status.Conditions[i]; c.Type == corev1.NodeReady {
			return c.Status != corev1.ConditionUnknown
		}
	}
	return false
}
