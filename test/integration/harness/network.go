// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package harness

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Fault is what happens to one request.
type Fault int

// The faults.
const (
	// None passes the request on.
	None Fault = iota
	// Refuse answers with 500 instead of the API server; the request is not sent.
	Refuse
	// Lose sends the request and loses the answer.
	Lose
	// Duplicate sends the request twice and returns the first answer, as a retrying proxy does.
	Duplicate
	// DieBefore cuts the network for good instead of sending the request.
	DieBefore
	// DieAfter sends the request, loses the answer and cuts the network for good.
	DieAfter
	// Hang holds back this request and everything after it until Resume, as if the process were stopped (SIGSTOP) just
	// before it.
	Hang
	// Delay sends the request at once and holds back its answer, so that the watches are ahead of it.
	Delay
)

// lateness is how long Delay holds back an answer: usually long enough for the watches and what follows from them. The
// network cannot know when that is done; if the time is too short, the fault is a milder one.
const lateness = 250 * time.Millisecond

// String names the fault.
func (f Fault) String() string {
	return [...]string{"none", "refused", "answer lost", "made twice", "killed before", "killed after", "held back", "answered late"}[f]
}

// Faults returns the faults of a single request: all except None, Hang, which the test has to end, and Delay, which may
// apply to all requests of a life.
func Faults() []Fault { return []Fault{Refuse, Lose, Duplicate, DieBefore, DieAfter} }

// Survivable returns the faults after which the same process continues automatically.
func Survivable() []Fault { return []Fault{Refuse, Lose, Duplicate, Delay} }

// Network is the operator's connection to the API server. It is safe for concurrent use.
type Network struct {
	// Ignore selects writes that are passed on and not counted; nil selects none.
	Ignore func(r *http.Request) bool
	// Decide returns the fault of the n-th write, counting from 1; nil passes all on.
	Decide func(n int, r *http.Request) Fault

	writes atomic.Int64
	dead   atomic.Bool
	broke  atomic.Bool
	died   chan struct{}
	once   sync.Once
	mu     sync.Mutex
	log    []string
	// paused is open while requests and streams are held back (only those that lags selects, if it is set); nil
	// otherwise.
	paused chan struct{}
	lags   func(*http.Request) bool
}

// NewNetwork returns a network whose faults decide chooses.
func NewNetwork(decide func(n int, r *http.Request) Fault) *Network {
	return &Network{Decide: decide, died: make(chan struct{})}
}

// Died returns a channel that is closed when the network is cut.
func (n *Network) Died() <-chan struct{} { return n.died }

// Writes returns the number of writes so far, without events.
func (n *Network) Writes() int { return int(n.writes.Load()) }

// Broke reports whether a fault has happened.
func (n *Network) Broke() bool { return n.broke.Load() }

// Log returns the writes in order.
func (n *Network) Log() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return append([]string(nil), n.log...)
}

// Touching returns the writes whose path contains the given part, in order.
func (n *Network) Touching(part string) []string {
	var found []string
	for _, line := range n.Log() {
		if strings.Contains(line, part) {
			found = append(found, line)
		}
	}
	return found
}

// Kinds counts writes by verb, resource and subresource, such as "PATCH sparkapplications/status".
func Kinds(log []string) map[string]int {
	counts := map[string]int{}
	for _, write := range log {
		words := strings.Fields(write) // number, verb, path
		path := strings.Split(strings.Trim(words[2], "/"), "/")
		if i := slices.Index(path, "namespaces"); i >= 0 && i+2 < len(path) {
			path = path[i+2:]
		} else {
			path = path[3:] // apis, group, version
		}
		kind := words[1] + " " + path[0]
		if len(path) > 2 {
			kind += "/" + path[2]
		}
		counts[kind]++
	}
	return counts
}

// Cut breaks the network for good; requests that were sent still arrive.
func (n *Network) Cut() { n.die() }

// Pause holds back every request and every stream until Resume, as if the process behind the network were stopped
// (SIGSTOP).
func (n *Network) Pause() { n.hold(true, nil) }

// Resume lets everything continue.
func (n *Network) Resume() { n.hold(false, nil) }

// ResumeBut lets everything continue except what lags selects: a process that wakes up does not read all its streams at
// once.
func (n *Network) ResumeBut(lags func(*http.Request) bool) { n.hold(true, lags) }

// Paused reports whether everything is held back.
func (n *Network) Paused() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.paused != nil && n.lags == nil
}

func (n *Network) hold(back bool, lags func(*http.Request) bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.paused != nil {
		// All waiting requests check again.
		close(n.paused)
		n.paused = nil
	}
	if back {
		n.paused = make(chan struct{})
	}
	n.lags = lags
}

