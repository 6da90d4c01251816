// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package pages

import (
	"errors"
	"net/http"

	"github.com/sparkgate/sparkgate/internal/tools/client"
)

// notFound is the error for an object that does not exist.
type notFound struct{ text string }

func (n *notFound) Error() string { return n.text }

// isNotFound reports whether err means that an object does not exist.
func isNotFound(err error) bool {
	var missing *notFound
	return errors.As(err, &missing) || client.IsNotFound(err)
}

// StatusOf returns the HTTP status for an error.
func StatusOf(err error) int {
	switch {
	case client.IsForbidden(err):
		return http.StatusForbidden
	case client.IsUnauthorized(err):
		return http.StatusUnauthorized
	case isNotFound(err):
		return http.StatusNotFound
	}
	return http.StatusServiceUnavailable
}
