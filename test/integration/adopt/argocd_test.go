// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package adopt

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/sparkgate/sparkgate/internal/testing/argocd"
	"github.com/sparkgate/sparkgate/test/systems"
)

// health returns what Argo CD's own script says of a job.
func health(t *testing.T, theirs *unstructured.Unstructured) string {
	t.Helper()
	script, err := systems.KubeflowHealth()
	if err != nil {
		t.Fatal(err)
	}
	says, _ := argocd.Health(t, script, theirs)
	return says
}
