// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package browser

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// stays marks the document, and returns a check that it has not been loaded again.
func (b tab) stays() func() {
	b.t.Helper()
	b.has("it is live", `document.body.dataset.updates > 0`)
	value[bool](b, `window.sameDocument = true`)
	return func() {
		b.t.Helper()
		if !value[bool](b, "window.sameDocument === true") {
			b.t.Error("the page was loaded again")
		}
	}
}

// TestUsageIsLive: an open page counts a run that ends, as waste if it failed.
func TestUsageIsLive(t *testing.T) {
	operator.Use(t)
	w := harness.NewWorld(t, "", nil)
	app := w.Apply("pi")
	driver := w.Run(app)
	b := serve(t).open(t, "/usage?by=application&namespace="+w.Namespace)
	same := b.stays()
	b.shows(w.Namespace + "/pi")
	failed := `document.querySelector("table.usage tbody td.number.bad")`
	if value[bool](b, `Boolean(`+failed+`)`) {
		t.Error("something has failed before it has")
	}
	w.Kubelet.Finish(t.Context(), driver, 1, "Error")
	b.has("the page counts what failed", failed)
	w.Apply("other")
	b.shows(w.Namespace + "/other")
	same()
}

// TestSchedulesAreLive: schedules come, are suspended and go while the page is open.
func TestSchedulesAreLive(t *testing.T) {
	operator.Use(t)
	w := harness.NewWorld(t, "", nil)
	spec, err := json.Marshal(w.Pi("pi").Spec)
	if err != nil {
		t.Fatal(err)
	}
	b := serve(t).open(t, "/schedules?namespace="+w.Namespace)
	same := b.stays()
	b.shows("No schedule matches.")
	schedule := &v1alpha1.ScheduledSparkApplication{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "hourly"},
		Spec:       v1alpha1.ScheduledSparkApplicationSpec{Schedule: "5 * * * *", Template: v1alpha1.ApplicationTemplate{Spec: runtime.RawExtension{Raw: spec}}},
	}
	harness.Create(t, schedule)
	b.has("its times are drawn", `document.querySelectorAll("svg.timeline .next").length >= 23`)
	harness.Change(t, schedule, func(s *v1alpha1.ScheduledSparkApplication) { s.Spec.Suspend = true })
	b.shows("Suspended")
	if err := env.Client().Delete(t.Context(), schedule); err != nil {
		t.Fatal(err)
	}
	b.shows("No schedule matches.")
	same()
}

// TestQueueIsLive: an open queue shows which applications wait and hold quota, and its bar shows what is reserved for
// the head once another application would take it.
func TestQueueIsLive(t *testing.T) {
	operator.Use(t)
	w := harness.NewWorld(t, harness.MemoryFor(5), nil)
	harness.Change(t, w.Queue, func(q *v1alpha1.SparkQueue) { q.Spec.HeadTimeout = &metav1.Duration{} })
	b := serve(t).open(t, "/queues/"+w.Queue.Name)
	same := b.stays()
	b.shows("No application waits.")
	first := w.Apply("first")
	driver := w.Run(first)
	b.shows(w.Namespace + "/first")
	w.Reach(w.Apply("second"), v1alpha1.QueuedReason)
	b.shows(w.Namespace + "/second")
	w.Reach(w.Apply("third", func(app *v1alpha1.SparkApplication) { app.Spec.Executor.Instances = ptr.To[int32](1) }), v1alpha1.QueuedReason)
	b.shows("is reserved for asks")
	b.has("the bar has what is reserved", `document.querySelector("svg.bar rect.reserved")`)
	b.has("the bar says what is reserved", `document.querySelector("svg.bar[aria-label*='1.75Gi reserved']")`)
	for _, theme := range []string{"light", "dark"} {
		b.looks(theme)
		b.picture("queue-reserved-" + theme)
		b.accessible("a queue with a reservation, " + theme)
	}
	w.Kubelet.Finish(t.Context(), driver, 0, "Completed")
	b.shows("No application waits.")
	b.has("nothing is reserved", `!document.querySelector("svg.bar rect.reserved")`)
	same()
}

