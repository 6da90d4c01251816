// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package references

import (
	"slices"
	"strings"
	"testing"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// TestDriverLacksRights: a driver whose service account may not create executors is not created and holds no quota. The message says what is missing
// and which commands give it; once that is done, the application starts automatically.
func TestDriverLacksRights(t *testing.T) {
	t.Parallel()
	w := harness.NewWorldIn(t, env.BareNamespace(t), "8Gi", nil)
	operator.Use(t)
	app := w.Apply("pi")
	words := []string{
		`ServiceAccount "default" of namespace ` + w.Namespace, "may not create, delete, get, list, watch pods; create configmaps", "kubectl apply -k config/job-namespace",
		"kubectl create rolebinding spark-driver-default -n " + w.Namespace + " --role=spark-driver --serviceaccount=" + w.Namespace + ":default",
	}
	harness.Eventually(t, app, "told what the account lacks", func(a *v1alpha1.SparkApplication) bool {
		return harness.Stage(a) == v1alpha1.ReferenceNotFoundReason && !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(harness.Message(a), word) })
	})
	w.Unused()
	if told := w.History.Messages(app, v1alpha1.ReferenceNotFoundReason); len(told) != 1 {
		t.Errorf("the message was written %d times: %q", len(told), told)
	}
	env.LetDriversRun(t, w.Namespace) // the API server may take notice between two questions: then the message gets shorter
	w.Succeed(app)
	if app.Status.Attempt != 1 {
		t.Errorf("attempt %d", app.Status.Attempt)
	}
}
