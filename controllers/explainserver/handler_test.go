// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package explainserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/google/go-cmp/cmp"
	authenticationv1 "k8s.io/api/authentication/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/sparkgate/sparkgate/api/explain/v1"
	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/base/namespaces"
	"github.com/sparkgate/sparkgate/queueing"
)

// reviewer knows tokens and the permissions of their users. It counts requests.
type reviewer struct {
	// users maps tokens to users. rights are permissions as "user resource/namespace/name".
	users  map[string]string
	rights map[string]bool
	fails  error

	mu    sync.Mutex
	asked []string
	// wait blocks every authentication until it is closed.
	wait chan struct{}
}

func (r *reviewer) note(what string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked = append(r.asked, what)
	return r.fails
}

func (r *reviewer) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.asked)
}

func (r *reviewer) Authenticate(_ context.Context, token string) (*authenticationv1.UserInfo, error) {
	if r.wait != nil {
		<-r.wait
	}
	if err := r.note("who"); err != nil {
		return nil, err
	}
	if r.users[token] == "" {
		return nil, nil
	}
	return &authenticationv1.UserInfo{Username: r.users[token]}, nil
}

func (r *reviewer) MayGet(_ context.Context, user *authenticationv1.UserInfo, o Object) (bool, error) {
	right := fmt.Sprintf("%s %s/%s/%s", user.Username, o.Resource, o.Namespace, o.Name)
	if o.Path != "" {
		right = user.Username + " " + o.Path
	}
	return r.rights[right], r.note(right)
}

// queues returns prepared explanations.
type queues struct {
	away  bool
	apps  map[queueing.Key]v1.Application
	known map[string]v1.Queue
}

func (q *queues) Leads() bool { return !q.away }

func (q *queues) Explain(key queueing.Key) (v1.Application, bool) {
	a, found := q.apps[key]
	if found && a.Waits != nil { // a fresh copy, as from the queue
		waits := *a.Waits
		waits.Ahead = append([]v1.Head(nil), waits.Ahead...)
		a.Waits = &waits
	}
	return a, found
}

func (q *queues) ExplainQueue(name string) (v1.Queue, bool) {
	out, found := q.known[name]
	return out, found
}

// stored are the applications that exist.
type stored map[client.ObjectKey]v1alpha1.SparkApplication

func (s stored) Get(_ context.Context, key client.ObjectKey, obj client.Object, _ ...client.GetOption) error {
	app, found := s[key]
	if !found {
		return apierrors.NewNotFound(schema.GroupResource{Group: v1alpha1.Group, Resource: "sparkapplications"}, key.Name)
	}
	app.DeepCopyInto(obj.(*v1alpha1.SparkApplication))
	return nil
}

func (s stored) List(context.Context, client.ObjectList, ...client.ListOption) error {
	return errors.New("nothing is listed")
}

// place is a handler with everything that it needs.
type place struct {
	reviewer *reviewer
	queues   *queues
	clock    *clocktesting.FakePassiveClock
	handler  http.Handler
}

