// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"github.com/sparkgate/sparkgate/cmd/sparkgate/internal/options"
)

// TestTheCacheMayTakeItsTime: the cache of very many applications takes minutes to sync. With the library's default of
// two minutes, controllers would give up, and the operator would be restarted before it has decided anything.
func TestTheCacheMayTakeItsTime(t *testing.T) {
	o, err := options.Parse([]string{"--metrics-addr=0", "--health-addr=0", "--enable-leader-election=false"})
	if err != nil {
		t.Fatal(err)
	}
	manager, err := newManager(&rest.Config{Host: "http://127.0.0.1:1"}, o, "test", nil)
	if err != nil {
		t.Fatal(err)
	}
	if timeout := manager.GetControllerOptions().CacheSyncTimeout; timeout < time.Hour {
		t.Errorf("controllers wait %s for their caches; want at least an hour", timeout)
	}
}
