// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build slow

package fencing

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

const (
	// finished is how many applications an idle installation has, most how many requests it may make for them in a minute.
	finished, most = 1000, 5
	// watched is for how many minutes requests are counted: watches begin anew every few minutes.
	watched = 3
)

// counter counts requests, those for the lease apart.
type counter struct {
	mu     sync.Mutex
	lease  int
	others map[string]int
	last   time.Time
}

func (c *counter) see(r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if strings.Contains(r.URL.Path, "/leases/") {
		c.lease++
		return
	}
	watch := ""
	if r.URL.Query().Get("watch") != "" {
		watch = " (watch)"
	}
	c.others[r.Method+" "+r.URL.Path+watch]++
	c.last = time.Now()
}

// quiet reports whether there was no request but for the lease for a while.
func (c *counter) quiet() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Since(c.last) > time.Minute
}

// TestSlowIdle counts what an operator asks of the API server that has nothing to do: a thousand applications have ended. With a lease for which
// a standby waits longer, the lease included.
func TestSlowIdle(t *testing.T) {
	w := harness.NewWorld(t, "3Gi", nil)
	program := harness.BuildProgram(t)
	c := &counter{others: map[string]int{}, last: time.Now()}
	proxy := openProxy(t, harness.NewNetwork(func(int, *http.Request) harness.Fault { return harness.None }), c.see)
	t.Cleanup(proxy.Close)
	program.Kubeconfig = filepath.Join(t.TempDir(), "kubeconfig")
	if err := os.WriteFile(program.Kubeconfig, fmt.Appendf(nil, kubeconfig, proxy.URL), 0o600); err != nil {
		t.Fatal(err)
	}
	first := w.Apply("pi")
	process := program.Start(t, "--enable-leader-election")
	w.Succeed(first)
	process.Kill()
	for n := range finished - 1 { // they have ended as the first one has
		app := w.Apply(fmt.Sprintf("pi-%d", n))
		ended := app.DeepCopy()
		ended.Status = first.Status
		if err := env.Client().Status().Patch(t.Context(), ended, client.MergeFrom(app)); err != nil {
			t.Fatal(err)
		}
	}
	for _, lease := range []struct {
		flags   []string
		counted bool
	}{
		{flags: nil}, // the default, which is there for a standby that takes over soon
		{flags: []string{"--leader-election-lease-duration=75s", "--leader-election-renew-deadline=50s"}, counted: true},
	} {
		process = program.Start(t, append([]string{"--enable-leader-election"}, lease.flags...)...)
		t.Cleanup(proxy.CloseClientConnections)
		t.Cleanup(process.Kill)
		env.UntilWithin(t, 2*time.Minute, "the operator leads", func() (bool, any) { return strings.Contains(process.Log(), "Restored the queues"), process.Log() })
		others, leases := c.atRest(t)
		t.Logf("%.1f requests a minute beside %.1f for the lease (%v), with %d applications that have ended", others, leases, lease.flags, finished)
		if lease.counted {
			others += leases
		}
		if others > most {
			t.Errorf("%.1f requests a minute, want %d at most", others, most)
		}
		process.Kill()
	}
}

// atRest waits until only the lease is written, and returns how many requests there are in a minute from then on, those for the lease apart.
func (c *counter) atRest(t *testing.T) (others, leases float64) {
	t.Helper()
	env.UntilWithin(t, 10*time.Minute, "the operator is idle", func() (bool, any) { return c.quiet(), c.others })
	c.mu.Lock()
	c.lease, c.others = 0, map[string]int{}
	c.mu.Unlock()
	time.Sleep(watched * time.Minute)
	c.mu.Lock()
	defer c.mu.Unlock()
	all := 0
	for what, n := range c.others {
		t.Logf("%d × %s", n, what)
		all += n
	}
	return float64(all) / watched, float64(c.lease) / watched
}
