// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

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
	if in.RunFor == "" {
		p.add("runFor", "is missing; say how long it runs once it is admitted, such as 10m")
	}
	return simulator.Arrival{
		At: p.duration("at", in.At), RunFor: p.duration("runFor", in.RunFor),
		Ask: queueing.Ask{
			Key:   queueing.Key{Namespace: in.Namespace, Name: in.Name},
			Queue: in.Queue, Priority: in.Priority, PodSets: readPodSets(p, in.PodSets),
		},
	}
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
		out = append(out, queueing.PodSet{Name: set.Name, Count: count, Requests: readRequests(at, set.Requests)})
	}
	return out
}

// readRequests converts the requests of one pod, and adds the resource "pods", of which each pod counts as 1.
func readRequests(p problems, in map[string]scalar) queueing.Resources {
	out := make(queueing.Resources, len(in)+1)
	for _, name := range slices.Sorted(maps.Keys(in)) {
		if name == "" {
			p.add("requests", "a resource has no name; write one, such as cpu")
		}
		out[name] = p.amount("requests."+name, name, in[name])
	}
	if amount, named := out[pods]; named && amount != 1 {
		p.add("requests."+pods, "every pod counts as 1; remove it and set count")
	}
	out[pods] = 1
	return out
}

// duration parses a duration; an empty text is 0.
func (p problems) duration(key string, text scalar) time.Duration {
	if text == "" {
		return 0
	}
	d, err := time.ParseDuration(string(text))
	switch {
	case err != nil:
		p.add(key, "invalid duration %q; write it with its unit, such as 30s, 5m or 1h30m", text)
	case d < 0:
		p.add(key, "%q is negative; write 0s or more", text)
	}
	return d
}

// quantityForm is the pattern of quantities that the API accepts. It excludes signs, and exponents so large that
// arithmetic would not terminate.
var quantityForm = regexp.MustCompile(`^[0-9.]{1,18}([KMGTPE]i|[numkMGTPE]|[eE][0-9]{1,2})?$`)

// maxDigits is the number of digits that quantityForm allows, including the decimal point.
const maxDigits = 18

// amount parses a quantity of a resource, and reports amounts that the operator refuses.
func (p problems) amount(key, name string, text scalar) int64 {
	q, ok := p.quantity(key, text)
	if !ok {
		return 0
	}
	amount, err := amounts.Of(name, q)
	if err != nil {
		p.add(key, "%v", err)
	}
	return amount
}

// quantity parses a quantity of zero or more. It reports an invalid one and returns false.
func (p problems) quantity(key string, text scalar) (resource.Quantity, bool) {
	if quantityForm.MatchString(string(text)) {
		if q, err := resource.ParseQuantity(string(text)); err == nil {
			return q, true
		}
	}
	if digits := strings.TrimRight(string(text), "KMGTPEimunk"); len(digits) > maxDigits && strings.Trim(digits, "0123456789.") == "" {
		p.add(key, "invalid quantity %q: it has too many digits; write at most %d, with a larger unit if need be, such as 8, 500m or 32Gi", text, maxDigits)
		return resource.Quantity{}, false
	}
	p.add(key, "invalid quantity %q; write a quantity of zero or more such as 8, 500m or 32Gi", text)
	return resource.Quantity{}, false
}
