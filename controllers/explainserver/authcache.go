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
	// answerTTL is how long an answer of the API server counts: a user whose permission is revoked keeps it for as
	// long.
	answerTTL = 5 * time.Second
	// goodTokenTTL is for how long a token that was valid is checked again, whatever else comes from the same address.
	goodTokenTTL = 10 * time.Minute
	// maxCachedAnswers bounds the answers of a kind in memory. When there are more, all of that kind are forgotten.
	maxCachedAnswers = 1024
)

// errTooManyRequests says that the API server has been asked too often lately for this caller.
var errTooManyRequests = errors.New("too many unknown tokens came from your address, or you ask about too many objects")

// digest stands for a token.
type digest [sha256.Size]byte

// authCache caches the answers of a Reviewer for a short time, and bounds how often it is asked: for each place from
// which unknown tokens come, and for each user. Safe for concurrent use.
type authCache struct {
	reviewer Reviewer
	limits   *limits
	// users are those of valid tokens, unknownTokens are tokens that the API server does not know. They are apart, so
	// that unknown tokens evict no valid ones.
	users         ttlCache[digest, *authenticationv1.UserInfo]
	unknownTokens ttlCache[digest, struct{}]
	// goodTokens are the tokens that were good when they were checked last.
	goodTokens ttlCache[digest, struct{}]
	rights     ttlCache[permission, bool]
}

type permission struct {
	token  digest
	object Object
}

func newAuthCache(r Reviewer, c clock.PassiveClock) *authCache {
	return &authCache{
		reviewer: r, limits: newLimits(c),
		users:         ttlCache[digest, *authenticationv1.UserInfo]{clock: c, valid: answerTTL},
		unknownTokens: ttlCache[digest, struct{}]{clock: c, valid: answerTTL},
		goodTokens:    ttlCache[digest, struct{}]{clock: c, valid: goodTokenTTL},
		rights:        ttlCache[permission, bool]{clock: c, valid: answerTTL},
	}
}

// identity is the user of a token that the API server knows.
type identity struct {
	token digest
	user  *authenticationv1.UserInfo
}

// authenticate returns whose token it is, or nil.
func (a *authCache) authenticate(ctx context.Context, from source, token string) (*identity, error) {
	key := digest(sha256.Sum256([]byte(token)))
	if user, known := a.users.get(key); known {
		return &identity{token: key, user: user}, nil
	}
	if _, known := a.unknownTokens.get(key); known {
		return nil, nil
	}
	_, good := a.goodTokens.get(key)
	if !good && !a.limits.allowUnknownToken(from) {
		return nil, errTooManyRequests
	}
	if !good {
		a.limits.countUnknownToken(from, 1)
	}
	user, err := a.reviewer.Authenticate(ctx, token)
	switch {
	case err != nil:
		return nil, err
	case user == nil:
		a.goodTokens.forget(key)
		a.unknownTokens.put(key, struct{}{})
		return nil, nil
	}
	if !good {
		a.limits.countUnknownToken(from, -1)
	}
	a.goodTokens.put(key, struct{}{})
	a.users.put(key, user)
	return &identity{token: key, user: user}, nil
}

// mayGet reports whether the caller may get an object. Errors are not remembered.
func (a *authCache) mayGet(ctx context.Context, c *identity, o Object) (bool, error) {
	key := permission{c.token, o}
	if allowed, known := a.rights.get(key); known {
		return allowed, nil
	}
	if !a.limits.allowReview(c.user.Username) {
		return false, errTooManyRequests
	}
	allowed, err := a.reviewer.MayGet(ctx, c.user, o)
	if err == nil {
		a.rights.put(key, allowed)
	}
	return allowed, err
}

// ttlCache holds answers for a time, by what was asked.
type ttlCache[K comparable, V any] struct {
	clock clock.PassiveClock
	valid time.Duration
	mu    sync.Mutex
	by    map[K]ttlEntry[V]
}

type ttlEntry[V any] struct {
	value V
	until time.Time
}

// get returns what was answered a short time ago; false if nothing was.
func (a *ttlCache[K, V]) get(key K) (V, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	known, found := a.by[key]
	return known.value, found && a.clock.Now().Before(known.until)
}

// put caches an answer.
func (a *ttlCache[K, V]) put(key K, value V) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.by == nil || len(a.by) >= maxCachedAnswers {
		a.by = map[K]ttlEntry[V]{}
	}
	a.by[key] = ttlEntry[V]{value: value, until: a.clock.Now().Add(a.valid)}
}

// forget drops an answer.
func (a *ttlCache[K, V]) forget(key K) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.by, key)
}
