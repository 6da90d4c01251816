// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package queues

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// TestLoansAreShown: who borrows and who has lent, in the status, in `kubectl get` and in `kubectl describe`.
func TestLoansAreShown(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "1Gi", nil)
	operator.Use(t)
	root := harness.Queue(t, w.Namespace+"-root", "", "")
	lender := harness.Queue(t, w.Namespace+"-lender", root.Name, "3Gi")
	harness.Change(t, lender, func(q *v1alpha1.SparkQueue) {
		q.Spec.Flavors[0].Quotas = append(q.Spec.Flavors[0].Quotas, v1alpha1.ResourceQuota{Resource: "nvidia.com/gpu", Nominal: resource.MustParse("2")})
	})
	harness.Change(t, w.Queue, func(q *v1alpha1.SparkQueue) { q.Spec.Parent = root.Name })
	becomes(t, w.Queue, "Active", "Current")
	becomes(t, lender, "Active", "Current")
	app := w.Apply("pi") // 2688Mi
	w.Run(app)

	lends(t, w.Queue, "1664Mi", "", "0.41")
	lends(t, lender, "", "1664Mi", "0")
	lends(t, root, "", "", "")
	wide(t, w.Queue, "True "+root.Name+" 0 1 2.625Gi/1Gi 0/0 0.41")
	wide(t, lender, "True "+root.Name+" 0 0 0/3Gi 0/2 0")
	wide(t, root, "True 0 1 2.625Gi/4Gi 0/2")
	described, err := env.Kubectl(t, "describe", "sgq", lender.Name)
	if err != nil || !strings.Contains(described, "Lent:      1664Mi") {
		t.Errorf("kubectl describe does not say what is lent: %v\n%s", err, described)
	}

	finish(t, w, app)
	lends(t, w.Queue, "", "", "0")
	lends(t, lender, "", "", "0")
}

// TestQueueIsMeasured: who waits and why, and how long those have waited that no longer wait.
func TestQueueIsMeasured(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "3Gi", nil)
	operator.Use(t)
	w.Run(w.Apply("first"))
	waits(t, w.Apply("second"), "WaitingForQuota")
	waits(t, w.Apply("large", func(app *v1alpha1.SparkApplication) { app.Spec.Driver.Memory = "9g" }), "ExceedsQuota")
	queue := "queue=" + w.Queue.Name
	for metric, want := range map[string]float64{
		"sparkgate_queue_pending":                                 1,
		"sparkgate_queue_waiting":                                 2,
		"sparkgate_queue_waiting reason=WaitingForQuota":          1,
		"sparkgate_queue_waiting reason=ExceedsQuota":             1,
		"sparkgate_queue_wait_seconds":                            1,
		"sparkgate_queue_usage flavor=default resource=pods":      3,
		"sparkgate_queue_nominal flavor=default resource=memory":  3 << 30,
		"sparkgate_queue_borrowed flavor=default resource=memory": 0,
	} {
		words := strings.Fields(metric)
		// Other tests change their queues at the same time: what is counted by cycles may be between two.
		harness.MeasuredSoon(t, want, words[0], append(words[1:], queue)...)
	}
	if harness.Measured(t, "sparkgate_queue_cycle_seconds") == 0 {
		t.Error("no cycle is measured")
	}
}

// lends waits until a queue shows that it borrows and lends that much memory, and that share. Empty is none.
func lends(t *testing.T, queue *v1alpha1.SparkQueue, borrowed, lent, share string) {
	t.Helper()
	text := func(q *resource.Quantity) string {
		if q == nil {
			return ""
		}
		return q.String()
	}
	harness.Eventually(t, queue, "borrowing "+borrowed+" and lending "+lent, func(q *v1alpha1.SparkQueue) bool {
		for _, u := range q.Status.Usage {
			if u.Resource == "memory" {
				return text(u.Borrowed) == borrowed && text(u.Lent) == lent && q.Status.Share == share
			}
		}
		return false
	})
}

// wide compares the columns of `kubectl get -o wide` behind the name with what they should begin with.
func wide(t *testing.T, queue *v1alpha1.SparkQueue, want string) {
	t.Helper()
	out, err := env.Kubectl(t, "get", "sgq", "-o", "wide", queue.Name)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out), "\n")
	want = queue.Name + " " + want
	if got := strings.Join(strings.Fields(lines[len(lines)-1]), " "); !strings.HasPrefix(got, want) {
		t.Errorf("kubectl get says %q, want it to begin with %q\n%s", got, want, out)
	}
}
