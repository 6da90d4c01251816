// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package v1

// Problem is the answer where there is no other.
type Problem struct {
	Reason  ProblemReason `json:"problem"`
	Message string        `json:"message"`
}

// ProblemReason says what is wrong, for programs.
type ProblemReason string

// The reasons, each with its status code.
const (
	NoToken                  ProblemReason = "NoToken"                  // 401: the request carries no token
	BadToken                 ProblemReason = "BadToken"                 // 401: the API server does not know the token
	NotAllowed               ProblemReason = "NotAllowed"               // 403: the caller may not get the object
	NotFound                 ProblemReason = "NotFound"                 // 404: there is no such object
	OtherGate                ProblemReason = "OtherGate"                // 404: the application asks a gate without SparkQueues
	TooManyRequests          ProblemReason = "TooManyRequests"          // 429: too many requests at once
	AuthorizationUnavailable ProblemReason = "AuthorizationUnavailable" // 500: the API server could not be asked
	NotLeader                ProblemReason = "NotLeader"                // 503: another process decides, or this one does not yet
)

// TokenHeader carries the caller's token where the API server's proxy has taken the header Authorization away.
const TokenHeader = "X-Sparkgate-Token"
