// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package explainserver

import (
	"net"
	"net/http"
	"strings"
	"sync"

	"k8s.io/utils/clock"

	"github.com/sparkgate/sparkgate/internal/base/fairqueue"
)

// Limits of requests to the API server: per second, and in a burst. Only tokens that turn out to be unknown count, so a
// client that makes up tokens uses up its own limit only.
const (
	// An address is that of a pod, or of the API server, which is the address of all clients that use its proxy.
	unknownTokensPerAddress, unknownTokensPerAddressBurst = 10, 40
	// An origin is one client of the API server's proxy, as the proxy names it; for a direct connection, it is the
	// address.
	unknownTokensPerOrigin, unknownTokensPerOriginBurst = 1, 10
	// A user is one that the API server knows. Each object that they ask about needs a review of its own.
	reviewsPerUser, reviewsPerUserBurst = 10, 40
)

const (
	// maxInFlight bounds the requests that are answered at the same time, and maxInFlightPerOrigin those of one origin.
	maxInFlight          = 16
	maxInFlightPerOrigin = 8
)

// source is the place from which a request comes.
type source struct{ address, origin string }

// maxAddress is the length of the longest IP address: IPv6 with a zone.
const maxAddress = 64

// sourceOf returns the source of a request. The API server's proxy appends the address of its client to
// X-Forwarded-For. A client that connects directly gains nothing by forging that header, because its address is limited
// as well.
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

// addressOf returns the host of a host:port.
func addressOf(hostPort string) string {
	if host, _, err := net.SplitHostPort(hostPort); err == nil {
		return host
	}
	return hostPort
}

// limits bounds how many requests to the API server callers may cause. It is safe for concurrent use.
type limits struct{ addresses, origins, users *fairqueue.Budget }

func newLimits(c clock.PassiveClock) *limits {
	return &limits{
		addresses: fairqueue.NewBudget(c, unknownTokensPerAddress, unknownTokensPerAddressBurst),
		origins:   fairqueue.NewBudget(c, unknownTokensPerOrigin, unknownTokensPerOriginBurst),
		users:     fairqueue.NewBudget(c, reviewsPerUser, reviewsPerUserBurst),
	}
}

// allowUnknownToken reports whether another unknown token from the source may be reviewed.
func (l *limits) allowUnknownToken(from source) bool {
	return l.addresses.Turn(from.address, 0) == 0 && l.origins.Turn(from.origin, 0) == 0
}

// countUnknownToken adds n unknown tokens to the count of a source. n is -1 for a token that turned out to be valid.
func (l *limits) countUnknownToken(from source, n int) {
	l.origins.Spend(from.origin, n)
	l.addresses.Spend(from.address, n)
}

// allowReview reports whether another access review for the user is allowed, and counts it.
func (l *limits) allowReview(user string) bool {
	if l.users.Turn(user, 0) > 0 {
		return false
	}
	l.users.Spend(user, 1)
	return true
}

// inFlightLimit bounds the requests that are being answered. It is safe for concurrent use.
type inFlightLimit struct {
	mu       sync.Mutex
	taken    int
	byOrigin map[string]int
}

// acquire counts a request of an origin, and returns false if a limit is reached.
func (s *inFlightLimit) acquire(origin string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.taken == maxInFlight || s.byOrigin[origin] == maxInFlightPerOrigin {
		return false
	}
	if s.byOrigin == nil {
		s.byOrigin = map[string]int{}
	}
	s.taken++
	s.byOrigin[origin]++
	return true
}

// release uncounts a request of an origin.
func (s *inFlightLimit) release(origin string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.taken--
	if s.byOrigin[origin]--; s.byOrigin[origin] == 0 {
		delete(s.byOrigin, origin)
	}
}
