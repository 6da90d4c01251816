// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package sparkctl

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// counted is the way to the API server, where requests are noted in the order in which they come.
type counted struct {
	mu       sync.Mutex
	requests []string
}

// through returns an administrator whose requests are noted.
func through(t *testing.T, namespace string) (user, *counted) {
	t.Helper()
	target, err := url.Parse(env.Config().Host)
	if err != nil {
		t.Fatal(err)
	}
	transport, err := rest.TransportFor(env.Config())
	if err != nil {
		t.Fatal(err)
	}
	seen := &counted{}
	proxy := &httputil.ReverseProxy{Transport: transport, FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen.note(r)
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	me := as(t, &clientcmdapi.AuthInfo{}, namespace)
	c, err := clientcmd.LoadFromFile(me.kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	c.Clusters["test"] = &clientcmdapi.Cluster{Server: server.URL}
	if err := clientcmd.WriteToFile(*c, me.kubeconfig); err != nil {
		t.Fatal(err)
	}
	return me, seen
}

// note keeps what a request is about: its verb and the last parts of its path.
func (c *counted) note(r *http.Request) {
	verb := r.Method
	if r.URL.Query().Get("watch") == "true" {
		verb = "WATCH"
	}
	parts := strings.Split(r.URL.Path, "/")
	of := slices.Index(parts, "namespaces") + 2
	c.mu.Lock()
	defer c.mu.Unlock()
	c.requests = append(c.requests, verb+" "+strings.Join(parts[of:], "/"))
}

func (c *counted) all() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.requests)
}

// TestRoundTripsOfSubmit: beside the request that creates the application there are two, which follow it; after its end
// there is none.
func TestRoundTripsOfSubmit(t *testing.T) {
	t.Parallel()
	operator.Use(t)
	w := harness.NewWorld(t, "", nil)
	me, seen := through(t, w.Namespace)
	app := w.Pi("pi")
	command := me.command("submit", "--wait", "-f", manifest(t, app))
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	env.Until(t, "the application is there", func() bool { return env.Client().Get(t.Context(), client.ObjectKeyFromObject(app), app) == nil })
	w.Succeed(app)
	if err := command.Wait(); err != nil {
		t.Fatal(err)
	}
	want := []string{"POST sparkapplications", "GET sparkapplications/pi", "WATCH sparkapplications"}
	if got := seen.all(); !slices.Equal(got, want) {
		t.Errorf("requests %q, want %q", got, want)
	}
}

// TestRoundTripsOfLogs: where kubectl, which is given the pod's name, reads the pod and opens its log, logs -f reads the
// application, looks for the pod and opens the log: the log is at most the third request that it waits for. The watch runs
// beside them.
func TestRoundTripsOfLogs(t *testing.T) {
	t.Parallel()
	operator.Use(t)
	n := harness.NewNode(t)
	w := harness.NewWorld(t, "", &harness.Kubelet{Run: harness.Manual, Node: n.Name})
	me, seen := through(t, w.Namespace)
	app := w.Apply("pi")
	driver := w.Run(app)
	n.Writes(driver, "hello\n")
	w.Reach(app, v1alpha1.RunningReason)
	var out output
	command := me.command("logs", "-f", "pi")
	command.Stdout = &out
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	out.until(t, "hello\n")
	got := slices.DeleteFunc(seen.all(), func(request string) bool { return strings.HasPrefix(request, "WATCH") })
	want := []string{"GET sparkapplications/pi", "GET pods", "GET pods/" + driver.Name + "/log"}
	if !slices.Equal(got, want) {
		t.Errorf("requests %q, want %q", got, want)
	}
	n.Ends(driver)
	w.Kubelet.Finish(t.Context(), driver, 0, "Completed")
	if err := command.Wait(); err != nil {
		t.Errorf("logs -f ends with %v", err)
	}
}
