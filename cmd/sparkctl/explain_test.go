// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	explainv1 "github.com/sparkgate/sparkgate/api/explain/v1"
	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/testing/golden"
)

// reply is an answer of the tests' API server.
type reply struct {
	code int
	body any
}

const (
	proxied = "GET /api/v1/namespaces/sparkgate-system/services/https:sparkgate-explain:https/proxy/explain/v1/"
	apis    = "GET /apis/sparkgate.io/v1alpha1/"
	tokens  = "POST /api/v1/namespaces/sparkgate-system/serviceaccounts/sparkgate-explain/token"
)

// apiServer answers by method and path. The last of several answers is repeated. It records the calls, the
// last body of each, and the tokens in the operator's own header. A path that ends with a slash stands for all below it.
type apiServer struct {
	t       *testing.T
	mu      sync.Mutex
	replies map[string][]reply
	carried []string
	calls   []string
	bodies  map[string]string
}

func (s *apiServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	call := r.Method + " " + r.URL.Path
	body, err := io.ReadAll(r.Body)
	if err != nil {
		s.t.Error(err)
	}
	s.calls, s.bodies[call] = append(s.calls, call), string(body)
	if token := r.Header.Get(explainv1.TokenHeader); token != "" {
		s.carried = append(s.carried, token)
	}
	answer := refusal(404, "NotFound", call+" is not there")
	for _, known := range []string{call, path.Dir(call) + "/"} {
		if given := s.replies[known]; len(given) > 0 {
			if answer = given[0]; len(given) > 1 {
				s.replies[known] = given[1:]
			}
			break
		}
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(answer.code)
	if err := json.NewEncoder(w).Encode(answer.body); err != nil {
		s.t.Error(err)
	}
}

// refusal is an error that the API server itself returns.
func refusal(code int, reason metav1.StatusReason, message string) reply {
	return reply{code, metav1.Status{
		TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusFailure, Code: int32(code), Reason: reason, Message: message,
	}}
}

// startAPIServer returns the server and the path of a kubeconfig for it.
func startAPIServer(t *testing.T, token string, replies map[string][]reply) (*apiServer, string) {
	t.Helper()
	s := &apiServer{t: t, replies: replies, bodies: map[string]string{}}
	return s, serve(t, token, s)
}

// serve starts an API server and returns the path of a kubeconfig for it.
func serve(t *testing.T, token string, handler http.Handler) (kubeconfigPath string) {
	t.Helper()
	server := httptest.NewTLSServer(handler) // tokens go over TLS only
	t.Cleanup(server.Close)
	authority := base64.StdEncoding.EncodeToString(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}))
	file := filepath.Join(t.TempDir(), "kubeconfig")
	kubeconfig := fmt.Sprintf(`{kind: Config, apiVersion: v1, current-context: test,
clusters: [{name: test, cluster: {server: %q, certificate-authority-data: %q}}],
users: [{name: test, user: {token: %q}}],
contexts: [{name: test, context: {cluster: test, user: test, namespace: spark}}]}`, server.URL, authority, token)
	if err := os.WriteFile(file, []byte(kubeconfig), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// locked is a handler that answers one request after the other.
func locked(next http.Handler) http.Handler {
	var mu sync.Mutex
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		next.ServeHTTP(w, r)
	})
}

// fromPage returns an answer in the documentation, by its heading.
func fromPage(t *testing.T, heading string) json.RawMessage {
	t.Helper()
	page, err := os.ReadFile("../../docs/explain.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(page), "\n## "+heading+"\n")
	if !found {
		t.Fatalf("docs/explain.md has no %q", heading)
	}
	return json.RawMessage(fence(rest, "json"))
}

// applicationWith returns an application of the tests in a stage.
func applicationWith(stage, message string, change func(*v1alpha1.SparkApplicationStatus)) []reply {
	app := &v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{Namespace: "spark", Name: "pi", UID: "1"}}
	app.Status = v1alpha1.SparkApplicationStatus{
		Run: 2, Attempt: 1, Queue: "team-a",
		Times:      v1alpha1.ApplicationTimes{OpenTimes: v1alpha1.OpenTimes{Queued: &metav1.Time{Time: time.Date(2026, 9, 1, 10, 0, 0, 0, time.UTC)}}},
		Conditions: []metav1.Condition{{Type: v1alpha1.ReadyCondition, Status: metav1.ConditionUnknown, Reason: stage, Message: message}},
	}
	if change != nil {
		change(&app.Status)
	}
	return []reply{{200, app}}
}