func newPlace() *place {
	app := func(namespace, name string) v1alpha1.SparkApplication {
		return v1alpha1.SparkApplication{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, UID: "1"},
			Status: v1alpha1.SparkApplicationStatus{Queue: "q", Conditions: []metav1.Condition{
				{Type: v1alpha1.ReadyCondition, Reason: "Queued", Message: "in line"},
			}},
		}
	}
	p := &place{
		reviewer: &reviewer{
			users: map[string]string{"ann": "ann", "bob": "bob"},
			rights: map[string]bool{
				"ann sparkapplications/spark/pi": true, "ann sparkapplications/spark/done": true, "ann sparkapplications/spark/gone": true,
				"ann sparkapplications/spark/waits-for-kueue": true, "ann sparkapplications/spark/holds-of-volcano": true,
				"bob sparkapplications/spark/pi": true, "ann sparkapplications/other/pi": true, "ann sparkqueues//q": true, "ann sparkqueues//gone": true,
			},
		},
		queues: &queues{
			apps: map[queueing.Key]v1.Application{{Kind: "SparkApplication", Namespace: "spark", Name: "pi", UID: "1"}: {
				Queue: "q", State: v1.Waiting, Reason: "WaitingForQuota",
				Waits: &v1.Wait{Position: 3, Ahead: []v1.Head{{Position: 1, Kind: "SparkApplication", Namespace: "other", Name: "secret", Priority: 7}, {Position: 2, Kind: "SparkApplication", Namespace: "spark", Name: "mine"}}},
			}},
			known: map[string]v1.Queue{"q": {Name: "q", Leaf: true}},
		},
		clock: clocktesting.NewFakePassiveClock(time.Unix(1e9, 0)),
	}
	waits, holds := app("spark", "waits-for-kueue"), app("spark", "holds-of-volcano")
	waits.Status.Ask, holds.Status.Grant = &v1alpha1.Ask{Gate: "Kueue"}, &v1alpha1.Grant{Gate: "Volcano"}
	p.handler = NewHandler(Options{
		Reader: stored{
			{Namespace: "spark", Name: "pi"}: app("spark", "pi"), {Namespace: "spark", Name: "done"}: app("spark", "done"),
			{Namespace: "spark", Name: waits.Name}: waits, {Namespace: "spark", Name: holds.Name}: holds,
		},
		Namespaces: namespaces.Set{"spark"}, Queues: p.queues, Reviewer: p.reviewer, Clock: p.clock, Log: logr.Discard(),
	})
	return p
}

const (
	pi    = "/explain/v1/namespaces/spark/applications/pi"
	queue = "/explain/v1/queues/q"
)

