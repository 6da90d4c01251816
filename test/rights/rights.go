// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package rights

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
)

// Account is the operator's service account as the API server names it.
const Account = "system:serviceaccount:sparkgate-system:sparkgate"

// Right is the right to do something with objects of a kind, in any namespace.
type Right struct {
	Verb, Group string
	// Resource includes the subresource: pods/log.
	Resource string
}

// String formats the right as kubectl auth can-i takes it: "create workloads.kueue.x-k8s.io".
func (r Right) String() string {
	resource, sub, _ := strings.Cut(r.Resource, "/")
	if r.Group != "" {
		resource += "." + r.Group
	}
	if sub != "" {
		resource += "/" + sub
	}
	return r.Verb + " " + resource
}

// Set is a set of rights.
type Set map[Right]bool

// Minus returns the rights that are in s and in none of the others.
func (s Set) Minus(others ...Set) Set {
	rest := Set{}
	for right := range s {
		if !slices.ContainsFunc(others, func(o Set) bool { return o[right] }) {
			rest[right] = true
		}
	}
	return rest
}

// String returns the sorted rights, one per line.
func (s Set) String() string {
	var lines []string
	for right := range s {
		lines = append(lines, right.String())
	}
	// Sort by resource, which is easier to read.
	slices.SortFunc(lines, func(a, b string) int {
		_, left, _ := strings.Cut(a, " ")
		_, right, _ := strings.Cut(b, " ")
		return strings.Compare(left+a, right+b)
	})
	return strings.Join(lines, "\n")
}

// Granted adds the rights that rules of roles allow.
func (s Set) Granted(rules []rbacv1.PolicyRule) {
	for _, rule := range rules {
		for _, group := range rule.APIGroups {
			for _, resource := range rule.Resources {
				for _, verb := range rule.Verbs {
					s[Right{verb, group, resource}] = true
				}
			}
		}
	}
}

// event is the part of an event of audit.k8s.io/v1 that says who did what.
type event struct {
	Verb      string
	User      struct{ Username string }
	ObjectRef *struct{ APIGroup, Resource, Subresource string }
	// Annotations say how the request was authorized. The code 403 does not, because admission also refuses with it.
	Annotations map[string]string
}

// Used adds the rights that a user has used according to an audit log, which has one event per line. It adds the rights
// that the user lacked to lacked.
func (s Set) Used(log io.Reader, user string, lacked Set) error {
	lines := bufio.NewScanner(log)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if !strings.Contains(lines.Text(), user) {
			continue
		}
		var e event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return fmt.Errorf("read an event of the audit log: %w", err)
		}
		if e.User.Username != user || e.ObjectRef == nil {
			// Requests that are not about objects, such as discovery, are allowed for all users.
			continue
		}
		right := Right{e.Verb, e.ObjectRef.APIGroup, e.ObjectRef.Resource}
		if e.ObjectRef.Subresource != "" {
			right.Resource += "/" + e.ObjectRef.Subresource
		}
		switch e.Annotations["authorization.k8s.io/decision"] {
		case "allow":
			s[right] = true
		case "forbid":
			lacked[right] = true
		} // without it, the request was turned away before, by priority and fairness for example
	}
	return lines.Err()
}
