// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package checks

// exceptions are the places that may break a size limit, each with its reason.
var exceptions = []Exception{}
