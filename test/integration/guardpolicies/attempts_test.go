// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package guardpolicies

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/test/integration/env"
)

// What becomes of an attempt.
const (
	isRefused = "refused"
	isGated   = "gated"
	isAllowed = "allowed"
)

// attempt is one way in which a tenant may try to run a Spark pod without quota.
type attempt struct {
	// what is tried: the row of docs/guard-attempts.md.
	what    string
	outcome string
	// what refuses it; empty if it is not.
	by string
	// says is a part of the refusal; for other outcomes it is why.
	says string
	// try does it and returns the pod in question, or the refusal.
	try func(*tenant) (*corev1.Pod, error)
}

// attempts in the order of the table in docs/guard-attempts.md.
func attempts() []attempt {
	return slices.Concat(making(), lifting(), relabelling(), outgrowing(), around())
}

func TestAttempts(t *testing.T) {
	install(t)
	all := attempts()
	if len(all) < 40 {
		t.Errorf("%d attempts; some got lost", len(all))
	}
	for _, a := range all {
		t.Run(a.what, func(t *testing.T) {
			t.Parallel()
			pod, err := a.try(enrol(t))
			if env.RefusedBy(err) != a.by {
				t.Fatalf("refused by %q, want %q: %v", env.RefusedBy(err), a.by, err)
			}
			if err != nil {
				if !strings.Contains(err.Error(), a.says) {
					t.Errorf("the refusal does not say %q:\n%v", a.says, err)
				}
				return
			}
			live := &corev1.Pod{}
			if err := env.Client().Get(t.Context(), client.ObjectKeyFromObject(pod), live); err != nil {
				t.Fatal(err)
			}
			if gated(live) != (a.outcome == isGated) {
				t.Errorf("want it %s; its gates are %v, its node %q", a.outcome, live.Spec.SchedulingGates, live.Spec.NodeName)
			}
		})
	}
}

// row returns the row of the table that describes the attempt.
func (a attempt) row() string {
	switch {
	case a.outcome == isRefused && a.says != "":
		return fmt.Sprintf("| %s | %s | %s: “%s” |", a.what, a.outcome, a.by, a.says)
	default:
		return fmt.Sprintf("| %s | %s | %s |", a.what, a.outcome, a.says)
	}
}

// TestTable: docs/guard-attempts.md lists every attempt, with its outcome, and no other.
func TestTable(t *testing.T) {
	t.Parallel()
	var want []string
	for _, a := range attempts() {
		if (a.outcome == isRefused) != (a.by != env.ByNobody) {
			t.Errorf("%s: %s by %q", a.what, a.outcome, a.by)
		}
		want = append(want, a.row())
	}
	if got := tableOf(t, "## Attempts"); !slices.Equal(got, want) {
		t.Errorf("the table under «Attempts» in docs/guard-attempts.md is to be:\n%s", strings.Join(want, "\n"))
	}
}
