// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package apianswer

import "testing"

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
