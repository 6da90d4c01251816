// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package explainserver

import (
	"context"
	"crypto/sha256"
	"errors"
	"sync"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	"k8s.io/utils/clock"
)

const (
	// remembered is how long an answer of the API server counts: somebody whose right was taken away has it for as long.
	remembered = 5 * time.Second
	// trusted is for how long a token that was good is checked again whatever else comes from the same place.
	trusted = 10 * time.Minute
	// mostRemembered bounds the answers of a kind in memory. When there are more, all of that kind are forgotten.
	mostRemembered = 1024
)

// errTooMany says that the API server has been asked too often lately for this caller.
var errTooMany = errors.New("too many unknown tokens came from your address, or you ask about too many objects")

// digest stands for a token.
type digest [sha256.Size]byte

// memory remembers the answers of a Reviewer for a short time, and bounds how often it is asked: for each place from which unknown tokens
// come, and for each user. Safe for concurrent use.
type memory struct {
	reviewer Reviewer
	limits   *limits
	// users are those of good tokens, strangers are tokens that are nobody's. They are apart, so that strangers push out nobody.
	users     answers[digest, *authenticationv1.UserInfo]
	strangers answers[digest, struct{}]
	// good are the tokens that were good when they were checked last.
	good   answers[digest, struct{}]
	rights answers[right, bool]
}

type right struct {
	token  digest
	object Object
}

func newMemory(r Reviewer, c clock.PassiveClock) *memory {
	return &memory{
		reviewer: r, limits: newLimits(c),
		users:     answers[digest, *authenticationv1.UserInfo]{clock: c, valid: remembered},
		strangers: answers[digest, struct{}]{clock: c, valid: remembered},
		good:      answers[digest, struct{}]{clock: c, valid: trusted},
		rights:    answers[right, bool]{clock: c, valid: remembered},
	}
}

// caller is somebody with a token that the API server knows.
type caller struct {
	token digest
	user  *authenticationv1.UserInfo
}

// authenticate returns whose token it is, or nil.
func (m *memory) authenticate(ctx context.Context, from source, token string) (*caller, error) {
	key := digest(sha256.Sum256([]byte(token)))
	if user, known := m.users.get(key); known {
		return &caller{token: key, user: user}, nil
	}
	if _, known := m.strangers.get(key); known {
		return nil, nil
	}
	_, good := m.good.get(key)
	if !good && !m.limits.mayTry(from) {
		return nil, errTooMany
	}
	if !good {
		m.limits.tried(from, 1)
	}
	user, err := m.reviewer.Authenticate(ctx, token)
	switch {
	case err != nil:
		return nil, err
	case user == nil:
		m.good.forget(key)
		m.strangers.put(key, struct{}{})
		return nil, nil
	}
	if !good {
		m.limits.tried(from, -1)
	}
	m.good.put(key, struct{}{})
	m.users.put(key, user)
	return &caller{token: key, user: user}, nil
}

// mayGet says whether the caller may get an object. Errors are not remembered.
func (m *memory) mayGet(ctx context.Context, c *caller, o Object) (bool, error) {
	key := right{c.token, o}
	if allowed, known := m.rights.get(key); known {
		return allowed, nil
	}
	if !m.limits.mayAsk(c.user.Username) {
		return false, errTooMany
	}
	allowed, err := m.reviewer.MayGet(ctx, c.user, o)
	if err == nil {
		m.rights.put(key, allowed)
	}
	return allowed, err
}

// answers are remembered by what was asked.
type answers[K comparable, V any] struct {
	clock clock.PassiveClock
	valid time.Duration
	mu    sync.Mutex
	by    map[K]answer[V]
}

type answer[V any] struct {
	value V
	until time.Time
}

// get returns what was answered a short time ago; false if nothing was.
func (a *answers[K, V]) get(key K) (V, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	known, found := a.by[key]
	return known.value, found && a.clock.Now().Before(known.until)
}

// put remembers an answer.
func (a *answers[K, V]) put(key K, value V) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.by == nil || len(a.by) >= mostRemembered {
		a.by = map[K]answer[V]{}
	}
	a.by[key] = answer[V]{value: value, until: a.clock.Now().Add(a.valid)}
}

// forget drops an answer.
func (a *answers[K, V]) forget(key K) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.by, key)
}