// ask sends a request with headers given as "name: value".
func (p *place) ask(method, path string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, nil)
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	p.handler.ServeHTTP(w, r)
	return w
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	const ann = "Authorization: Bearer ann"
	tests := map[string]struct {
		method, path string
		headers      []string
		prepare      func(*place)
		code         int
		reason       v1.ProblemReason
		has          string
	}{
		"an application":                    {path: pi, headers: []string{ann}, code: 200, has: `"state":"Waiting"`},
		"by the header of our own":          {path: pi, headers: []string{"X-Sparkgate-Token: ann"}, code: 200, has: `"stage":"Queued","stageMessage":"in line"`},
		"which goes first":                  {path: pi, headers: []string{"Authorization: Bearer nobody", "X-Sparkgate-Token: ann"}, code: 200, has: `"position":3`},
		"in small letters":                  {path: pi, headers: []string{"Authorization: bearer ann"}, code: 200, has: `"uid":"1"`},
		"a queue":                           {path: queue, headers: []string{ann}, code: 200, has: `"leaf":true`},
		"one of which the queue knows none": {path: "/explain/v1/namespaces/spark/applications/done", headers: []string{ann}, code: 200, has: `"queue":"q","state":"Absent"`},
		"one that waits for Kueue": {
			path: "/explain/v1/namespaces/spark/applications/waits-for-kueue", headers: []string{ann}, code: 404, reason: v1.OtherGate, has: "gate Kueue decides",
		},
		"one that holds quota of Volcano": {
			path: "/explain/v1/namespaces/spark/applications/holds-of-volcano", headers: []string{ann}, code: 404, reason: v1.OtherGate, has: "gate Volcano decides",
		},
		"no token":          {path: pi, code: 401, reason: v1.NoToken},
		"an empty token":    {path: pi, headers: []string{"Authorization: Bearer "}, code: 401, reason: v1.NoToken},
		"a password":        {path: pi, headers: []string{"Authorization: Basic ann"}, code: 401, reason: v1.NoToken},
		"a token of nobody": {path: pi, headers: []string{"Authorization: Bearer eve"}, code: 401, reason: v1.BadToken},
		"not allowed":       {path: queue, headers: []string{"Authorization: Bearer bob"}, code: 403, reason: v1.NotAllowed, has: "bob may not get sparkqueues q"},
		"not allowed, and not there": {
			path: "/explain/v1/namespaces/spark/applications/gone", headers: []string{"Authorization: Bearer bob"}, code: 403, reason: v1.NotAllowed,
			has: "bob may not get sparkapplications gone in namespace spark",
		},
		"not there": {path: "/explain/v1/namespaces/spark/applications/gone", headers: []string{ann}, code: 404, reason: v1.NotFound},
		"a namespace of another operator": {
			path: "/explain/v1/namespaces/other/applications/pi", headers: []string{ann}, code: 404, reason: v1.NotFound, has: "does not watch namespace other",
		},
		"no such queue":         {path: "/explain/v1/queues/gone", headers: []string{ann}, code: 404, reason: v1.NotFound},
		"not the leader":        {path: pi, headers: []string{ann}, prepare: func(p *place) { p.queues.away = true }, code: 503, reason: v1.NotLeader, has: "not the leader"},
		"not the leader, queue": {path: queue, headers: []string{ann}, prepare: func(p *place) { p.queues.away = true }, code: 503, reason: v1.NotLeader},
		"strangers learn nothing": {
			path: pi, headers: []string{"Authorization: Bearer eve"}, prepare: func(p *place) { p.queues.away = true }, code: 401, reason: v1.BadToken,
		},
		"the API server is down": {
			path: pi, headers: []string{ann}, prepare: func(p *place) { p.reviewer.fails = errors.New("refused") }, code: 500, reason: v1.AuthorizationUnavailable, has: "try again",
		},
		"the operator lacks rights": {
			path: pi, headers: []string{ann}, code: 500, reason: v1.AuthorizationUnavailable, has: "config/rbac",
			prepare: func(p *place) {
				p.reviewer.fails = fmt.Errorf("review a token: %w", apierrors.NewForbidden(schema.GroupResource{Resource: "tokenreviews"}, "", nil))
			},
		},
		"another method": {method: "POST", path: pi, headers: []string{ann}, code: 405},
		"another path":   {path: "/explain/v2/queues/q", headers: []string{ann}, code: 404},
		"no name":        {path: "/explain/v1/queues/", headers: []string{ann}, code: 404},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace()
			if tc.prepare != nil {
				tc.prepare(p)
			}
			if tc.method == "" {
				tc.method = http.MethodGet
			}
			w := p.ask(tc.method, tc.path, tc.headers...)
			var got v1.Problem
			if w.Code != tc.code || !strings.Contains(w.Body.String(), tc.has) {
				t.Errorf("%d %s; want %d with %q", w.Code, w.Body, tc.code, tc.has)
			}
			if err := json.Unmarshal(w.Body.Bytes(), &got); tc.reason != "" && (err != nil || got.Reason != tc.reason) {
				t.Errorf("%s (%v), want the reason %s", w.Body, err, tc.reason)
			}
			if w.Code == 401 && w.Header().Get("WWW-Authenticate") == "" {
				t.Error("does not say how to authenticate")
			}
		})
	}
}

// Names of applications in other namespaces are shown only to users who may read the queue, whose status contains them.
func TestNamesOfOthers(t *testing.T) {
	t.Parallel()
	tests := map[string][]v1.Head{
		"ann": {{Position: 1, Kind: "SparkApplication", Namespace: "other", Name: "secret", Priority: 7}, {Position: 2, Kind: "SparkApplication", Namespace: "spark", Name: "mine"}},
		"bob": {{Position: 1, Priority: 7}, {Position: 2, Kind: "SparkApplication", Namespace: "spark", Name: "mine"}},
	}
	for name, want := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got v1.Application
			w := newPlace().ask(http.MethodGet, pi, "Authorization: Bearer "+name)
			if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || got.Waits == nil {
				t.Fatalf("%s: %v", w.Body, err)
			}
			if diff := cmp.Diff(want, got.Waits.Ahead); diff != "" {
				t.Errorf("ahead (-want +got):\n%s", diff)
			}
		})
	}
}

