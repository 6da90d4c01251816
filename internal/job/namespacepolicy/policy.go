// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package namespacepolicy

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// Policy is everything in a namespace's labels and annotations that affects which applications may run in it. It holds
// only data, so that it can be hashed.
type Policy struct {
	// Namespace is the name of the namespace.
	Namespace string
	// Guarded reports whether the namespace has the label v1alpha1.GuardedLabel.
	Guarded bool
	// DefaultGate and DefaultQueue apply to applications that name none; empty if the namespace sets none.
	DefaultGate, DefaultQueue string
	// Enforced is the Pod Security Standard that the API server enforces in the namespace; empty if it enforces none.
	Enforced v1alpha1.PodSecurity
	// Gates, Queues and ServiceAccounts are the ones that may be used.
	Gates, Queues, ServiceAccounts List
}

// List is the list of names in an annotation.
type List struct {
	// Set reports whether the annotation exists. Without the annotation everything is allowed; with an empty one,
	// nothing.
	Set bool
	// Names are the names, in the annotation's order.
	Names []string
}

// Of returns the policy of a namespace.
func Of(namespace metav1.Object) Policy {
	annotations := namespace.GetAnnotations()
	return Policy{
		Namespace:    namespace.GetName(),
		Guarded:      namespace.GetLabels()[v1alpha1.GuardedLabel] == "true",
		Enforced:     enforced[namespace.GetLabels()[EnforceLabel]],
		DefaultGate:  annotations[v1alpha1.DefaultGateAnnotation],
		DefaultQueue: annotations[v1alpha1.DefaultQueueAnnotation],
		Gates:        listOf(annotations, v1alpha1.AllowedGatesAnnotation),
		Queues:       listOf(annotations, v1alpha1.AllowedQueuesAnnotation),

		ServiceAccounts: listOf(annotations, v1alpha1.AllowedServiceAccountsAnnotation),
	}
}

// listOf reads the names in an annotation, which are separated by commas, white space, or both.
func listOf(annotations map[string]string, key string) List {
	text, set := annotations[key]
	return List{Set: set, Names: strings.FieldsFunc(text, func(r rune) bool { return r == ',' || unicode.IsSpace(r) })}
}

// EnforceLabel is the label by which Pod Security admission is configured.
const EnforceLabel = "pod-security.kubernetes.io/enforce"

var enforced = map[string]v1alpha1.PodSecurity{"restricted": v1alpha1.PodSecurityRestricted, "baseline": v1alpha1.PodSecurityBaseline}

// PodSecurity returns the reason why spec.podSecurity may not have a value (empty for the default); empty if it may.
// mayBeNone is the operator's flag --allow-pod-security-none.
func (p Policy) PodSecurity(level v1alpha1.PodSecurity, mayBeNone bool) string {
	weak := level == v1alpha1.PodSecurityNone || level == v1alpha1.PodSecurityBaseline && p.Enforced == v1alpha1.PodSecurityRestricted
	switch {
	case p.Enforced != "" && weak:
		return fmt.Sprintf("spec.podSecurity: value %s is weaker than what the label %s=%s of namespace %s demands: set it to %s",
			level, EnforceLabel, strings.ToLower(string(p.Enforced)), p.Namespace, p.Enforced)
	case level == v1alpha1.PodSecurityNone && !mayBeNone:
		return "spec.podSecurity: value None is not allowed by the operator's flag --allow-pod-security-none: set it to Restricted or Baseline"
	}
	return ""
}

// Allows reports whether a name may be used.
func (l List) Allows(name string) bool { return !l.Set || slices.Contains(l.Names, name) }

// String returns the names separated by commas, for messages.
func (l List) String() string { return strings.Join(l.Names, ", ") }

// use returns the first half of a remedy, "use one of …, or "; empty if the list has no names.
func (l List) use() string {
	if len(l.Names) == 0 {
		return ""
	}
	return fmt.Sprintf("use one of %q, or ", l)
}

// Gate returns the reason why a gate, which the given field names, may not be used; empty if it may. The namespace's
// list, if it has one, replaces the operator's.
func (p Policy) Gate(gate, field string, operators []v1alpha1.GateType) string {
	allowed := p.Gates
	if !allowed.Set {
		allowed = List{Set: true}
		for _, g := range operators {
			allowed.Names = append(allowed.Names, string(g))
		}
	}
	if allowed.Allows(gate) {
		return ""
	}
	return fmt.Sprintf("%s: gate %q is not allowed in namespace %s: %shave an administrator add it to the namespace's annotation %s",
		field, gate, p.Namespace, allowed.use(), v1alpha1.AllowedGatesAnnotation)
}

// Queue returns the reason why the namespace forbids a queue, which the given field names; empty if the namespace
// allows it.
func (p Policy) Queue(queue, field string) string {
	if p.Queues.Allows(queue) {
		return ""
	}
	return fmt.Sprintf("%s: queue %q is not allowed in namespace %s: %shave an administrator add it to the namespace's annotation %s",
		field, queue, p.Namespace, p.Queues.use(), v1alpha1.AllowedQueuesAnnotation)
}

// ServiceAccount returns the reason why an account may not be used; empty if it may. of says whose account it is and
// which field named it.
func (p Policy) ServiceAccount(account, of string) string {
	if p.ServiceAccounts.Allows(account) {
		return ""
	}
	return fmt.Sprintf("service account %q of %s is not allowed in namespace %s: use one of %q, or add it to the namespace's annotation %s",
		account, of, p.Namespace, p.ServiceAccounts, v1alpha1.AllowedServiceAccountsAnnotation)
}

// NeedsLimits reports whether the namespace may use a queue without limits only if the queue's selector names the
// namespace. This holds in guarded namespaces, except for the queues that their annotation lists.
func (p Policy) NeedsLimits(queue string) bool {
	return p.Guarded && !(p.Queues.Set && p.Queues.Allows(queue))
}
