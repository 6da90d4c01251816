// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package explainserver

import (
	"context"
	"crypto/sha256"
	"errors"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	"k8s.io/apimachinery/pkg/util/cache"
	"k8s.io/utils/clock"
)

const (
	// answerTTL is how long an answer of the API server counts: a user whose permission is revoked keeps it for as
	// long.
	answerTTL = 5 * time.Second
	// goodTokenTTL is how long a token that was valid may be reviewed again, whatever limit its address has reached.
	goodTokenTTL = 10 * time.Minute
	// maxCachedAnswers bounds the answers of a kind in memory.
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
	users         answers[digest, *authenticationv1.UserInfo]
	unknownTokens answers[digest, struct{}]
	// goodTokens are the tokens that were good when they were checked last.
	goodTokens answers[digest, struct{}]
	rights     answers[permission, bool]
}

type permission struct {
	token  digest
	object Object
}

func newAuthCache(r Reviewer, c clock.PassiveClock) *authCache {
	return &authCache{
		reviewer: r, limits: newLimits(c),
		users:         newAnswers[digest, *authenticationv1.UserInfo](c, answerTTL),
		unknownTokens: newAnswers[digest, struct{}](c, answerTTL),
		goodTokens:    newAnswers[digest, struct{}](c, goodTokenTTL),
		rights:        newAnswers[permission, bool](c, answerTTL),
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

// answers caches for a time what was answered, by what was asked. When there are too many, those that were not used for longest are forgotten.
type answers[K comparable, V any] struct {
	known *cache.LRUExpireCache
	valid time.Duration
}

func newAnswers[K comparable, V any](c clock.PassiveClock, valid time.Duration) answers[K, V] {
	return answers[K, V]{known: cache.NewLRUExpireCacheWithClock(maxCachedAnswers, c), valid: valid}
}

// get returns what was answered a short time ago; false if nothing was.
func (a answers[K, V]) get(key K) (value V, known bool) {
	if v, found := a.known.Get(key); found {
		value, known = v.(V)
	}
	return value, known
}

func (a answers[K, V]) put(key K, value V) { a.known.Add(key, value, a.valid) }

func (a answers[K, V]) forget(key K) { a.known.Remove(key) }
