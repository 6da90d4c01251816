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

// DefaultMaxTermination is the default for the longest time that a pod gets to end, whatever its own grace period is.
const DefaultMaxTermination = 10 * time.Minute

// readGrace copies the grace periods of the pod into the record.
func (r *Record) readGrace(pod *corev1.Pod) {
	if grace := pod.Spec.TerminationGracePeriodSeconds; grace != nil {
		r.Grace = *grace
	}
	if pod.DeletionTimestamp != nil {
		r.EndsAt = seconds(pod.DeletionTimestamp.Unix())
		r.EndGrace = seconds(ptr.Deref(pod.DeletionGracePeriodSeconds, 0))
	}
}

// seconds converts a number of seconds, cut to the range of uint32.
func seconds(n int64) uint32 { return uint32(min(max(n, 0), math.MaxUint32)) }

// EndsLate reports whether the pod is being deleted with a grace period longer than most. Another delete request can
// shorten it.
func (r *Record) EndsLate(most time.Duration) bool {
	return r.Deleting && int64(r.EndGrace) > wholeSeconds(most)
}

// ForcedAt returns when a pod that is being deleted is deleted without grace: most after it was first deleted.
func (r *Record) ForcedAt(most time.Duration) time.Time {
	return time.Unix(int64(r.EndsAt)-int64(r.EndGrace), 0).Add(most)
}

// endedDeadline is the smallest activeDeadlineSeconds of a pod. A pod that has run for longer is ended at once.
const endedDeadline = 1

// EndPatch returns a merge patch which makes the kubelet end all containers of exactly this pod, with the pod's grace
// period, but keep pod and logs: it sets an activeDeadlineSeconds that has passed. The pod is then Failed with reason
// DeadlineExceeded, whatever the exit codes of its containers are. The API server allows that field to be set or
// shortened at any time.
func (r *Record) EndPatch() []byte {
	return fmt.Appendf(nil, `{"metadata":{"uid":%q},"spec":{"activeDeadlineSeconds":%d}}`, r.UID, endedDeadline)
}

// DeleteOptions returns the options to delete exactly this pod: without grace if force is set, else with its own grace
// period but at most most.
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

// wholeSeconds rounds up, because 0 would mean no grace period at all.
func wholeSeconds(d time.Duration) int64 { return int64((d + time.Second - 1) / time.Second) }

// NodeReachable reports whether the kubelet of a node reports to the API server.
func NodeReachable(node *corev1.Node) bool {
	for i := range node.Status.Conditions {
		if c := &node.Status.Conditions[i]; c.Type == corev1.NodeReady {
			return c.Status != corev1.ConditionUnknown
		}
	}
	return false
}
