// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"crypto/tls"
	"encoding/json"
	"io"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	explainv1 "github.com/sparkgate/sparkgate/api/explain/v1"
	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
)

// ask asks a replica directly.
func ask(t *testing.T, r *replica, path, token string) (code int, body []byte) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://"+r.address+"/explain/v1/"+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}} // the certificate is the process's own
	defer transport.CloseIdleConnections()
	response, err := (&http.Client{Transport: transport}).Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err = io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, body
}

// TestRights: what a user may get is explained to that user, and nothing else; by the replica that leads.
func TestRights(t *testing.T) {
	install(t)
	leader, standby := pair(t, "127.0.0.1")
	l := newLine(t)
	tokens := map[string]string{
		"none": "", "garbage": "garbage", "stranger": account(t, l.Namespace, "stranger"),
		"tenant": account(t, l.Namespace, "tenant"), "chief": account(t, l.Namespace, "chief"),
		"for somebody else": token(t, &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: l.Namespace, Name: "chief"}}, "https://vault.example.com"),
		"for explanations":  token(t, &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: system, Name: "sparkgate-explain"}}),
	}
	mayViewIn(t, l.Namespace, "tenant")
	mayViewAll(t, l.Namespace, "chief")

	pi, queue := "namespaces/"+l.Namespace+"/applications/pi", "queues/"+l.Queue.Name
	gone, others := "namespaces/"+l.Namespace+"/applications/gone", "namespaces/"+l.other+"/applications/first"
	const ok, noToken, badToken, notAllowed = "", explainv1.NoToken, explainv1.BadToken, explainv1.NotAllowed
	for _, tc := range []struct {
		token string
		path  string
		code  int
		why   explainv1.ProblemReason
	}{
		{"none", pi, 401, noToken},
		{"garbage", pi, 401, badToken},
		{"for somebody else", pi, 401, badToken},
		{"stranger", pi, 403, notAllowed},
		{"stranger", gone, 403, notAllowed},
		{"stranger", queue, 403, notAllowed},
		{"tenant", pi, 200, ok},
		{"tenant", gone, 404, explainv1.NotFound},
		{"tenant", others, 403, notAllowed},
		{"tenant", queue, 403, notAllowed},
		{"chief", pi, 200, ok},
		{"chief", others, 200, ok},
		{"chief", queue, 200, ok},
		{"chief", "queues/gone", 404, explainv1.NotFound},
		{"for explanations", pi, 200, ok},
		{"for explanations", queue, 200, ok},
	} {
		code, body := ask(t, leader, tc.path, tokens[tc.token])
		var p explainv1.Problem
		if err := json.Unmarshal(body, &p); err != nil || code != tc.code || p.Reason != tc.why {
			t.Errorf("%s, %s: %d %s (%v); want %d %s", tc.token, tc.path, code, body, err, tc.code, tc.why)
		}
		if code, body := ask(t, standby, tc.path, tokens[tc.token]); tc.code == 200 && code != 503 || tc.code == 401 && code != 401 || tc.code == 403 && code != 403 {
			t.Errorf("%s, %s, of the one that stands by: %d %s", tc.token, tc.path, code, body)
		}
	}
	l.checkAnswers(t, leader, tokens)
}

// checkAnswers: what the answer says, and with which names.
func (l *line) checkAnswers(t *testing.T, leader *replica, tokens map[string]string) {
	t.Helper()
	for name, want := range map[string]explainv1.Head{
		"chief": {Position: 1, Kind: v1alpha1.SparkApplicationKind, Namespace: l.other, Name: "first", Priority: 7}, "tenant": {Position: 1, Priority: 7},
	} {
		var body []byte
		var a explainv1.Application
		env.Until(t, name+" is shown the application in line", func() bool { // the operator hears of the stage that it has written a little later
			a = explainv1.Application{}
			_, body = ask(t, leader, "namespaces/"+l.Namespace+"/applications/pi", tokens[name])
			return json.Unmarshal(body, &a) == nil && a.Stage == "Queued" && a.Waits != nil
		})
		if diff := cmp.Diff([]explainv1.Head{want}, a.Waits.Ahead); diff != "" {
			t.Errorf("%s, ahead (-want +got):\n%s", name, diff)
		}
		place := []int{a.Waits.Position, a.Waits.InLine, len(a.Waits.Remedies)}
		if a.UID != string(l.pi.UID) || a.Reason != "WaitingForQuota" || !cmp.Equal(place, []int{2, 2, 1}) {
			t.Errorf("%s: %s", name, body)
		}
	}
	l.checkOthers(t, leader, tokens)
}

// checkOthers: one that holds quota, and the queue.
func (l *line) checkOthers(t *testing.T, leader *replica, tokens map[string]string) {
	t.Helper()
	_, body := ask(t, leader, "namespaces/"+l.Namespace+"/applications/running", tokens["tenant"])
	var holds explainv1.Application
	if err := json.Unmarshal(body, &holds); err != nil || holds.State != explainv1.Granted || holds.Holds == nil || holds.Waits != nil {
		t.Errorf("running: %s (%v)", body, err)
	}
	_, body = ask(t, leader, "queues/"+l.Queue.Name, tokens["chief"])
	var q explainv1.Queue
	if err := json.Unmarshal(body, &q); err != nil || q.Pending != 2 || q.Admitted != 1 || len(q.Heads) != 2 || len(q.Usage) == 0 {
		t.Errorf("queue: %s (%v)", body, err)
	}
}

// TestTakeover: the one that stood by explains once it leads.
func TestTakeover(t *testing.T) {
	install(t)
	leader, standby := pair(t, "127.0.0.1")
	l := newLine(t)
	chief := account(t, l.Namespace, "chief")
	mayViewAll(t, l.Namespace, "chief")
	leader.stop()
	path := "namespaces/" + l.Namespace + "/applications/pi"
	var before explainv1.Application
	env.Until(t, "the new leader explains the application", func() bool {
		code, body := ask(t, standby, path, chief)
		return code == http.StatusOK && json.Unmarshal(body, &before) == nil && before.Waits != nil && before.Waits.Position == 2
	})
}
