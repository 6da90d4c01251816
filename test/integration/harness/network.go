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
	// None lets the request through.
	None Fault = iota
	// Refuse answers with 500 in the API server's place; the request is not sent.
	Refuse
	// Lose makes the request and loses the answer.
	Lose
	// Duplicate makes the request twice and gives the first answer, as a retrying proxy does.
	Duplicate
	// DieBefore cuts the network for good instead of making the request.
	DieBefore
	// DieAfter makes the request, loses the answer and cuts the network for good.
	DieAfter
	// Hang holds this request and everything after it back until Resume, as if the process were stopped (SIGSTOP) just before it.
	Hang
	// Delay makes the request at once and keeps its answer back, so that the watches are ahead of it.
	Delay
)

// lateness is how long Delay keeps an answer back: usually enough for what others do about the change. When they have done it cannot be known
// here; where it is not enough, the fault is a milder one.
const lateness = 250 * time.Millisecond

// String names the fault.
func (f Fault) String() string {
	return [...]string{"none", "refused", "answer lost", "made twice", "killed before", "killed after", "held back", "answered late"}[f]
}

// Faults are the faults of one request: all but None, Hang, which the test has to end, and Delay, which may happen to all of a life at once.
func Faults() []Fault { return []Fault{Refuse, Lose, Duplicate, DieBefore, DieAfter} }

// Survivable are the faults after which the same process continues automatically.
func Survivable() []Fault { return []Fault{Refuse, Lose, Duplicate, Delay} }

// Network is the operator's way to the API server. Safe for concurrent use.
type Network struct {
	// Ignore are writes that are let through and not counted; nil ignores none.
	Ignore func(r *http.Request) bool
	// Decide says what happens to the n-th write, from 1; nil lets all through.
	Decide func(n int, r *http.Request) Fault

	writes atomic.Int64
	dead   atomic.Bool
	broke  atomic.Bool
	died   chan struct{}
	once   sync.Once
	mu     sync.Mutex
	log    []string
	// paused is open while requests and streams are held back, those that lags says if it is set; nil while nothing is.
	paused chan struct{}
	lags   func(*http.Request) bool
}

// NewNetwork returns a network on which decide rules.
func NewNetwork(decide func(n int, r *http.Request) Fault) *Network {
	return &Network{Decide: decide, died: make(chan struct{})}
}

// Died is closed when the network was cut.
func (n *Network) Died() <-chan struct{} { return n.died }

// Writes is the number of writes so far, events apart.
func (n *Network) Writes() int { return int(n.writes.Load()) }

// Broke says that a fault has happened.
func (n *Network) Broke() bool { return n.broke.Load() }

// Log lists the writes in order.
func (n *Network) Log() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return append([]string(nil), n.log...)
}

// Touching lists the writes whose path has the given part, in order.
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

// Cut breaks the network for good: what is on its way still arrives.
func (n *Network) Cut() { n.die() }

// Pause holds every request and every stream back until Resume, as if the process behind the network were stopped (SIGSTOP).
func (n *Network) Pause() { n.hold(true, nil) }

// Resume lets everything go on.
func (n *Network) Resume() { n.hold(false, nil) }

// ResumeBut lets everything go on but what lags: a process that wakes up does not read all its streams at once.
func (n *Network) ResumeBut(lags func(*http.Request) bool) { n.hold(true, lags) }

// Paused says that everything is held back.
func (n *Network) Paused() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.paused != nil && n.lags == nil
}

func (n *Network) hold(back bool, lags func(*http.Request) bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.paused != nil {
		close(n.paused) // all that wait look again
		n.paused = nil
	}
	if back {
		n.paused = make(chan struct{})
	}
	n.lags = lags
}

// wait returns when the request is not held back, or given up.
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

// Wrap puts the network before a transport.
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
		case <-r.Context().Done(): // the client no longer waits for it
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

// twice makes a request twice, if its body can be read again, and returns the first answer.
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

// read makes a request that changes nothing. Its answer also obeys Pause.
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

// Read waits before and after: what came while the network was paused is not known before Resume.
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

// isWrite says that a request changes something that counts: events and leases do not.
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