func notAdmitted(reason, message string) func(*v1alpha1.SparkApplicationStatus) {
	return func(s *v1alpha1.SparkApplicationStatus) {
		s.Conditions = append(s.Conditions, metav1.Condition{Type: v1alpha1.AdmittedCondition, Status: metav1.ConditionFalse, Reason: reason, Message: message})
	}
}

// queueWith returns the queue of the tests with that many waiting applications. pi is the last one.
func queueWith(inLine int) []reply {
	q := &v1alpha1.SparkQueue{ObjectMeta: metav1.ObjectMeta{Name: "team-a"}, Spec: v1alpha1.SparkQueueSpec{Parent: "root", StopPolicy: v1alpha1.StopPolicyHold}}
	q.Status = v1alpha1.SparkQueueStatus{Pending: int32(inLine), Admitted: 1, Usage: []v1alpha1.QueueUsage{
		{Flavor: "default", Resource: "cpu", Used: resource.MustParse("1200m"), Nominal: ptr.To(resource.MustParse("1")), Borrowed: ptr.To(resource.MustParse("200m"))},
		{Flavor: "default", Resource: "pods", Used: resource.MustParse("3")},
	}}
	for i := range inLine {
		head := v1alpha1.QueueHead{Position: int32(i + 1), Kind: v1alpha1.SparkApplicationKind, Namespace: "spark", Name: fmt.Sprintf("job-%d", i+1), Priority: int32(inLine - i - 1)}
		if i == inLine-1 {
			head.Name = "pi"
		}
		q.Status.Heads = append(q.Status.Heads, head)
	}
	return []reply{{200, q}}
}

