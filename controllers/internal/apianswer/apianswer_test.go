// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package apianswer

import (
	"errors"
	"fmt"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// TestSteady: the parts of a message that differ between answers are removed, and nothing else.
func TestSteady(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{
		`Post "https://w.a.svc:443/m?timeout=10s": tls: failed to verify certificate: x509: certificate has expired or is not yet valid: ` +
			"current time 2026-01-02T03:04:05Z is after 2026-01-01T00:00:00Z": `Post "https://w.a.svc:443/m?timeout=10s": tls: failed to verify certificate: ` +
			"x509: certificate has expired or is not yet valid: it is after 2026-01-01T00:00:00Z",
		"read tcp 10.0.0.5:41234->10.96.3.4:443: read: connection reset by peer":         "read tcp 10.96.3.4:443: read: connection reset by peer",
		"lookup w on 10.96.0.10:53: read udp [fd00::5]:44422->[fd00::a]:53: i/o timeout": "lookup w on 10.96.0.10:53: read udp [fd00::a]:53: i/o timeout",
		"exceeded quota: team, requested: pods=1, used: pods=4, limited: pods=4":         "exceeded quota: team, requested: pods=1, used: pods=4, limited: pods=4",
	} {
		if got := Steady(said); got != want {
			t.Errorf("%q becomes %q, want %q", said, got, want)
		}
	}
}

// TestIsDenied: policies choose the code of their answer, and no other answer is theirs.
func TestIsDenied(t *testing.T) {
	t.Parallel()
	answer := func(code int32, message string) error {
		return fmt.Errorf("create: %w", &apierrors.StatusError{ErrStatus: metav1.Status{Code: code, Message: message}})
	}
	for name, tc := range map[string]struct {
		err  error
		want bool
	}{
		"a policy":                  {answer(401, `pods "a" is forbidden: ValidatingAdmissionPolicy 'costs' with binding 'costs' denied request: no cost centre`), true},
		"a webhook":                 {answer(409, `admission webhook "costs.example.org" denied the request: no cost centre`), true},
		"an account that is gone":   {answer(401, "Unauthorized"), false},
		"a quota":                   {apierrors.NewForbidden(schema.GroupResource{Resource: "pods"}, "a", errors.New("exceeded quota: team")), false},
		"an API server that is ill": {answer(500, "etcdserver: request timed out"), false},
		"a webhook that is away":    {answer(500, `failed calling webhook "costs.example.org": no route to host`), false},
		"no answer":                 {errors.New("connection refused"), false},
		"no error":                  {nil, false},
	} {
		if got := IsDenied(tc.err); got != tc.want {
			t.Errorf("%s: %t, want %t", name, got, tc.want)
		}
	}
}
