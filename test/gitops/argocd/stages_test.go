// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package argocd

import (
	"fmt"
	"testing"

	apimeta "k8s.io/apimachinery/pkg/api/meta"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// said returns the message that a health check passes on.
func said(app *v1alpha1.SparkApplication) string {
	for _, kind := range []string{"Stalled", "Reconciling", "Ready"} {
		if c := apimeta.FindStatusCondition(app.Status.Conditions, kind); c != nil {
			return c.Message
		}
	}
	return ""
}

// shows waits until an application is in a stage and Argo CD shows its health. Then it has everything compared anew: the message is that of
// the application, which Argo CD does not look for otherwise while the health stays the same; the Application is synced, and nothing was
// repaired for it.
func (w *world) shows(name, stage, health, revision string) {
	w.t.Helper()
	w.Reach(w.App(name), stage)
	look := func() node { return w.node(v1alpha1.SparkApplicationKind, name) }
	env.UntilSeen(w.t, fmt.Sprintf("Argo CD shows %s, which is %s, as %s", name, stage, health), func() (bool, node) {
		n := look()
		return n.Health.Status == health, n
	})
	before, after := w.verdict(w.Namespace), w.compared()
	env.UntilSeen(w.t, "Argo CD shows the message of "+name, func() (bool, node) {
		n, app := look(), w.Stored(name)
		if n.Health.Message == said(app) && n.Health.Status == health && harness.Stage(app) == stage {
			return true, n
		}
		after = w.compared()
		return false, n
	})
	if after.Status.Sync.Status != synced || after.Status.Sync.Revision != revision {
		w.t.Errorf("%s is %s: Argo CD calls it %+v, want it synced with %s", name, stage, after.Status.Sync, revision)
	}
	if after.Status.OperationState.StartedAt != before.Status.OperationState.StartedAt {
		w.t.Errorf("%s is %s: Argo CD has repaired something: %+v", name, stage, after.Status.OperationState)
	}
}

// compared has everything compared anew and returns the result.
func (w *world) compared() verdict {
	w.t.Helper()
	w.refresh("hard")
	w.until("is compared", func(v verdict) bool { return v.Metadata.Annotations[refreshAnnotation] == "" })
	return w.verdict(w.Namespace)
}

// ways are how Argo CD can compare with Git, and apply.
var ways = map[string]way{
	"client-side":      {},
	"server-side":      {sync: []string{"ServerSideApply=true"}},
	"server-side diff": {sync: []string{"ServerSideApply=true"}, compare: "ServerSideDiff=true,IncludeMutationWebhook=true"},
}

// TestEveryStage: Argo CD shows the health of every stage with the operator's message, and sees no difference to Git in any of them,
// however it compares and applies. No field is exempt from the comparison.
func TestEveryStage(t *testing.T) {
	t.Parallel()
	for name, how := range ways {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "6Gi") // for two
			w.Run(w.Apply("first"))
			revision := w.deployWith(files{
				"jobs/stream.yaml":  w.Manifest("stream", "readyWhen: Running"),
				"jobs/invalid.yaml": w.Manifest("invalid", "sparkConf: {spark.master: local}"),
				"jobs/lost.yaml":    w.Manifest("lost", "sparkConfigMap: not-there"),
			}, how)
			w.Kubelet.Executors(t.Context(), w.Run(w.App("stream")), 2)
			w.shows("stream", "Running", healthy, revision)
			w.shows("invalid", "InvalidSpec", degraded, revision)
			w.shows("lost", "ReferenceNotFound", progressing, revision)
			w.lives("pi")
		})
	}
}

// lives takes an application of Git through its stages, after the application first has left its quota.
func (w *world) lives(name string) {
	w.t.Helper()
	file, retry := "jobs/"+name+".yaml", "restartPolicy: {type: OnFailure, maxAttempts: 2, backoff: {initial: 1h, max: 1h}}"
	revision := w.push(files{file: w.Manifest(name, retry)})
	w.shows(name, "Queued", progressing, revision)
	w.End("first", 0)
	w.Driver(w.App(name))
	w.shows(name, "Starting", progressing, revision)
	w.Run(w.App(name))
	w.shows(name, "Running", progressing, revision)
	w.isPreempted(name, revision)
	w.Run(w.App(name))
	w.End(name, 1)
	w.shows(name, "AttemptFailed", progressing, revision)
	revision = w.push(files{file: w.Manifest(name, retry, "suspend: true")})
	w.shows(name, "Suspended", suspended, revision)
	revision = w.push(files{file: w.Manifest(name, "runID: again")})
	w.Run(w.App(name))
	w.End(name, 1)
	w.shows(name, "Failed", degraded, revision)
	revision = w.push(files{file: w.Manifest(name, "runID: once more")})
	w.Succeed(w.App(name))
	w.shows(name, "Succeeded", healthy, revision)
}

// isPreempted drains the queue while an application of Git runs, and opens it again. The driver takes its time to end.
func (w *world) isPreempted(name, revision string) {
	w.t.Helper()
	stop := func(policy v1alpha1.StopPolicy) {
		harness.Change(w.t, w.Queue, func(q *v1alpha1.SparkQueue) { q.Spec.StopPolicy = policy })
	}
	w.HoldPods(true)
	stop(v1alpha1.StopPolicyHoldAndDrain)
	w.shows(name, "Finalizing", progressing, revision)
	w.HoldPods(false)
	w.shows(name, "Preempted", progressing, revision)
	stop(v1alpha1.StopPolicyNone)
}
