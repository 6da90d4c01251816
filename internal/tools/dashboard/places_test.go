// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"fmt"
	"testing"
	"time"

	"k8s.io/client-go/rest"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/tools/client"
	"github.com/sparkgate/sparkgate/internal/tools/dashboard/viewer"
)

// TestOneUserTakesNotAllPlaces: users may have any number of tokens, and create any number of ServiceAccounts in their namespaces. Others get
// a place all the same. Places whose pages are closed are given to others of the same user.
func TestOneUserTakesNotAllPlaces(t *testing.T) {
	t.Parallel()
	clock := clocktesting.NewFakeClock(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	s := New(t.Context(), Options{Clock: clock})
	c, err := client.New(&rest.Config{Host: "http://127.0.0.1:1"}, "", "sparkgate-system")
	if err != nil {
		t.Fatal(err)
	}
	queues := viewer.ListOf(client.Queues, client.Selection{})
	tokens := 0
	comes := func(user string) bool {
		tokens++
		v, err := s.viewer(fmt.Sprint("token-", tokens), user, c)
		if err == nil {
			_, err = viewer.Open[v1alpha1.SparkQueue](v, queues)
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
		if v.Tenant == "greedy" {
			v.Close(queues.Key())
			break
		}
	}
	clock.Step(time.Minute)
	if !comes("greedy") {
		t.Error("the place of a page that is closed is not given to others")
	}
}
