// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"context"
	"crypto/sha256"
	"errors"
	"sync"
	"time"

	"golang.org/x/time/rate"
	authenticationv1 "k8s.io/api/authentication/v1"
	"k8s.io/utils/clock"
)

const (
	// remembered is how long an answer of the API server counts: somebody whose right was taken away has it for as long.
	remembered = 5 * time.Second
	// mostRemembered bounds the answers in memory. When there are more, all are forgotten.
	mostRemembered = 1024
	// reviewsPerSecond bounds what the API server is asked, for all callers together: whoever reaches the endpoint may make up tokens.
	// reviewsAtOnce may be asked in a row.
	reviewsPerSecond = 20
	reviewsAtOnce    = 40
)

// errTooMany says that the API server has been asked too often lately.
var errTooMany = errors.New("too many callers are being checked")

// digest stands for a token.
type digest [sha256.Size]byte

// memory remembers the answers of a Reviewer for a short time.
type memory struct {
	reviewer Reviewer
	users    answers[digest, *authenticationv1.UserInfo]
	rights   answers[right, bool]
}

type right struct {
	token  digest
	object Object
}

func newMemory(r Reviewer, c clock.PassiveClock) *memory {
	limit := rate.NewLimiter(reviewsPerSecond, reviewsAtOnce)
	return &memory{
		reviewer: r,
		users:    answers[digest, *authenticationv1.UserInfo]{clock: c, limit: limit},
		rights:   answers[right, bool]{clock: c, limit: limit},
	}
}

// caller is somebody with a token that the API server knows.
type caller struct {
	token digest
	user  *authenticationv1.UserInfo
}

// authenticate returns whose token it is, or nil.
func (m *memory) authenticate(ctx context.Context, token string) (*caller, error) {
	key := digest(sha256.Sum256([]byte(token)))
	user, err := m.users.get(key, func() (*authenticationv1.UserInfo, error) { return m.reviewer.Authenticate(ctx, token) })
	if err != nil || user == nil {
		return nil, err
	}
	return &caller{token: key, user: user}, nil
}

// mayGet says whether the caller may get an object.
func (m *memory) mayGet(ctx context.Context, c *caller, o Object) (bool, error) {
	return m.rights.get(right{c.token, o}, func() (bool, error) { return m.reviewer.MayGet(ctx, c.user, o) })
}

// answers are remembered by what was asked.
type answers[K comparable, V any] struct {
	clock clock.PassiveClock
	limit *rate.Limiter
	mu    sync.Mutex
	by    map[K]answer[V]
}

type answer[V any] struct {
	value V
	until time.Time
}

// get returns what was answered a short time ago, else it asks, unless that was done too often lately. Errors are not remembered.
func (a *answers[K, V]) get(key K, ask func() (V, error)) (V, error) {
	now := a.clock.Now()
	a.mu.Lock()
	known, found := a.by[key]
	a.mu.Unlock()
	if found && now.Before(known.until) {
		return known.value, nil
	}
	if !a.limit.AllowN(now, 1) {
		var none V
		return none, errTooMany
	}
	value, err := ask()
	if err != nil {
		return value, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.by == nil || len(a.by) >= mostRemembered {
		a.by = map[K]answer[V]{}
	}
	a.by[key] = answer[V]{value: value, until: now.Add(remembered)}
	return value, nil
}
