// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package client reads and writes the objects of the operator's kinds with the credentials of the user, and reads the
// operator's explanations through the API server's proxy.
//
// The proxy removes the header Authorization, so the user's token is sent in another header as well. A user with a
// client certificate has no token; for such a user a short-lived token of the ServiceAccount sparkgate-explain is
// created.
package client
