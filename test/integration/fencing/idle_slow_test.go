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

// TestSlowIdle counts what an operator asks of the API server that has nothing to do: a thousand applications have ended.
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
	process = program.Start(t, "--enable-leader-election")
	env.Until(t, "the operator leads", func() bool { return strings.Contains(process.Log(), "Restored the queues") })
	t.Cleanup(proxy.CloseClientConnections)
	t.Cleanup(process.Kill)

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
	t.Logf("%.1f requests a minute beside %.1f for the lease, with %d applications that have ended", float64(all)/watched, float64(c.lease)/watched, finished)
	if all > watched*most {
		t.Errorf("%d requests in %d minutes", all, watched)
	}
}
