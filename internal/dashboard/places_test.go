// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"fmt"
	"testing"

	"k8s.io/utils/clock"
)

// TestOneUserTakesNotAllPlaces: users may have any number of tokens, and create any number of ServiceAccounts in their namespaces. Others get
// a place all the same. Places whose pages are closed are given to others of the same user.
func TestOneUserTakesNotAllPlaces(t *testing.T) {
	t.Parallel()
	s := New(t.Context(), Options{Clock: clock.RealClock{}})
	tokens := 0
	comes := func(user string) bool {
		tokens++
		v, err := s.viewer(fmt.Sprint("token-", tokens), user, nil)
		if err == nil {
			v.tables["open"] = &shared{}
		}
		return err == nil
	}
	for i := range maxViewersOfTenant {
		if !comes(fmt.Sprint("system:serviceaccount:theirs:", i)) || !comes("greedy") {
			t.Fatalf("place %d is refused", i)
		}
	}
	for user, want := range map[string]bool{
		"greedy": false, "system:serviceaccount:theirs:new": false, "system:serviceaccount:other:new": true, "other": true,
	} {
		if got := comes(user); got != want {
			t.Errorf("one more of %s comes in: %v, want %v", user, got, want)
		}
	}
	for _, v := range s.viewers {
		if v.tenant == "greedy" {
			delete(v.tables, "open")
			break
		}
	}
	if !comes("greedy") {
		t.Error("the place of a page that is closed is not given to others")
	}
}
