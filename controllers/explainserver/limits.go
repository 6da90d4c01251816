// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package explainserver

import (
	"net"
	"net/http"
	"strings"
	"sync"

	"k8s.io/utils/clock"

	"github.com/sparkgate/sparkgate/internal/fairqueue"
)

// What the API server is asked at most, a second and in a row after a quiet time. Only tokens that turn out to be
// unknown count, so that a client that makes some up uses its own share and nothing of others.
const (
	// An address is that of a pod, or of the API server, behind whose proxy all clients are that come that way.
	unknownTokensPerAddress, unknownTokensPerAddressBurst = 10, 40
	// An origin is a client of the API server's proxy, as that names it, or else the address.
	unknownTokensPerOrigin, unknownTokensPerOriginBurst = 1, 10
	// A user is one that the API server knows; each object that they ask about is another question.
	reviewsPerUser, reviewsPerUserBurst = 10, 40
)

const (
	// maxInFlight bounds the requests that are answered at the same time, maxInFlightPerOrigin those of one origin.
	maxInFlight          = 16
	maxInFlightPerOrigin = 8
)

// source is where a request comes from.
type source struct{ address, origin string }

// maxAddress is that of IPv6 with a zone.
const maxAddress = 64

// sourceOf returns where a request comes from. The API server's proxy appends its client to X-Forwarded-For. A client that
// connects directly gains nothing by writing that header: what is limited for an origin is also limited for its address.
func sourceOf(r *http.Request) source {
	address := addressOf(r.RemoteAddr)
	all := r.Header.Values("X-Forwarded-For")
	if len(all) == 0 {
		return source{address, address}
	}
	last := all[len(all)-1]
	last = strings.TrimSpace(last[strings.LastIndexByte(last, ',')+1:])
	return source{address, address + "|" + last[:min(len(last), maxAddress)]}
}

// addressOf leaves out the port.
func addressOf(hostPort string) string {
	if host, _, err := net.SplitHostPort(hostPort); err == nil {
		return host
	}
	return hostPort
}

// limits bound what callers may cost the API server. Safe for concurrent use.
type limits struct{ addresses, origins, users *fairqueue.Budget }

func newLimits(c clock.PassiveClock) *limits {
	return &limits{
		addresses: fairqueue.NewBudget(c, unknownTokensPerAddress, unknownTokensPerAddressBurst),
		origins:   fairqueue.NewBudget(c, unknownTokensPerOrigin, unknownTokensPerOriginBurst),
		users:     fairqueue.NewBudget(c, reviewsPerUser, reviewsPerUserBurst),
	}
}

// allowUnknownToken reports whether an unknown token from a source may be reviewed.
func (l *limits) allowUnknownToken(from source) bool {
	return l.addresses.Turn(from.address, 0) == 0 && l.origins.Turn(from.origin, 0) == 0
}

// countUnknownToken counts an unknown token of a source; -1 takes one back that turned out to be valid.
func (l *limits) countUnknownToken(from source, n int) {
	l.origins.Spend(from.origin, n)
	l.addresses.Spend(from.address, n)
}

// allowReview reports whether another access review for a user may be made, and counts it.
func (l *limits) allowReview(user string) bool {
	if l.users.Turn(user, 0) > 0 {
		return false
	}
	l.users.Spend(user, 1)
	return true
}

// inFlightLimit bounds the requests that are being answered. Safe for concurrent use.
type inFlightLimit struct {
	mu    sync.Mutex
	taken int
	by    map[string]int
}

// acquire counts a request of an origin; false if the limit is reached.
func (s *inFlightLimit) acquire(origin string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.taken == maxInFlight || s.by[origin] == maxInFlightPerOrigin {
		return false
	}
	if s.by == nil {
		s.by = map[string]int{}
	}
	s.taken++
	s.by[origin]++
	return true
}

// release ends a request of an origin.
func (s *inFlightLimit) release(origin string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.taken--
	if s.by[origin]--; s.by[origin] == 0 {
		delete(s.by, origin)
	}
}
