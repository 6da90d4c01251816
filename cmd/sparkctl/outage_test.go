// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/cmd/sparkctl/internal/cli"
)

// away is the answer of an API server, or of its load balancer, that restarts.
func away() reply {
	return refusal(503, metav1.StatusReasonServiceUnavailable, "the server is currently unable to handle the request")
}

// TestFollowThroughAnOutage: an API server that does not answer for a moment while the driver is looked for, or while
// its log is opened, ends neither logs -f nor submit: the run continues.
func TestFollowThroughAnOutage(t *testing.T) {
	t.Parallel()
	const manifest = "apiVersion: sparkgate.io/v1alpha1\nkind: SparkApplication\nmetadata: {name: pi}\n"
	const pods, log = "GET /api/v1/namespaces/spark/pods", "GET /api/v1/namespaces/spark/pods/driver/log"
	line := reply{200, "a line"}
	for name, tt := range map[string]struct{ pods, log []reply }{
		"no list of pods": {append([]reply{away(), refusal(500, metav1.StatusReasonInternalError, "etcdserver: leader changed")}, listOf(driverPod())...), []reply{line}},
		"no log":          {listOf(driverPod()), []reply{away(), line}},
	} {
		for _, command := range []string{"logs pi -f", "submit -f - --logs"} {
			t.Run(name+": "+command, func(t *testing.T) {
				t.Parallel()
				running := applicationWith(v1alpha1.RunningReason, "the driver runs", nil)
				states := append(append(running, running...), append(running, applicationWith(v1alpha1.SucceededReason, "run 2 succeeded", nil)...)...)
				_, kubeconfig := startAPIServer(t, "mine", map[string][]reply{
					"POST /apis/sparkgate.io/v1alpha1/namespaces/spark/sparkapplications": running,
					apis + "namespaces/spark/sparkapplications/pi":                        states,
					pods: tt.pods, log: tt.log,
				})
				code, out, problem := call(manifest, append(strings.Fields(command), "--kubeconfig="+kubeconfig)...)
				if code != 0 || !strings.Contains(out, "a line") {
					t.Errorf("exit code %d, %q, %q", code, out, problem)
				}
			})
		}
	}
}

// TestSubmitWithoutTheRightToLogs: the run was created and continues, so a missing right to its log does not end the wait
// for it with the exit code of an application that could not be created.
func TestSubmitWithoutTheRightToLogs(t *testing.T) {
	t.Parallel()
	const manifest = "apiVersion: sparkgate.io/v1alpha1\nkind: SparkApplication\nmetadata: {name: pi}\n"
	forbidden := refusal(403, metav1.StatusReasonForbidden, `pods is forbidden: User "ci" cannot list resource "pods"`)
	for command, code := range map[string]int{"submit -f - --logs": 0, "logs pi -f": cli.ExitFailed} {
		running := applicationWith(v1alpha1.RunningReason, "the driver runs", nil)
		s, kubeconfig := startAPIServer(t, "mine", map[string][]reply{
			"POST /apis/sparkgate.io/v1alpha1/namespaces/spark/sparkapplications": running, "GET /api/v1/namespaces/spark/pods": {forbidden},
			apis + "namespaces/spark/sparkapplications/pi": append(append(running, running...), applicationWith(v1alpha1.SucceededReason, "run 2 succeeded", nil)...),
		})
		got, _, problem := call(manifest, append(strings.Fields(command), "--kubeconfig="+kubeconfig)...)
		if got != code || strings.Count(problem, "you may not list pods in namespace spark") != 1 {
			t.Errorf("%s: exit code %d, %q", command, got, problem)
		}
		asked := 0
		for _, call := range s.calls {
			if call == "GET /api/v1/namespaces/spark/pods" {
				asked++
			}
		}
		if asked != 1 {
			t.Errorf("%s: the pods were listed %d times", command, asked)
		}
	}
}

// TestLogThatBreaksOff: after an interruption, also one with an API server that is away, the log is opened again from
// the time of the last line on.
func TestLogThatBreaksOff(t *testing.T) {
	t.Parallel()
	for name, outage := range map[string]int{"the connection": 0, "the API server": 3} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var since []string
			looks, ended := 0, false
			mux := http.NewServeMux()
			mux.HandleFunc("GET /apis/sparkgate.io/v1alpha1/namespaces/spark/sparkapplications/pi", func(w http.ResponseWriter, _ *http.Request) {
				app := applicationWith(v1alpha1.RunningReason, "the driver runs", nil)
				if ended {
					app = applicationWith(v1alpha1.SucceededReason, "run 2 succeeded", nil)
				}
				_ = json.NewEncoder(w).Encode(app[0].body)
			})
			pod := driverPod()
			mux.HandleFunc("GET /api/v1/namespaces/spark/pods", func(w http.ResponseWriter, _ *http.Request) {
				_ = json.NewEncoder(w).Encode(listOf(pod)[0].body)
			})
			mux.HandleFunc("GET /api/v1/namespaces/spark/pods/driver", func(w http.ResponseWriter, _ *http.Request) {
				looks++
				now := pod
				if now.Status.ContainerStatuses = nil; !ended {
					now.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "spark-kubernetes-driver", State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}}}
				}
				if looks <= outage {
					w.WriteHeader(http.StatusServiceUnavailable)
				}
				_ = json.NewEncoder(w).Encode(now)
			})
			mux.HandleFunc("GET /api/v1/namespaces/spark/pods/driver/log", func(w http.ResponseWriter, r *http.Request) {
				since = append(since, r.URL.Query().Get("sinceSeconds"))
				fmt.Fprintf(w, "line %d\n", len(since))
				if len(since) == 1 {
					_ = http.NewResponseController(w).Flush()
					panic(http.ErrAbortHandler)
				}
				ended = true
			})
			kubeconfig := serve(t, "mine", locked(mux))
			code, out, problem := call("", "logs", "pi", "-f", "--kubeconfig="+kubeconfig)
			if code != 0 || out != "line 1\nline 2\n" || !strings.Contains(problem, "The log of pod driver was interrupted and is reopened") {
				t.Fatalf("exit code %d, %q, %q", code, out, problem)
			}
			const settles = 15 // the seconds for which the container is looked at before the log is opened again
			if from, _ := strconv.Atoi(since[1]); from < settles {
				t.Errorf("the log was opened again with the last %q seconds: the lines since the interruption are lost", since[1])
			}
		})
	}
}