func TestExplain(t *testing.T) {
	t.Parallel()
	const app, queue = "namespaces/spark/applications/pi", "queues/team-a"
	const storedApp, storedQueue = apis + "namespaces/spark/sparkapplications/pi", apis + "sparkqueues/team-a"
	waiting := applicationWith("Queued", "in line", notAdmitted("WaitingForQuota", "needs cpu 600m"))
	standby := reply{503, explainv1.Problem{Reason: explainv1.NotLeader, Message: "another one leads"}}
	bad := func(code int, reason explainv1.ProblemReason, message string) []reply {
		return []reply{{code, explainv1.Problem{Reason: reason, Message: message}}}
	}
	tests := map[string]struct {
		args    []string
		noToken bool
		replies map[string][]reply
		code    int
		err     string
		// carried are the tokens that the operator receives.
		carried []string
	}{
		"waits": {args: []string{"pi"}, replies: map[string][]reply{proxied + app: {{200, fromPage(t, "An application that waits")}}}, carried: []string{"mine"}},
		"holds": {args: []string{"pi"}, replies: map[string][]reply{proxied + app: {{200, fromPage(t, "An application that holds quota")}}}, carried: []string{"mine"}},
		"queue": {args: []string{"queue", "team-a"}, replies: map[string][]reply{proxied + queue: {{200, fromPage(t, "A queue")}}}, carried: []string{"mine"}},
		"others": {args: []string{"pi"}, replies: map[string][]reply{proxied + app: {{200, explainv1.Application{
			Namespace: "spark", Name: "pi", Queue: "team-a", State: explainv1.Waiting, Stage: "Preempted", Reason: "WaitingForQuota", Message: "the room is kept",
			Waits: &explainv1.Wait{
				Run: 1, Attempt: 3, Priority: 5, Position: 7, InLine: 9, Remedies: []string{"wait"},
				PodSets:     []explainv1.PodSet{{Name: "driver", Count: 1}, {Name: "executor", Count: 9, MinCount: 2}},
				Ahead:       []explainv1.Head{{Position: 5, Priority: 8}, {Position: 6, Kind: v1alpha1.SparkApplicationKind, Namespace: "spark", Name: "etl", Priority: 6}},
				ReservedFor: []explainv1.Head{{Kind: v1alpha1.SparkApplicationKind, Namespace: "spark", Name: "big", Priority: 9}},
			},
		}}}}, carried: []string{"mine"}},
		"evicting": {args: []string{"-n", "spark", "pi"}, replies: map[string][]reply{proxied + app: {{200, explainv1.Application{
			Namespace: "spark", Name: "pi", Queue: "team-a", State: explainv1.Evicting, Stage: "Running",
			Holds: &explainv1.Hold{Run: 1, Attempt: 1, Terminating: true, Eviction: &explainv1.Eviction{Reason: "Preempted", Message: "preempted by spark/etl: it is older"}},
		}}}}, carried: []string{"mine"}},
		"absent": {args: []string{"pi"}, replies: map[string][]reply{proxied + app: {{200, explainv1.Application{
			Namespace: "spark", Name: "pi", Queue: "team-a", State: explainv1.Absent, Stage: "Succeeded", StageMessage: "the driver ended with exit code 0",
		}}}}, carried: []string{"mine"}},
		"refused": {args: []string{"pi", "--namespace=spark"}, replies: map[string][]reply{proxied + app: {{200, explainv1.Application{
			Namespace: "spark", Name: "pi", Queue: "team-a", State: explainv1.Refused, Reason: "ExceedsQuota", Message: "needs cpu 9",
			Waits: &explainv1.Wait{Run: 1, Attempt: 1, Remedies: []string{"raise nominal of queue team-a for cpu of flavor default by 3, or request less"}},
		}}}}, carried: []string{"mine"}},
		"standby first": {
			args: []string{"pi"}, replies: map[string][]reply{proxied + app: {standby, standby, {200, fromPage(t, "An application that holds quota")}}},
			carried: []string{"mine", "mine", "mine"},
		},
		"as json": {args: []string{"pi", "-o", "json"}, replies: map[string][]reply{proxied + app: {{200, fromPage(t, "An application that waits")}}}, carried: []string{"mine"}},
		"borrowed token": {
			args: []string{"pi"}, noToken: true, carried: []string{"short-lived"},
			replies: map[string][]reply{
				proxied + app: {{200, fromPage(t, "An application that holds quota")}}, tokens: {{201, map[string]any{"status": map[string]any{"token": "short-lived"}}}},
			},
		},
		"status, nobody leads": {
			args: []string{"pi"}, replies: map[string][]reply{proxied + app: {standby}, storedApp: waiting, storedQueue: queueWith(8)},
			carried: strings.Fields(strings.Repeat("mine ", 32)),
		},
		"status, no Service": {args: []string{"pi"}, replies: map[string][]reply{storedApp: waiting, storedQueue: queueWith(1)}, carried: []string{"mine"}},
		"status, off": {
			args: []string{"pi"}, carried: []string{"mine"}, replies: map[string][]reply{
				proxied + app: {refusal(503, metav1.StatusReasonServiceUnavailable, "no endpoints available for service \"https:sparkgate-explain:https\"")},
				storedApp:     applicationWith("Queued", "in line", notAdmitted("WaitingForQuota", "needs cpu 600m")), storedQueue: {refusal(403, metav1.StatusReasonForbidden, "sparkqueues is forbidden")},
			},
		},
		"status, no way through": {
			args: []string{"pi", "-o=json"}, carried: []string{"mine"}, replies: map[string][]reply{
				proxied + app: {refusal(403, metav1.StatusReasonForbidden, "services is forbidden")},
				storedApp:     applicationWith("ReferenceNotFound", "queue team-a does not exist", nil),
				storedQueue:   {{404, metav1.Status{TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusFailure, Code: 404, Reason: metav1.StatusReasonNotFound, Details: &metav1.StatusDetails{Name: "team-a"}}}},
			},
		},
		"status, no token to be had": {
			args: []string{"pi"}, noToken: true, replies: map[string][]reply{
				tokens: {refusal(403, metav1.StatusReasonForbidden, "serviceaccounts is forbidden")},
				storedApp: applicationWith("Running", "the driver runs", func(s *v1alpha1.SparkApplicationStatus) {
					s.Grant = &v1alpha1.Grant{Run: 2, Attempt: 1, Queue: "team-a", PodSets: []v1alpha1.PodSetGrant{{Name: "driver", Flavor: "default", Count: 1}}}
				}), storedQueue: queueWith(0),
			},
		},
		"status, of another gate": {
			args: []string{"pi"}, carried: []string{"mine"}, replies: map[string][]reply{
				proxied + app: bad(404, explainv1.OtherGate, "gate Kueue decides on the application, not a SparkQueue"),
				storedApp: applicationWith("Queued", "ClusterQueue all: full", func(s *v1alpha1.SparkApplicationStatus) {
					s.Ask = &v1alpha1.Ask{Gate: "Kueue"}
					notAdmitted("WaitingForQuota", "ClusterQueue all: full")(s)
				}),
				storedQueue: queueWith(1), // has the same name
			},
		},
		"status of a queue": {
			args: []string{"queue", "team-a"}, carried: []string{"mine"},
			replies: map[string][]reply{proxied + queue: bad(403, explainv1.NotAllowed, "ann may not get sparkqueues team-a"), storedQueue: queueWith(2)},
		},
		"status, ended": {args: []string{"pi"}, carried: []string{"mine"}, replies: map[string][]reply{
			storedApp: applicationWith("Succeeded", "the driver ended with exit code 0", nil), storedQueue: queueWith(0),
		}},
		"nowhere": {
			args: []string{"pi"}, code: 1, carried: []string{"mine"}, replies: map[string][]reply{proxied + app: bad(404, explainv1.NotFound, "sparkapplication spark/pi not found")},
			err: "read the application: ",
		},
		"no names":    {code: 2, err: "name one application, or a queue: NAME, sgapp/NAME, queue NAME or sgq/NAME"},
		"three names": {args: []string{"queue", "a", "b"}, code: 2, err: "name one application"},
		"output":      {args: []string{"pi", "-o", "xml"}, code: 2, err: "set it to text, json or yaml"},
		"flag":        {args: []string{"pi", "--all"}, code: 2, err: "see sparkctl explain --help"},
		"context":     {args: []string{"pi", "--context", "nine"}, code: 1, err: "read the kubeconfig"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			token := "mine"
			if tc.noToken {
				token = ""
			}
			server, kubeconfig := startAPIServer(t, token, tc.replies)
			code, out, problem := call("", append([]string{"explain", "--kubeconfig", kubeconfig}, tc.args...)...)
			if code != tc.code || !strings.Contains(problem, tc.err) || (problem == "") != (code == 0) {
				t.Fatalf("exit code %d, error %q; want %d, %q", code, problem, tc.code, tc.err)
			}
			if diff := cmp.Diff(tc.carried, server.carried); diff != "" {
				t.Errorf("tokens (-want +got):\n%s", diff)
			}
			if code == 0 {
				golden.Compare(t, filepath.Join("testdata", "explain", strings.ReplaceAll(strings.ReplaceAll(name, ",", ""), " ", "-")+".txt"), out)
			}
		})
	}
}

// TestExplainWithoutACluster: the error names what cannot be reached.
func TestExplainWithoutACluster(t *testing.T) {
	t.Parallel()
	_, kubeconfig := startAPIServer(t, "mine", nil)
	data, err := os.ReadFile(kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	nowhere := filepath.Join(t.TempDir(), "kubeconfig")
	text := strings.ReplaceAll(string(data), "https://127.0.0.1:", "https://127.0.0.1:1/")
	if err := os.WriteFile(nowhere, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	code, _, problem := call("", "explain", "--kubeconfig", nowhere, "pi")
	if code != 1 || !strings.Contains(problem, "connection refused") {
		t.Errorf("exit code %d: %s", code, problem)
	}
}
