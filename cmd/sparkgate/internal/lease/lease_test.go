// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lease

import (
	"testing"
	"time"

	"k8s.io/client-go/rest"
)

// The operator's other clients use the same configuration: with the time limit of the lease, each of their watches would begin anew every
// few seconds.
func TestTheConfigurationIsLeftAlone(t *testing.T) {
	t.Setenv(namespaceVariable, "sparkgate-system")
	config := &rest.Config{Host: "https://127.0.0.1:1"}
	if _, err := NewClient(config, "sparkgate-0", 7*time.Second); err != nil {
		t.Fatal(err)
	}
	if config.Timeout != 0 || config.UserAgent != "" {
		t.Errorf("timeout %s and user agent %q are left in the configuration of all clients", config.Timeout, config.UserAgent)
	}
}

func TestALeaseNeedsANamespace(t *testing.T) {
	t.Setenv(namespaceVariable, "")
	if _, err := NewClient(&rest.Config{}, "sparkgate-0", 7*time.Second); err == nil {
		t.Error("a lease in no namespace is prepared")
	}
}