// wait returns when the request is no longer held back, or was cancelled.
func (n *Network) wait(r *http.Request) {
	for r.Context().Err() == nil {
		n.mu.Lock()
		paused := n.paused
		if n.lags != nil && !n.lags(r) {
			paused = nil
		}
		n.mu.Unlock()
		if paused == nil {
			return
		}
		select {
		case <-paused:
		case <-r.Context().Done():
		}
	}
}

// Wrap puts the network in front of a transport.
func (n *Network) Wrap(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		n.wait(r)
		if n.dead.Load() {
			return nil, errors.New("connection refused: the network is cut")
		}
		if !isWrite(r) || (n.Ignore != nil && n.Ignore(r)) {
			return n.read(next, r)
		}
		fault, label := None, n.note(r)
		if n.Decide != nil {
			fault = n.Decide(label, r)
			if fault != None {
				n.broke.Store(true)
			}
		}
		return n.carry(next, r, fault)
	})
}

func (n *Network) note(r *http.Request) int {
	n.mu.Lock()
	defer n.mu.Unlock()
	count := int(n.writes.Add(1))
	n.log = append(n.log, fmt.Sprintf("%d %s %s", count, r.Method, r.URL.Path))
	return count
}

func (n *Network) carry(next http.RoundTripper, r *http.Request, fault Fault) (*http.Response, error) {
	switch fault {
	case None:
	case Refuse:
		return answer(r, http.StatusInternalServerError), nil
	case DieBefore:
		n.die()
		return nil, errors.New("connection reset: the network is cut")
	case Duplicate:
		return twice(next, r)
	case Hang:
		n.Pause()
		n.wait(r)
	case Delay:
		response, err := next.RoundTrip(r)
		select {
		case <-time.After(lateness):
		// The client no longer waits for it.
		case <-r.Context().Done():
		}
		return response, err
	case Lose, DieAfter:
		if response, err := next.RoundTrip(r); err == nil {
			_ = response.Body.Close()
		}
		if fault == DieAfter {
			n.die()
		}
		return nil, errors.New("connection reset: the answer is lost")
	}
	return next.RoundTrip(r)
}

// twice sends a request twice, if its body can be read again, and returns the first answer.
func twice(next http.RoundTripper, r *http.Request) (*http.Response, error) {
	again, err := clone(r)
	if err != nil {
		return next.RoundTrip(r)
	}
	first, err := next.RoundTrip(again)
	if err == nil {
		if second, err := next.RoundTrip(r); err == nil {
			_ = second.Body.Close()
		}
	}
	return first, err
}

// read sends a request that changes nothing. Pause also holds back its answer.
func (n *Network) read(next http.RoundTripper, r *http.Request) (*http.Response, error) {
	response, err := next.RoundTrip(r)
	if err == nil {
		response.Body = heldBody{ReadCloser: response.Body, network: n, request: r}
	}
	return response, err
}

// heldBody is the body of an answer, such as the stream of a watch.
type heldBody struct {
	io.ReadCloser
	network *Network
	request *http.Request
}

// Read waits before and after reading: data that arrives while the network is paused becomes visible only after Resume.
func (b heldBody) Read(into []byte) (int, error) {
	b.network.wait(b.request)
	count, err := b.ReadCloser.Read(into)
	b.network.wait(b.request)
	return count, err
}

func (n *Network) die() {
	n.dead.Store(true)
	n.once.Do(func() { close(n.died) })
}

// clone copies a request whose body can be read again.
func clone(r *http.Request) (*http.Request, error) {
	again := r.Clone(r.Context())
	if r.Body == nil || r.GetBody == nil {
		return again, errors.New("the body cannot be read again")
	}
	body, err := r.GetBody()
	if err != nil {
		return nil, err
	}
	again.Body = body
	return again, nil
}

func answer(r *http.Request, code int) *http.Response {
	const body = `{"kind":"Status","apiVersion":"v1","status":"Failure","message":"broken on purpose","reason":"InternalError","code":500}`
	recorder := &http.Response{
		StatusCode: code, Status: http.StatusText(code), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": []string{"application/json"}}, Request: r, ContentLength: int64(len(body)),
	}
	recorder.Body = readCloser{strings.NewReader(body)}
	return recorder
}

// isWrite reports whether a request counts as a write: those of events and leases do not.
func isWrite(r *http.Request) bool {
	if r.Method == http.MethodGet || strings.Contains(r.URL.Path, "/events") || strings.Contains(r.URL.Path, "/leases") {
		return false
	}
	return !strings.Contains(r.URL.Path, "subjectaccessreviews")
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

type readCloser struct{ *strings.Reader }

func (readCloser) Close() error { return nil }
