// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package accountrights asks the API server what service accounts may do, by SubjectAccessReviews, and remembers the
// answers for a while: a steady stream of applications costs next to no review.
package accountrights
