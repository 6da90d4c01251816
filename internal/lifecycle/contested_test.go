// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"strings"
	"testing"

	apimeta "k8s.io/apimachinery/pkg/api/meta"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// TestContested: where another operator has said that it also deals with the namespace, the condition names both, until the
// next run.
func TestContested(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.settle()
	w.runs()
	w.settle()
	w.app.Status.Operator, w.app.Status.OtherOperator = "sparkgate-system", "sparkgate-team"
	w.settle()
	c := apimeta.FindStatusCondition(w.app.Status.Conditions, v1alpha1.ContestedCondition)
	if c == nil || !strings.Contains(c.Message, "sparkgate-team") || !strings.Contains(c.Message, "the one in sparkgate-system decides") {
		t.Fatalf("condition %+v\n%s", c, w.story())
	}
	w.edit("wants another run", func(a *v1alpha1.SparkApplication) { a.Spec.RunID = "again" })
	w.exits(0, "Completed")
	w.settle()
	s := w.app.Status
	if s.Run != 2 || s.OtherOperator != "" || s.Operator != "sparkgate-system" || apimeta.FindStatusCondition(s.Conditions, v1alpha1.ContestedCondition) != nil {
		t.Errorf("run %d of operator %q, beside %q, conditions %v\n%s", s.Run, s.Operator, s.OtherOperator, s.Conditions, w.story())
	}
}
