// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kjson "sigs.k8s.io/json"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// Limits of the API server for the fields that affect decisions. A test compares them with the schemas of the CRDs.
const (
	maxFlavors   = 16
	maxQuotas    = 16
	maxName      = 63
	maxResource  = 253
	maxWeight    = 1_000_000
	nameMustBe   = "write at most 63 lower-case letters, digits and '-', with a letter or digit at both ends"
	withinMustBe = "write a whole number from 1 to 1000000"
)

// durationForm and maxDuration are the pattern and the maximum length of a queue's durations in the API.
var durationForm = regexp.MustCompile(`^([0-9]{1,6}([.][0-9]+)?(ms|s|m|h))+$`)

const maxDuration = 20

var nameForm = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`)

var (
	strategies  = []string{string(v1alpha1.BestEffortFIFO), string(v1alpha1.StrictFIFO)}
	stops       = []string{string(v1alpha1.StopPolicyNone), string(v1alpha1.StopPolicyHold), string(v1alpha1.StopPolicyHoldAndDrain)}
	withinQueue = []string{
		string(v1alpha1.PreemptNever), string(v1alpha1.PreemptLowerPriority), string(v1alpha1.PreemptLowerOrNewerEqualPriority),
	}
	reclaims = []string{string(v1alpha1.PreemptNever), string(v1alpha1.PreemptLowerPriority), string(v1alpha1.PreemptAny)}
	borrows  = []string{string(v1alpha1.PreemptNever), string(v1alpha1.PreemptLowerPriority)}
)

func checkName(p problems, key, name string) {
	if len(name) > maxName || !nameForm.MatchString(name) {
		p.add(key, "invalid name %q; %s", name, nameMustBe)
	}
}

// oneOf checks a field with a closed set of values. An empty value is the default.
func oneOf(p problems, key, value string, values []string) {
	if value != "" && !slices.Contains(values, value) {
		p.add(key, "%q is not known; write %s", value, strings.Join(values, " or "))
	}
}

func checkFlavor(p problems, f *v1alpha1.SparkFlavor) {
	checkName(p, "metadata.name", f.Name)
	if f.Name == v1alpha1.DefaultFlavor {
		p.add("metadata.name", "the flavor %s is built in; choose another name", f.Name)
	}
}

func checkQueue(p problems, q *v1alpha1.SparkQueue) {
	checkName(p, "metadata.name", q.Name)
	s := &q.Spec
	if s.Parent != "" {
		checkName(p, "spec.parent", s.Parent)
	}
	if s.Weight != nil && (*s.Weight < 1 || *s.Weight > maxWeight) {
		p.add("spec.weight", "%d is out of range; %s", *s.Weight, withinMustBe)
	}
	if s.MaxRunning != nil && *s.MaxRunning < 0 {
		p.add("spec.maxRunning", "%d is negative; write 0 or more", *s.MaxRunning)
	}
	oneOf(p, "spec.strategy", string(s.Strategy), strategies)
	oneOf(p, "spec.stopPolicy", string(s.StopPolicy), stops)
	checkPreemption(p.at("spec.preemption"), s.Preemption)
	if s.NamespaceSelector != nil {
		if _, err := metav1.LabelSelectorAsSelector(s.NamespaceSelector); err != nil {
			p.add("spec.namespaceSelector", "%v; correct the selector", err)
		}
	}
	checkQuotas(p, s.Flavors)
	if s.Parent == "" {
		warnOfLimits(p, s.Flavors)
	}
}

func checkPreemption(p problems, in *v1alpha1.QueuePreemption) {
	if in == nil {
		return
	}
	oneOf(p, "withinQueue", string(in.WithinQueue), withinQueue)
	oneOf(p, "reclaimWithinTree", string(in.ReclaimWithinTree), reclaims)
	if b := in.BorrowWithinTree; b != nil {
		oneOf(p, "borrowWithinTree.policy", string(b.Policy), borrows)
	}
}

func checkQuotas(p problems, flavors []v1alpha1.FlavorQuota) {
	if len(flavors) > maxFlavors {
		p.add("spec.flavors", "there are %d; write at most %d", len(flavors), maxFlavors)
	}
	names := map[string]bool{}
	for i, f := range flavors {
		at := p.at("spec.flavors[%d]", i)
		switch {
		case f.Name == "" || len(f.Name) > maxName:
			at.add("name", "invalid name %q; write %s or that of a %s", f.Name, v1alpha1.DefaultFlavor, kindFlavor)
		case names[f.Name]:
			at.add("name", "%q is listed twice; merge them", f.Name)
		}
		names[f.Name] = true
		if len(f.Quotas) == 0 || len(f.Quotas) > maxQuotas {
			at.add("quotas", "there are %d; write 1 to %d", len(f.Quotas), maxQuotas)
		}
		resources := map[string]bool{}
		for j, r := range f.Quotas {
			below := at.at("quotas[%d]", j)
			switch {
			case r.Resource == "" || len(r.Resource) > maxResource:
				below.add("resource", "invalid resource name %q; write a name such as cpu, memory or nvidia.com/gpu", r.Resource)
			case resources[r.Resource]:
				below.add("resource", "%q is listed twice; merge them", r.Resource)
			}
			resources[r.Resource] = true
		}
	}
}

// warnOfLimits warns of limits that have no effect on a root queue, as the queue's controller does.
func warnOfLimits(p problems, flavors []v1alpha1.FlavorQuota) {
	for i, f := range flavors {
		for j, q := range f.Quotas {
			for _, limit := range []struct {
				field string
				set   bool
			}{{"borrowingLimit", q.BorrowingLimit != nil}, {"lendingLimit", q.LendingLimit != nil}} {
				if limit.set {
					p.warn(fmt.Sprintf("spec.flavors[%d].quotas[%d].%s", i, j, limit.field), "it limits nothing, because the queue has no parent")
				}
			}
		}
	}
}

// checkHeadTimeout checks the duration of a queue as it is written. A duration that cannot be parsed at all is reported
// when the queue is decoded.
func checkHeadTimeout(p problems, data []byte) bool {
	var written struct {
		Spec struct {
			HeadTimeout string `json:"headTimeout"`
		} `json:"spec"`
	}
	if err := kjson.UnmarshalCaseSensitivePreserveInts(data, &written); err != nil {
		return true // decode will report it
	}
	text := written.Spec.HeadTimeout
	if _, err := time.ParseDuration(text); err != nil || durationForm.MatchString(text) && len(text) <= maxDuration {
		return true
	}
	p.add("spec.headTimeout", "invalid duration %q; write one such as 90s, 10m or 1h30m, in numbers of at most six digits", text)
	return false
}

// checkQuantities checks the quantities of a queue as they are written, because decoding loses their sign and size.
func checkQuantities(p problems, data []byte) bool {
	var written struct {
		Spec struct {
			Flavors []struct {
				Quotas []struct {
					Resource       string  `json:"resource"`
					Nominal        *scalar `json:"nominal"`
					BorrowingLimit *scalar `json:"borrowingLimit"`
					LendingLimit   *scalar `json:"lendingLimit"`
				} `json:"quotas"`
			} `json:"flavors"`
		} `json:"spec"`
	}
	if err := kjson.UnmarshalCaseSensitivePreserveInts(data, &written); err != nil {
		return true // decode will report it
	}
	before := len(*p.all)
	for i, f := range written.Spec.Flavors {
		for j, q := range f.Quotas {
			at := p.at("spec.flavors[%d].quotas[%d]", i, j)
			if q.Nominal == nil {
				at.add("nominal", "is missing; write a quantity of zero or more")
			}
			for _, limit := range []struct {
				key  string
				text *scalar
			}{{"nominal", q.Nominal}, {"borrowingLimit", q.BorrowingLimit}, {"lendingLimit", q.LendingLimit}} {
				if limit.text != nil {
					at.amount(limit.key, q.Resource, *limit.text)
				}
			}
		}
	}
	return len(*p.all) == before
}