// TestAdviceIsLive: a card that could not be read while the run went on is filled when the run has ended.
func TestAdviceIsLive(t *testing.T) {
	operator.Use(t)
	folder := t.TempDir()
	w := harness.NewWorld(t, "", nil)
	app := w.Apply("pi", func(app *v1alpha1.SparkApplication) {
		app.Spec.SparkConf = map[string]string{"spark.eventLog.dir": "file://" + folder}
	})
	driver := w.Run(app)
	b := serve(t).open(t, pathOf(app)+"?advice=1")
	same := b.stays()
	b.shows("Not known: ")
	measured(t, app, folder)
	w.Kubelet.Finish(t.Context(), driver, 0, "Completed")
	b.shows(expected["advice"])
	b.shows("Patch of the manifest")
	same()
}

// viewerWith returns the access of an account that may list and watch some resources in all namespaces.
func viewerWith(t *testing.T, resources ...string) *rest.Config {
	t.Helper()
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: env.BareNamespace(t), GenerateName: "viewer-"}}
	harness.Create(t, account)
	if len(resources) > 0 {
		meta := metav1.ObjectMeta{GenerateName: account.Name + "-"}
		role := &rbacv1.ClusterRole{ObjectMeta: meta, Rules: []rbacv1.PolicyRule{{APIGroups: []string{v1alpha1.Group}, Resources: resources, Verbs: []string{"list", "watch"}}}}
		harness.Create(t, role)
		harness.Create(t, &rbacv1.ClusterRoleBinding{ObjectMeta: meta, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role.Name},
			Subjects: []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: account.Namespace, Name: account.Name}}})
	}
	request := &authenticationv1.TokenRequest{}
	if err := env.Client().SubResource("token").Create(t.Context(), account, request); err != nil {
		t.Fatal(err)
	}
	config := rest.AnonymousClientConfig(env.Config())
	config.BearerToken = request.Status.Token
	return config
}

// TestRefusals: viewers without a right see which one it is, on a page with navigation and with everything else that
// they may see.
func TestRefusals(t *testing.T) {
	operator.Use(t)
	w := harness.NewWorld(t, harness.MemoryFor(3), nil)
	app := w.Apply("pi")
	w.Run(app)
	nothing, lists := serveAs(t, viewerWith(t)), serveAs(t, viewerWith(t, "sparkqueues", "sparkapplications"))
	for name, tt := range map[string]struct {
		who  site
		path string
		says []string
		// whole reports whether the rest of the page is there.
		whole bool
	}{
		"queues":       {nothing, "/queues", []string{"you may not list sparkqueues"}, false},
		"queue":        {nothing, "/queues/" + w.Queue.Name, []string{"you may not list sparkqueues"}, false},
		"applications": {nothing, "/applications", []string{"you may not list sparkapplications in all namespaces", "Show this namespace"}, false},
		"application":  {nothing, pathOf(app), []string{"you may not list sparkapplications in namespace " + w.Namespace}, false},
		"manifest":     {nothing, pathOf(app) + "/manifest", []string{"you may not get sparkapplications in namespace " + w.Namespace}, false},
		"schedules":    {nothing, "/schedules", []string{"you may not list scheduledsparkapplications in all namespaces", "Show this namespace"}, false},
		"usage":        {nothing, "/usage", []string{"you may not list sparkapplications in all namespaces", "Show this namespace"}, false},
		"what-if":      {nothing, "/what-if", []string{"you may not list sparkqueues"}, false},
		"parts": {lists, pathOf(app) + "?advice=1", []string{
			"Not known: ", "you may not list pods in namespace " + w.Namespace, "you may not list events in namespace " + w.Namespace,
			"You may not patch sparkapplications in namespace " + w.Namespace,
		}, true},
		"plan": {lists, "/what-if?plan=1&queue=" + w.Queue.Name, []string{"you may not list sparkflavors"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			b := tt.who.until(t, tt.path, tt.says[0])
			for _, text := range tt.says {
				b.shows(text)
			}
			b.has("the page has its navigation", `document.querySelectorAll("nav[aria-label=Pages] a").length === 6`)
			if alert := value[bool](b, `Boolean(document.querySelector("main [role=alert]"))`); alert == tt.whole {
				t.Errorf("an alert is there: %t", alert)
			}
			for _, theme := range []string{"light", "dark"} {
				b.looks(theme)
				b.picture("refused-" + name + "-" + theme)
				b.accessible("refused " + name + ", " + theme)
			}
		})
	}
}

