// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package pods

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/sparkgate/sparkgate/queueing"
)

// Labels name the application that a pod belongs to, but every user who may create pods can write them. So what a pod
// is charged to follows only from what the operator has written: the uids of the application and of its driver, and the
// grant.

// CreatedBy splits records into those that the application with that uid has created and the others. Its own are the
// drivers whose controller it is, and the executors whose owner is one of these drivers. The others only carry its
// labels. driver is the uid of the driver in the status of the application, and may be empty.
func CreatedBy(records []*Record, app, driver types.UID) (made, others []*Record) {
	drivers := map[types.UID]bool{driver: driver != ""}
	for _, r := range records {
		if r.Role == Driver && r.OwnerUID == app {
			drivers[r.UID] = true
		}
	}
	for _, r := range records {
		if drivers[r.UID] || r.Role == Executor && drivers[r.OwnerUID] {
			made = append(made, r)
		} else {
			others = append(others, r)
		}
	}
	return made, others
}

// ExceedingGrant returns the records that use a node and do not fit in a grant. The grant is used up by drivers first,
// then in the order of names.
func ExceedingGrant(records []*Record, grant queueing.Grant) []*Record {
	left := total(grant)
	ordered := slices.DeleteFunc(slices.Clone(records), func(r *Record) bool { return !r.OnNode() })
	slices.SortFunc(ordered, func(a, b *Record) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.Name, b.Name))
	})
	return slices.DeleteFunc(ordered, func(r *Record) bool {
		asks := r.Requests()
		for name, amount := range asks {
			if amount > left[name] {
				return false
			}
		}
		for name, amount := range asks {
			left[name] -= amount
		}
		return true
	})
}

// rank orders drivers before all other pods.
func rank(r *Record) int {
	if r.Role == Driver {
		return 0
	}
	return 1
}

// OnNode reports whether the pod occupies a node: it is bound to one and has not ended. spec.nodeName alone does not
// show that, because every user who may create pods can set it, even to a node that does not exist. The status shows
// it: the pod was bound, or a kubelet has reported its phase.
func (r *Record) OnNode() bool {
	return r.Active() && r.SchedulingGate == nil && r.Node != "" && (r.Scheduled || r.Phase != corev1.PodPending)
}

// CreatedAfter reports whether the pod was created after at.
func (r *Record) CreatedAfter(at time.Time) bool { return time.Unix(int64(r.CreatedAt), 0).After(at) }

// Requests returns what the pod requests, including "pods": 1.
func (r *Record) Requests() queueing.Resources {
	requests := queueing.Resources{string(corev1.ResourceCPU): max(0, r.CPU), string(corev1.ResourceMemory): max(0, r.Memory), string(corev1.ResourcePods): 1}
	for request := range strings.SplitSeq(r.OtherRequests, ",") {
		name, text, _ := strings.Cut(request, "=")
		if amount, err := strconv.ParseInt(text, 10, 64); err == nil {
			requests[name] = amount
		}
	}
	return requests
}

// maxOtherRequests bounds the text in which requests other than CPU and memory are remembered, in bytes. No node offers
// so many resources, but a pod may name any number of them.
const maxOtherRequests = 1024

// otherRequests returns requests in the form of Origin.OtherRequests.
func otherRequests(requests queueing.Resources) string {
	var names []string
	for name, amount := range requests {
		switch corev1.ResourceName(name) {
		case corev1.ResourceCPU, corev1.ResourceMemory, corev1.ResourcePods:
		default:
			if amount > 0 {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	var text strings.Builder
	for i, name := range names {
		if i > 0 {
			text.WriteByte(',')
		}
		fmt.Fprintf(&text, "%s=%d", name, requests[name])
		if text.Len() > maxOtherRequests {
			break
		}
	}
	return text.String()
}

// total returns the sum of a grant over all its flavors. A sum that would overflow becomes the largest number.
func total(grant queueing.Grant) queueing.Resources {
	sum := queueing.Resources{}
	for i := range grant.PodSets {
		set := &grant.PodSets[i]
		for name, each := range set.Requests {
			if n := int64(set.Count); n > 0 && each > (math.MaxInt64-sum[name])/n {
				sum[name] = math.MaxInt64
			} else {
				sum[name] += n * max(0, each)
			}
		}
		if _, counted := set.Requests[string(corev1.ResourcePods)]; !counted {
			sum[string(corev1.ResourcePods)] += int64(set.Count)
		}
	}
	return sum
}