// Answers of the API server are cached for a short time, positive and negative ones. Errors are not cached.
func TestMemory(t *testing.T) {
	t.Parallel()
	p := newPlace()
	asks := func(want int, what string, header string) {
		t.Helper()
		before := p.reviewer.count()
		p.ask(http.MethodGet, queue, header)
		if got := p.reviewer.count() - before; got != want {
			t.Errorf("%s: the reviewer was asked %d times, want %d", what, got, want)
		}
	}
	const ann, bob, eve = "Authorization: Bearer ann", "Authorization: Bearer bob", "Authorization: Bearer eve"
	asks(2, "first", ann)
	asks(0, "again", ann)
	asks(2, "another", bob)
	asks(0, "again, who may not", bob)
	asks(1, "a stranger", eve)
	asks(0, "again", eve)
	p.clock.SetTime(p.clock.Now().Add(answerTTL + 1))
	asks(2, "later", ann)
	p.clock.SetTime(p.clock.Now().Add(answerTTL + 1))
	p.reviewer.fails = errors.New("refused")
	asks(1, "in vain", ann)
	p.reviewer.fails = nil
	asks(2, "then", ann)
}

// TestMemoryIsBounded: many different answers stay within the bound, and an answer that is requested all the time stays
// in the cache.
func TestMemoryIsBounded(t *testing.T) {
	t.Parallel()
	a := newAnswers[int, string](clocktesting.NewFakePassiveClock(time.Unix(0, 0)), answerTTL)
	a.put(0, "ann")
	for i := range 3 * maxCachedAnswers {
		a.put(i+1, "made up")
		if n := len(a.known.Keys()); n > maxCachedAnswers {
			t.Fatalf("%d answers are remembered, want at most %d", n, maxCachedAnswers)
		}
		if got, known := a.get(0); !known || got != "ann" {
			t.Fatalf("after %d other answers: got %q, %v, want the one that is used all the time", i+1, got, known)
		}
	}
	if _, known := a.get(1); known {
		t.Error("the answer that nobody has asked for is still remembered")
	}
}

// from returns the code of a request from an address. If client is set, the request comes through the API server's
// proxy.
func (p *place) from(address, client, token string) int {
	r := httptest.NewRequest(http.MethodGet, queue, nil)
	r.RemoteAddr = address + ":4711"
	r.Header.Set("Authorization", "Bearer "+token)
	if client != "" {
		r.Header.Set("X-Forwarded-For", client)
	}
	w := httptest.NewRecorder()
	p.handler.ServeHTTP(w, r)
	return w.Code
}

// TestMadeUpTokensCostOthersNothing: a client that makes up tokens, from one address, for many invented clients, or
// through the API server's proxy, causes few requests to the API server. Known clients keep their cached answers, and
// new ones from elsewhere are answered.
func TestMadeUpTokensCostOthersNothing(t *testing.T) {
	t.Parallel()
	const proxy = "10.0.0.1"
	for name, tc := range map[string]struct {
		address string
		client  func(i int) string
		most    int // reviews of the flood
	}{
		"from a pod":                     {"10.1.0.9", func(int) string { return "" }, unknownTokensPerOriginBurst},
		"from a pod, with made-up names": {"10.1.0.9", func(i int) string { return fmt.Sprintf("10.9.0.%d", i) }, unknownTokensPerAddressBurst},
		"through the proxy":              {proxy, func(int) string { return "10.1.0.9" }, unknownTokensPerOriginBurst},
		"through the proxy, pretending":  {proxy, func(i int) string { return fmt.Sprintf("10.9.0.%d, 10.1.0.9", i) }, unknownTokensPerOriginBurst},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace()
			if code := p.from(proxy, "192.0.2.1", "ann"); code != http.StatusOK {
				t.Fatalf("ann got %d", code)
			}
			before := p.reviewer.count()
			flood := func(round int) {
				for i := range 5000 {
					if code := p.from(tc.address, tc.client(i), fmt.Sprintf("made-up-%d-%d", round, i)); code != http.StatusUnauthorized && code != http.StatusTooManyRequests {
						t.Fatalf("a made-up token got %d", code)
					}
				}
			}
			flood(0)
			if asked := p.reviewer.count() - before; asked > tc.most {
				t.Errorf("the API server was asked %d times; want at most %d", asked, tc.most)
			}
			if code := p.from(proxy, "192.0.2.1", "ann"); code != http.StatusOK || p.reviewer.count()-before > tc.most {
				t.Errorf("then ann got %d, after %d questions", code, p.reviewer.count()-before)
			}
			if code := p.from(proxy, "192.0.2.2", "bob"); code != http.StatusForbidden {
				t.Errorf("bob, who is new, got %d; want %d", code, http.StatusForbidden)
			}
			// The cached answers expire, and the flood continues from ann's address.
			p.clock.SetTime(p.clock.Now().Add(answerTTL + 1))
			flood(1)
			for i := range 100 {
				p.from(proxy, "192.0.2.1", fmt.Sprintf("made-up-here-%d", i))
			}
			if code := p.from(proxy, "192.0.2.1", "ann"); code != http.StatusOK {
				t.Errorf("later ann got %d", code)
			}
		})
	}
}

