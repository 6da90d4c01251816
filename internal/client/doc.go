// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package client reads from a cluster in the name of the user: the objects of our kinds, and, through the API server's
// proxy, what the operator explains.
//
// The proxy takes the header Authorization away, so the user's token goes along in a header of our own. A user with a
// client certificate has none: then a short-lived token of the ServiceAccount sparkgate-explain is asked for.
package client
