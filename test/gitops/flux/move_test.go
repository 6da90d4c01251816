// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package flux

import (
	"strings"
	"testing"

	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// TestRename: a manifest of another name is another application. It runs, although the one before has succeeded, unless it is suspended.
func TestRename(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "8Gi")
	w.deploy(files{"jobs/one.yaml": w.Manifest("one"), "jobs/two.yaml": w.Manifest("two")}, map[string][]string{"jobs": healthCheckExprs(t, "suspendedIsDone")})
	w.SucceedAll(w.App("one"), w.App("two"))
	renamed := w.push(files{"jobs/one.yaml": w.Manifest("uno"), "jobs/two.yaml": w.Manifest("due", "suspend: true")})
	w.Succeed(w.App("uno"))
	w.ready("jobs", renamed)
	harness.Gone(t, w.App("one"))
	harness.Gone(t, w.App("two"))
	w.Ran("uno", "1/1")
	w.Ran("due")
}

// TestMoveToAnotherKustomization: what must not be pruned is taken over by another Kustomization while it runs; then it is as if it had always
// been there.
func TestMoveToAnotherKustomization(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "8Gi")
	const note = "Jobs of a team.\n"
	kept := strings.Replace(w.Manifest("pi"), "{name: pi}", "{name: pi, annotations: {kustomize.toolkit.fluxcd.io/prune: disabled}}", 1)
	w.deploy(files{"a/README.md": note, "b/README.md": note, "a/pi.yaml": w.Manifest("pi")}, map[string][]string{"a": nil, "b": nil})
	app := w.App("pi")
	w.Run(app)
	uid := app.UID
	w.push(files{"a/pi.yaml": kept})
	env.Until(t, "it is not to be pruned", func() bool { return len(w.Stored("pi").Annotations) > 0 })
	moved := w.push(files{"a/pi.yaml": "", "b/pi.yaml": kept})
	w.waits("b", moved)
	w.ready("a", moved)
	last := w.push(files{"b/pi.yaml": w.Manifest("pi")})
	w.waits("b", last)
	if now := w.Stored("pi"); now.UID != uid || now.DeletionTimestamp != nil || len(now.Annotations) > 0 || now.Labels["kustomize.toolkit.fluxcd.io/name"] != "b" {
		t.Errorf("it was touched, or is not that of b: %v %v", now.ObjectMeta, harness.Show(now))
	}
	w.End("pi", 0)
	w.ready("b", last)
	w.Ran("pi", "1/1")
	w.push(files{"b/pi.yaml": ""})
	harness.Gone(t, app)
}
