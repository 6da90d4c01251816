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
	// answerTTL is how long an answer of the API server is cached. A user whose permission is revoked can use it for
	// that long at most.
	answerTTL = 5 * time.Second
	// goodTokenTTL is how long a token that was valid may be reviewed again without counting towards the limits of
	// unknown tokens.
	goodTokenTTL = 10 * time.Minute
	// maxCachedAnswers bounds each cache.
	maxCachedAnswers = 1024
)

// errTooManyRequests is returned when the caller has caused too many requests to the API server in a short time.
var errTooManyRequests = errors.New("too many unknown tokens came from your address, or you ask about too many objects")

// digest is the hash of a token. Tokens themselves are not kept.
type digest [sha256.Size]byte

// authCache caches the answers of a Reviewer for a short time, and limits how often it is asked, for each source of
// unknown tokens and for each user. It is safe for concurrent use.
type authCache struct {
	reviewer Reviewer
	limits   *limits
	// users holds the users of valid tokens, and unknownTokens the tokens that the API server rejects. They are
	// separate caches, so that unknown tokens do not evict valid ones.
	users         answers[digest, *authenticationv1.UserInfo]
	unknownTokens answers[digest, struct{}]
	// goodTokens holds the tokens that were valid when they were last checked.
	goodTokens answers[digest, struct{}]
	rights     answers[permission, bool]
}

// permission identifies an access review: a token and the object that its user wants to get.
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

// authenticate returns the user of a token, or nil if the token is not valid. It returns errTooManyRequests if too many
// unknown tokens came from the same source.
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

// mayGet reports whether the caller may get an object. Errors are not cached. It returns errTooManyRequests if the
// caller has caused too many reviews.
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

// answers is a bounded cache of answers, each of which expires after a fixed time. When it is full, the least recently
// used answer is dropped.
type answers[K comparable, V any] struct {
	known *cache.LRUExpireCache
	valid time.Duration
}

func newAnswers[K comparable, V any](c clock.PassiveClock, valid time.Duration) answers[K, V] {
	return answers[K, V]{known: cache.NewLRUExpireCacheWithClock(maxCachedAnswers, c), valid: valid}
}

// get returns the cached answer, and false if there is none or it has expired.
func (a answers[K, V]) get(key K) (value V, known bool) {
	if v, found := a.known.Get(key); found {
		value, known = v.(V)
	}
	return value, known
}

func (a answers[K, V]) put(key K, value V) { a.known.Add(key, value, a.valid) }

func (a answers[K, V]) forget(key K) { a.known.Remove(key) }