// until opens a path repeatedly until it shows a text: the API server notices new rights a little later.
func (s site) until(t *testing.T, path, text string) tab {
	t.Helper()
	b := s.open(t, path)
	env.UntilSeen(t, path+" shows "+text, func() (bool, any) {
		shown := value[string](b, "document.body.innerText")
		if strings.Contains(shown, text) {
			return true, nil
		}
		b.goes(s.base + path)
		return false, shown
	})
	return b
}

// offline cuts the browser off, or connects it again.
func (b tab) offline(is bool) {
	b.t.Helper()
	unlimited := network.Conditions{DownloadThroughput: -1, UploadThroughput: -1, Offline: is}
	if _, err := chromedp.Call(b.ctx, network.EmulateNetworkConditionsByRule, network.EmulateNetworkConditionsByRuleParams{MatchedNetworkConditions: []*network.Conditions{&unlimited}}); err != nil {
		b.t.Fatal(err)
	}
	if _, err := chromedp.Call(b.ctx, network.OverrideNetworkState, network.OverrideNetworkStateParams{Offline: is, DownloadThroughput: -1, UploadThroughput: -1}); err != nil {
		b.t.Fatal(err)
	}
}

// TestOffline: a browser without network says that the page may be outdated; when it is back, the same page shows what happened
// meanwhile.
func TestOffline(t *testing.T) {
	operator.Use(t)
	w := harness.NewWorld(t, "", nil)
	app := w.Apply("pi")
	driver := w.Run(app)
	address := serve(t)
	b := address.open(t, pathOf(app))
	if _, err := chromedp.Call(b.ctx, network.Enable, network.EnableParams{}); err != nil {
		t.Fatal(err)
	}
	same := b.stays()
	b.offline(true)
	address.CloseClientConnections()
	b.has("it says that it is offline", `document.getElementById("link").textContent.startsWith("Offline: ")`)
	b.picture("offline")
	b.accessible("offline")
	w.Kubelet.Finish(t.Context(), driver, 0, "Completed")
	w.Reach(app, v1alpha1.SucceededReason)
	if strings.Contains(value[string](b, "document.querySelector('.head').innerText"), "Succeeded") {
		t.Error("the page is not offline")
	}
	b.offline(false)
	b.has("it is live again", `document.getElementById("link").textContent === "Live"`)
	b.shows("run 1 succeeded")
	same()
}

// TestRefusedUpdates: a page whose updates the server refuses, as it does once a token has expired, says what to do.
func TestRefusedUpdates(t *testing.T) {
	address := serve(t)
	pages, refuses := address.Config.Handler, &atomic.Bool{}
	address.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if refuses.Load() {
			http.Error(w, "log in again", http.StatusUnauthorized)
			return
		}
		pages.ServeHTTP(w, r)
	})
	b := address.open(t, "/queues")
	same := b.stays()
	refuses.Store(true)
	value[bool](b, `window.dispatchEvent(new Event("online"))`) // it connects again, as a tab does that is seen again
	b.has("it says what to do", `document.getElementById("link").textContent.startsWith("No updates: load this page again")`)
	refuses.Store(false)
	b.has("it is live again", `document.getElementById("link").textContent === "Live"`)
	same()
}

// TestManyTabs: with a hundred tabs open in one browser, the visible one is live; the others hold no connection.
func TestManyTabs(t *testing.T) {
	operator.Use(t)
	w := harness.NewWorld(t, "", nil)
	app := w.Apply("pi")
	driver := w.Run(app)
	address := serve(t)
	const many = 100
	for i := range many {
		tab, err := chromedp.CallBrowser(chromium, target.CreateTarget, target.CreateTargetParams{
			URL: fmt.Sprintf("%s/applications?namespace=%s&tab=%d", address.base, w.Namespace, i), Background: ptr.To(true),
		})
		if err != nil {
			t.Fatal(err)
		}
		id := tab.TargetID
		t.Cleanup(func() {
			if _, err := chromedp.CallBrowser(chromium, target.CloseTarget, target.CloseTargetParams{TargetID: id}); err != nil {
				t.Error(err)
			}
		})
	}
	b := address.open(t, pathOf(app))
	same := b.stays()
	w.Kubelet.Finish(t.Context(), driver, 0, "Completed")
	b.shows("run 1 succeeded")
	same()
}
