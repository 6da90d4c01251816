// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package driverlog

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/sparkgate/sparkgate/internal/job/pods"
)

// apiServer serves one pod and its log as kube-apiserver does.
type apiServer struct {
	pod corev1.Pod
	// log handles requests of the log; nil returns three lines.
	log http.HandlerFunc

	mu    sync.Mutex
	asked []string // for logs, with the query
}

func (s *apiServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !strings.HasSuffix(r.URL.Path, "/log") {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(&s.pod)
		return
	}
	s.mu.Lock()
	s.asked = append(s.asked, r.URL.RequestURI())
	s.mu.Unlock()
	if s.log != nil {
		s.log(w, r)
		return
	}
	_, _ = w.Write([]byte("one\ntwo\nthree\n"))
}

func (s *apiServer) times() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.asked)
}

// start starts the server, and returns a reader that uses it.
func (s *apiServer) start(t *testing.T) (*Reader, *clocktesting.FakePassiveClock) {
	t.Helper()
	s.pod = corev1.Pod{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
		ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "pi-driver", UID: "pi-uid"},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "spark-kubernetes-driver"}, {Name: "proxy"}}},
	}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	client, err := corev1client.NewForConfig(&rest.Config{Host: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	c := clocktesting.NewFakePassiveClock(time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC))
	r := New(client, c)
	r.timeout = time.Minute // so that a slow machine does not decide
	return r, c
}

func record(uid types.UID, node string) *pods.Record {
	return &pods.Record{Origin: &pods.Origin{Namespace: "team"}, Name: "pi-driver", UID: uid, Node: node}
}

// TestBegin: the beginning is read without counting lines.
func TestBegin(t *testing.T) {
	t.Parallel()
	s := &apiServer{}
	r, _ := s.start(t)
	got := r.Begin(t.Context(), record("pi-uid", "node-1"))
	if got != "one\ntwo\nthree\n" || s.times() != 1 || strings.Contains(s.asked[0], "tailLines") || !strings.Contains(s.asked[0], "limitBytes=262144") {
		t.Errorf("got %q by %v", got, s.asked)
	}
}

func TestReader(t *testing.T) {
	t.Parallel()
	code := func(code int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no such node", code) }
	}
	tests := map[string]struct {
		log   http.HandlerFunc
		uid   types.UID
		want  string
		asked int
	}{
		"the end":                       {nil, "pi-uid", "one\ntwo\nthree\n", 1},
		"another pod has the same name": {nil, "old-uid", "", 0},
		"the node is not there":         {code(http.StatusNotFound), "pi-uid", "", 1},
		"the kubelet has an error":      {code(http.StatusInternalServerError), "pi-uid", "", 1},
		"the operator may not read":     {code(http.StatusForbidden), "pi-uid", "", 1},
		"cut off in the middle": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = w.Write([]byte("one\n"))
		}, "pi-uid", "", 1},
		"so long lines that their end is missing": {func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.RawQuery, "tailLines=20") {
				_, _ = w.Write([]byte("the end\n"))
				return
			}
			_, _ = w.Write([]byte(strings.Repeat("0123456789\n", 50_000)))
		}, "pi-uid", "the end\n", 3},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &apiServer{log: tc.log}
			r, _ := s.start(t)
			got := r.End(t.Context(), record(tc.uid, "node-1"))
			if got != tc.want || s.times() != tc.asked {
				t.Errorf("got %q after %d requests, want %q after %d", got, s.times(), tc.want, tc.asked)
			}
		})
	}
}

// TestWhatIsAsked: the request is for the right container and has limits.
func TestWhatIsAsked(t *testing.T) {
	t.Parallel()
	s := &apiServer{}
	r, _ := s.start(t)
	r.End(t.Context(), record("pi-uid", "node-1"))
	want := "/api/v1/namespaces/team/pods/pi-driver/log?container=spark-kubernetes-driver&limitBytes=262144&tailLines=1200"
	if s.times() != 1 || s.asked[0] != want {
		t.Errorf("asked %v, want %s", s.asked, want)
	}
}

// TestNodeThatDoesNotAnswer: the caller continues after the timeout. The node is not asked again for a minute, other
// nodes are.
func TestNodeThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	ctx, timeIsOver := context.WithCancel(t.Context())
	var answers atomic.Bool
	s := &apiServer{log: func(w http.ResponseWriter, r *http.Request) {
		if answers.Load() {
			_, _ = w.Write([]byte("one"))
			return
		}
		timeIsOver()
		<-r.Context().Done()
	}}
	r, c := s.start(t)
	if got := r.End(ctx, record("pi-uid", "silent")); got != "" {
		t.Errorf("got %q from a node that does not answer", got)
	}
	answers.Store(true)
	for _, step := range []struct{ node, want string }{{"silent", ""}, {"other", "one"}, {"silent", ""}} {
		if got := r.End(t.Context(), record("pi-uid", step.node)); got != step.want {
			t.Errorf("got %q from the node %s, want %q", got, step.node, step.want)
		}
	}
	if s.times() != 2 {
		t.Errorf("%d logs were asked for, want 2", s.times())
	}
	c.SetTime(c.Now().Add(nodePause))
	if got := r.End(t.Context(), record("pi-uid", "silent")); got != "one" {
		t.Errorf("got %q; the node is not asked again", got)
	}
}
