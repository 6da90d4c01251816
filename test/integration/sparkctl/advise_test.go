// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package sparkctl

import (
	"path/filepath"
	"testing"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// TestAdvisePatch: the patch that follows from a recorded event log is taken by the API server, changes the manifest where it sets the
// values, and is a spec that the operator runs.
func TestAdvisePatch(t *testing.T) {
	t.Parallel()
	operator.Use(t)
	w := harness.NewWorld(t, "4Gi", nil)
	me := as(t, admin(), w.Namespace)
	app := w.Apply("pi", func(a *v1alpha1.SparkApplication) {
		a.Spec.Executor.Memory, a.Spec.SparkConf = "", map[string]string{"spark.executor.memory": "640m"}
	})
	w.Succeed(app)
	me.fails(1, []string{"advise", "pi"}, "--event-log", "--history-server-url")
	log := filepath.Join(env.Root(), "internal/tools/advise/eventlog/testdata/skewed/eventlog_v2_app-20261123212223-0000")
	me.sees([]string{"advise", "pi", "--event-log", log}, "spec.executor.memory", "512m")
	patch := me.sees([]string{"advise", "pi", "--event-log", log, "-o", "patch"}, "spark.executor.memory: 512m")
	if out, err := env.Kubectl(t, "patch", "sgapp", "pi", "-n", w.Namespace, "--type", "merge", "--patch", patch); err != nil {
		t.Fatal(out, err)
	}
	harness.Eventually(t, app, "in another run", func(a *v1alpha1.SparkApplication) bool { return a.Status.Run == 2 })
	w.Succeed(app)
	if app.Spec.SparkConf["spark.executor.memory"] != "512m" || app.Spec.Executor.Memory != "" || app.Spec.Driver.MemoryOverhead != "1152m" {
		t.Errorf("patched: %+v %+v", app.Spec.SparkConf, app.Spec.Driver)
	}
}
