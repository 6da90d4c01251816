// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package browser opens the web page in a real Chromium. It checks what people see and hear of it in every stage, and
// keeps pictures as files.
package browser

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"

	"github.com/sparkgate/sparkgate/internal/tools/client"
	"github.com/sparkgate/sparkgate/internal/tools/dashboard"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// axeVariable names the file of the accessibility checker axe-core, which hack/suite gets.
const axeVariable = "SPARKGATE_AXE"

// operator is that of all tests of the package.
var operator harness.Shared

// chromium is the one browser of all tests.
var chromium context.Context

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	ctx, stop := chromedp.NewContext(context.Background(), chromedp.WithAllocatorOptions(
		chromedp.Headless, chromedp.NoSandbox, chromedp.DisableGPU, chromedp.NoFirstRun, chromedp.WindowSize(1400, 900),
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-sync", true), chromedp.Flag("no-proxy-server", true), chromedp.Flag("disable-dev-shm-usage", true),
		chromedp.WSURLReadTimeout(env.Patience),
	))
	defer stop()
	if err := chromedp.Do(ctx, chromedp.Navigate("about:blank")); err != nil {
		fmt.Fprintf(os.Stderr, "browser tests need Chromium, and it does not start: %v\n", err)
		return 1
	}
	chromium = ctx
	return harness.Main(m)
}

// site is the page as sparkctl serves it, with the rights of an administrator.
type site struct {
	*httptest.Server
	base string
}

// serve runs the page.
func serve(t *testing.T) site {
	t.Helper()
	return serveAs(t, env.Config())
}

// serveAs serves the page with the rights of another user.
func serveAs(t *testing.T, config *rest.Config) site {
	t.Helper()
	c, err := client.New(config, "default", "sparkgate-system")
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(nil)
	const secret = "secret"
	server.Config.Handler = dashboard.New(t.Context(), dashboard.Options{
		Local: c, Secret: secret, Hosts: []string{server.Listener.Addr().String()}, Clock: clock.RealClock{},
	}).Handler()
	server.Start()
	t.Cleanup(server.Close)
	t.Cleanup(server.CloseClientConnections)
	return site{server, server.URL + "/" + secret}
}

// tab is a page of the browser.
type tab struct {
	t   *testing.T
	ctx context.Context
}

// open opens a path in a new tab.
func (s site) open(t *testing.T, path string) tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(chromium, chromedp.WithNewBrowserContext()) // without the cookies of other tests
	t.Cleanup(cancel)
	b := tab{t, ctx}
	b.goes(s.base + path)
	return b
}

// goes loads an address, and waits until the page is live.
func (b tab) goes(address string) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, chromedp.Navigate(address), chromedp.WaitVisible("h1")); err != nil {
		b.t.Fatalf("%s: %v", address, err)
	}
}

// has waits until a JavaScript expression is true.
func (b tab) has(what, expression string) {
	b.t.Helper()
	env.UntilSeen(b.t, what, func() (bool, env.Lazily) {
		is, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool]("Boolean("+expression+")"))
		return err == nil && is, func() string {
			text, _ := chromedp.Run(b.ctx, chromedp.Evaluate[string]("document.body.innerText"))
			return fmt.Sprint(err, text)
		}
	})
}

// shows waits until the page has a text.
func (b tab) shows(text string) {
	b.t.Helper()
	b.has("the page shows "+text, fmt.Sprintf("document.body.innerText.includes(%q)", text))
}

// value evaluates an expression.
func value[T any](b tab, expression string) T {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatalf("%.80s: %v", expression, err)
	}
	return v
}

// looks sets the theme that the system prefers.
func (b tab) looks(theme string) {
	b.t.Helper()
	_, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: theme}, {Name: "prefers-reduced-motion", Value: "reduce"}},
	})
	if err != nil {
		b.t.Fatal(err)
	}
}

// narrow gives the page the width of a telephone during the check: no content may extend beyond its edge.
func (b tab) narrow(name string) {
	b.t.Helper()
	phone := emulation.SetDeviceMetricsOverrideParams{Width: 390, Height: 844, DeviceScaleFactor: 1}
	if _, err := chromedp.Call(b.ctx, emulation.SetDeviceMetricsOverride, phone); err != nil {
		b.t.Fatal(err)
	}
	if wide := value[float64](b, "document.documentElement.scrollWidth"); wide > float64(phone.Width) {
		b.t.Errorf("%s is %.0f wide on a screen of %d", name, wide, phone.Width)
	}
	b.picture(name + "-narrow")
	if _, err := chromedp.Call(b.ctx, emulation.ClearDeviceMetricsOverride, cdp.Empty{}); err != nil {
		b.t.Fatal(err)
	}
}

// picture saves a picture of the page in out/browser.
func (b tab) picture(name string) {
	b.t.Helper()
	png, err := chromedp.Run(b.ctx, chromedp.FullScreenshot(100))
	folder := filepath.Join(env.Root(), "out", "browser")
	if err == nil {
		err = os.MkdirAll(folder, 0o755)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, name+".png"), png, 0o600)
	}
	if err != nil {
		b.t.Errorf("picture %s: %v", name, err)
	}
}

// violation is a problem that axe-core reports.
type violation struct {
	ID    string
	Help  string
	Nodes []struct {
		HTML           string
		FailureSummary string
	}
}

// accessible checks the page with axe-core.
func (b tab) accessible(name string) {
	b.t.Helper()
	file := os.Getenv(axeVariable)
	if file == "" {
		b.t.Fatalf("$%s is empty: run make browser", axeVariable)
	}
	checker, err := os.ReadFile(file)
	if err != nil {
		b.t.Fatal(err)
	}
	value[bool](b, string(checker)+";true")
	for _, v := range value[[]violation](b, `axe.run(document, {resultTypes: ["violations"]}).then(r => r.violations.map(v =>
		({ID: v.id, Help: v.help, Nodes: v.nodes.slice(0, 3).map(n => ({HTML: n.html, FailureSummary: n.failureSummary}))})))`) {
		var where []string
		for _, n := range v.Nodes {
			where = append(where, n.HTML+"\n"+n.FailureSummary)
		}
		b.t.Errorf("%s: %s: %s\n%s", name, v.ID, v.Help, strings.Join(where, "\n"))
	}
}

// press presses a key.
func (b tab) press(key string) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, chromedp.KeyEvent(key)); err != nil {
		b.t.Fatal(err)
	}
}

// weight returns the size in bytes of a page with its files.
func (s site) weight(t *testing.T, path string) int64 {
	t.Helper()
	total := int64(0)
	for _, p := range []string{path, "/static/page.css", "/static/page.js", "/static/icon.png"} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.base+p, nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		size, err := io.Copy(io.Discard, response.Body)
		response.Body.Close()
		if err != nil || response.StatusCode != http.StatusOK {
			t.Fatalf("%s: %d, %v", p, response.StatusCode, err)
		}
		total += size
	}
	return total
}
