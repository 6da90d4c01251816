// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package accountrights checks by SubjectAccessReviews what service accounts may do. It caches the answers for a while,
// so that a steady stream of applications costs almost no reviews.
package accountrights
