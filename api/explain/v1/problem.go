// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package v1

// Problem is the answer in case of an error.
type Problem struct {
	Reason  ProblemReason `json:"problem"`
	Message string        `json:"message"`
}

// ProblemReason is the reason of an error, for programs.
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

// TokenHeader is the header with the caller's token, because the API server's proxy removes the header Authorization.
const TokenHeader = "X-Sparkgate-Token"