// TestQuestionsOfOneUserAreBounded: a user who asks about many objects uses up only their own limit.
func TestQuestionsOfOneUserAreBounded(t *testing.T) {
	t.Parallel()
	p := newPlace()
	codes := map[int]int{}
	for i := range 10 * reviewsPerUserBurst {
		codes[p.ask(http.MethodGet, fmt.Sprintf("/explain/v1/queues/q-%d", i), "Authorization: Bearer bob").Code]++
	}
	want := map[int]int{http.StatusForbidden: reviewsPerUserBurst, http.StatusTooManyRequests: 9 * reviewsPerUserBurst}
	if diff := cmp.Diff(want, codes); diff != "" {
		t.Errorf("bob got (-want +got):\n%s", diff)
	}
	if code := p.ask(http.MethodGet, queue, "Authorization: Bearer ann").Code; code != http.StatusOK {
		t.Errorf("ann got %d", code)
	}
	p.clock.SetTime(p.clock.Now().Add(time.Second))
	if code := p.ask(http.MethodGet, "/explain/v1/queues/q-later", "Authorization: Bearer bob").Code; code != http.StatusForbidden {
		t.Errorf("a second later bob got %d", code)
	}
}

// TestProtect: a non-resource path is served to users who may get it.
func TestProtect(t *testing.T) {
	t.Parallel()
	p := newPlace()
	p.reviewer.rights["ann /metrics"] = true
	served := 0
	h := Protect(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { served++ }), p.reviewer, p.clock, logr.Discard())
	ask := func(method, token string) int {
		r := httptest.NewRequest(method, "/metrics", nil)
		if token != "" {
			r.Header.Set("Authorization", "Bearer "+token)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w.Code
	}
	for _, tc := range []struct {
		method, token string
		code          int
	}{
		{"GET", "ann", 200}, {"GET", "", 401}, {"GET", "eve", 401}, {"GET", "bob", 403}, {"POST", "ann", 405}, {"HEAD", "ann", 200},
	} {
		if code := ask(tc.method, tc.token); code != tc.code {
			t.Errorf("%s with token %q: %d; want %d", tc.method, tc.token, code, tc.code)
		}
	}
	if served != 2 {
		t.Errorf("served %d times; want twice", served)
	}
	p.clock.SetTime(p.clock.Now().Add(answerTTL + 1))
	p.reviewer.fails = errors.New("refused")
	if code := ask("GET", "ann"); code != http.StatusInternalServerError {
		t.Errorf("with an API server that does not answer: %d", code)
	}
}

// When the limit is reached, the next request is refused. It is served once another one has ended.
func TestSeats(t *testing.T) {
	t.Parallel()
	p := newPlace()
	p.reviewer.wait = make(chan struct{})
	codes := make(chan int)
	for range maxInFlightPerOrigin + 1 {
		go func() { codes <- p.from("10.1.0.9", "", "ann") }()
	}
	if code := <-codes; code != http.StatusTooManyRequests {
		t.Errorf("the first answer is %d, want %d", code, http.StatusTooManyRequests)
	}
	for range maxInFlight - maxInFlightPerOrigin {
		go func() { codes <- p.from("10.1.0.10", "", "ann") }()
	}
	close(p.reviewer.wait)
	for range maxInFlight {
		if code := <-codes; code != http.StatusOK {
			t.Errorf("somebody with a seat got %d", code)
		}
	}
	if code := p.ask(http.MethodGet, queue, "Authorization: Bearer ann").Code; code != http.StatusOK {
		t.Errorf("with all seats free: %d", code)
	}
}
