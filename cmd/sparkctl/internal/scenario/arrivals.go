// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"maps"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/amounts"
	"github.com/sparkgate/sparkgate/queueing/embedded/simulator"
)

const (
	defaultNamespace = "default"
	pods             = string(corev1.ResourcePods)
)

// readArrivals translates the applications, including those with mistakes.
func readArrivals(p problems, f *script) []simulator.Arrival {
	arrivals := make([]simulator.Arrival, 0, len(f.Arrivals))
	labels := map[string]map[string]string{}
	first := map[queueing.Key]int{}
	for i := range f.Arrivals {
		in := &f.Arrivals[i]
		if in.Namespace == "" {
			in.Namespace = defaultNamespace
		}
		if labels[in.Namespace] == nil {
			labels[in.Namespace] = labelsOf(in.Namespace, f.Namespaces)
		}
		at := p.at("arrivals[%d]", i)
		a := in.translate(at)
		a.Ask.NamespaceLabels = labels[in.Namespace]
		a.Ask.NeedsLimits = labels[in.Namespace][v1alpha1.GuardedLabel] == "true"
		if j, known := first[a.Ask.Key]; known {
			at.add("name", "%s already arrives as arrivals[%d]; choose another name", a.Ask.Key, j)
		}
		first[a.Ask.Key] = i
		arrivals = append(arrivals, a)
	}
	return arrivals
}

// labelsOf returns the labels of a namespace, including the one that every namespace has.
func labelsOf(name string, listed map[string]namespace) map[string]string {
	labels := map[string]string{corev1.LabelMetadataName: name}
	maps.Copy(labels, listed[name].Labels)
	return labels
}

// translate converts an application, and reports missing or invalid fields.
func (in *arrival) translate(p problems) simulator.Arrival {
	if in.Name == "" {
		p.add("name", "is missing; give the application a name")
	}
	if strings.Contains(in.Name+in.Namespace, "/") {
		p.add("name", "%s/%s has a slash too many; write namespace and name apart", in.Namespace, in.Name)
	}
	if in.Queue == "" {
		p.add("queue", "is missing; name the queue that is asked")
	}
	out := simulator.Arrival{
		At: p.time("at", in.At), RunFor: p.runFor(in.RunFor),
		Ask: queueing.Ask{
			Key:   queueing.Key{Namespace: in.Namespace, Name: in.Name},
			Queue: in.Queue, Priority: in.Priority, PodSets: readPodSets(p, in.PodSets),
		},
	}
	if in.Timeouts.Run != nil {
		out.Ask.HoldsFor = p.time("timeouts.run", *in.Timeouts.Run)
		out.RunFor = min(out.RunFor, out.Ask.HoldsFor)
	}
	return out
}

func readPodSets(p problems, in []podSet) []queueing.PodSet {
	if len(in) == 0 {
		p.add("podSets", "is missing; list at least one")
	}
	out := make([]queueing.PodSet, 0, len(in))
	for i, set := range in {
		at := p.at("podSets[%d]", i)
		if set.Name == "" {
			at.add("name", "is missing; name the pod set, such as driver or executor")
		}
		if slices.ContainsFunc(in[:i], func(other podSet) bool { return other.Name == set.Name }) {
			at.add("name", "%q is listed twice; rename one", set.Name)
		}
		count := int32(1)
		if set.Count != nil {
			count = *set.Count
		}
		if count < 0 {
			at.add("count", "%d is negative; write 0 or more", count)
		}
		other := slices.ContainsFunc(in[:i], func(other podSet) bool { return other.MinCount > 0 })
		if set.MinCount < 0 || set.MinCount > count || set.MinCount > 0 && other {
			at.add("minCount", "%d is not between 0 and count, or another pod set has one; correct or remove it", set.MinCount)
		}
		out = append(out, queueing.PodSet{
			Name: set.Name, Count: count, MinCount: set.MinCount, Requests: readRequests(at, set.Requests), NodeSelector: set.NodeSelector,
		})
	}
	return out
}

// readRequests converts the requests of one pod, and adds the resource "pods", of which each pod counts as 1.
func readRequests(p problems, in corev1.ResourceList) queueing.Resources {
	out := amounts.ClampAll(in) // decoding has reported what is out of range
	if _, nameless := in[""]; nameless {
		p.add("requests", "a resource has no name; write one, such as cpu")
	}
	if amount, named := out[pods]; named && amount != 1 {
		p.add("requests."+pods, "every pod counts as 1; remove it and set count")
	}
	if out == nil {
		out = queueing.Resources{}
	}
	out[pods] = 1
	return out
}

// time returns a time or duration that may not be negative.
func (p problems) time(key string, d metav1.Duration) time.Duration {
	if d.Duration < 0 {
		p.add(key, "%q is negative; write 0s or more", d.Duration)
	}
	return d.Duration
}

// runFor returns how long an application runs, which has to be given.
func (p problems) runFor(d *metav1.Duration) time.Duration {
	if d == nil {
		p.add("runFor", "is missing; say how long it runs once it is admitted, such as 10m")
		return 0
	}
	return p.time("runFor", *d)
}
