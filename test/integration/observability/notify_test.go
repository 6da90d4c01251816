// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package observability

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// told is what a receiver was sent of one application.
type told struct {
	InvolvedObject struct{ Namespace, Name string }
	Severity       string
	Reason         string
	Message        string
}

// TestNotifications: a receiver that hangs delays nothing; once it answers it hears of every end, in words that are also in
// the Kubernetes events.
func TestNotifications(t *testing.T) {
	w := harness.NewWorld(t, "8Gi", nil)
	var mu sync.Mutex
	var heard []told
	awake := make(chan struct{})
	receiver := httptest.NewServer(http.HandlerFunc(func(answer http.ResponseWriter, r *http.Request) {
		var e told
		if err := json.NewDecoder(r.Body).Decode(&e); err != nil {
			t.Errorf("an event cannot be read: %v", err)
		}
		select {
		case <-awake:
		case <-r.Context().Done(): // the sender gives up; it will try again
			return
		}
		mu.Lock()
		defer mu.Unlock()
		if e.InvolvedObject.Namespace == w.Namespace {
			heard = append(heard, e)
		}
		answer.WriteHeader(http.StatusAccepted)
	}))
	t.Cleanup(receiver.Close)
	harness.StartOperator(t, harness.OperatorOptions{EventsAddr: receiver.URL})

	good, bad := w.Apply("good"), w.Apply("bad")
	goodDriver, badDriver := w.Run(good), w.Run(bad)
	w.Kubelet.Finish(t.Context(), goodDriver, 0, "Completed")
	w.Reach(good, "Succeeded")
	w.Kubelet.Finish(t.Context(), badDriver, 3, "Error")
	w.Reach(bad, "Failed")
	close(awake)
	harness.Eventually(t, good, "heard of", func(*v1alpha1.SparkApplication) bool {
		mu.Lock()
		defer mu.Unlock()
		return len(heard) >= 2
	})
	want := []told{
		{Severity: "info", Reason: "Succeeded", Message: "run 1 succeeded"},
		{Severity: "error", Reason: "Failed", Message: "run 1 failed: driver ended with exit code 3 (Error)"},
	}
	want[0].InvolvedObject.Namespace, want[0].InvolvedObject.Name = w.Namespace, "good"
	want[1].InvolvedObject.Namespace, want[1].InvolvedObject.Name = w.Namespace, "bad"
	mu.Lock()
	defer mu.Unlock()
	if diff := cmp.Diff(want, heard); diff != "" {
		t.Errorf("what the receiver heard (-want +got):\n%s", diff)
	}
	harness.Eventually(t, bad, "told by an event", func(*v1alpha1.SparkApplication) bool {
		events := &corev1.EventList{}
		if err := env.Client().List(t.Context(), events, client.InNamespace(w.Namespace)); err != nil {
			return false
		}
		for i := range events.Items {
			if e := &events.Items[i]; e.InvolvedObject.Name == "bad" && e.Reason == "Failed" && e.Message == want[1].Message {
				return true
			}
		}
		return false
	})
}
