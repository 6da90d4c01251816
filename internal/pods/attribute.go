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

// Labels say to which application a pod belongs, and every user who may create pods may write them. What a pod is
// charged to follows from what the operator has written itself: the uid of the application and of its driver, and the
// grant.

// CreatedBy returns the records that an application of that uid has created: its drivers, by their controller, and
// executors of these. driver is the uid in the status of the application, and may be empty. The rest carry its labels,
// and cannot be shown to belong to it.
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

// ExceedingGrant returns those of the records that use a node and no longer fit a grant, drivers first and then by
// name.
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

// rank puts drivers first.
func rank(r *Record) int {
	if r.Role == Driver {
		return 0
	}
	return 1
}

// OnNode reports whether the pod is on a node and has not ended: before that it uses nothing. Every user who may create
// pods may name a node in them, also one that does not exist; that a pod was bound to its node, or that a kubelet knows
// it, is in its status.
func (r *Record) OnNode() bool {
	return r.Active() && r.SchedulingGate == nil && r.Node != "" && (r.Scheduled || r.Phase != corev1.PodPending)
}

// CreatedAfter reports whether the pod was created after a time.
func (r *Record) CreatedAfter(at time.Time) bool { return time.Unix(int64(r.CreatedAt), 0).After(at) }

// Requests returns what the pod requests, "pods": 1 included.
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

// maxOtherRequests is how much text is remembered of requests other than CPU and memory, in bytes: much more than nodes
// offer resources, and a pod that no node can take may name any number.
const maxOtherRequests = 1024

// otherRequests returns requests as Origin.OtherRequests.
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

// total returns what a grant has in all its flavors together. What is more than can be counted is the most that can.
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

// Get returns the record of a pod; nil if it is not known.
func (s *Store) Get(pod types.NamespacedName) *Record {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.pods[pod.Namespace][pod.Name]
}
