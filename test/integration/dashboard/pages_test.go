// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"encoding/json"
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// TestWhoWaitsAndWhy: one application runs, one waits behind it; every page says so, and the open one hears of the end.
func TestWhoWaitsAndWhy(t *testing.T) {
	t.Parallel()
	operator.Use(t)
	n := harness.NewNode(t)
	w := harness.NewWorld(t, harness.MemoryFor(3), &harness.Kubelet{Run: harness.Manual, Node: n.Name})
	me := newViewer(t, serve(t), everything)
	runs := w.Apply("pi", func(app *v1alpha1.SparkApplication) { app.Labels = map[string]string{"team": "a"} })
	driver := w.Run(runs)
	waits := w.Apply("later")
	w.Reach(waits, v1alpha1.QueuedReason)

	if p := me.opens("/"); p.header.Get("Location") != "/overview" {
		t.Errorf("the first page is %d %s", p.status, p.header.Get("Location"))
	}
	me.sees("/overview", "Waiting longest, and why", w.Namespace+"/</span>later</a>", "needs memory 2.625Gi", "Just started", w.Namespace+"/</span>pi</a>", w.Queue.Name)
	me.sees("/queues", w.Queue.Name, "2.625Gi of 2.625Gi used", `role="img"`)
	me.sees("/queues/"+w.Queue.Name, "Who waits, and why", w.Namespace+"/later</a>", "needs memory 2.625Gi", "Who holds quota", w.Namespace+"/pi</a>", "2 executors with")
	list := me.sees("/applications?namespace="+w.Namespace, ">later</a>", ">pi</a>", "needs memory 2.625Gi", "<b>2</b> listed")
	if strings.Index(list.text, ">later</a>") > strings.Index(list.text, ">pi</a>") {
		t.Error("the newest is not the first")
	}
	me.sees("/applications?namespace="+w.Namespace+"&stage=waiting", ">later</a>", "<b>1</b> listed")
	me.sees("/applications?namespace="+w.Namespace+"&labels=team%3Da", ">pi</a>", "<b>1</b> listed")
	me.sees("/applications?q="+w.Namespace+"&queue="+w.Queue.Name, "<b>2</b> listed")
	me.sees(applicationPath(waits), "Why it waits", "waits in queue "+w.Queue.Name, "There is no live view", `aria-current="step"`)
	me.sees(applicationPath(runs), "What it holds", driver.Name, "Log of the driver", "You may not patch sparkapplications in namespace "+w.Namespace)
	me.sees(applicationPath(runs)+"/manifest", "kind: SparkApplication", "name: pi")

	open, waiting, first := me.follows(applicationPath(runs)+"?log=1"), me.follows("/queues/"+w.Queue.Name), me.follows("/overview?namespace="+w.Namespace)
	open.until("view", "Running")
	n.Writes(driver, "Pi is roughly 3.1\n")
	open.until("log", "Pi is roughly 3.1")
	waiting.until("view", w.Namespace+"/later</a>")
	n.Ends(driver)
	w.Kubelet.Finish(t.Context(), driver, 0, "Completed")
	open.until("view", "Succeeded", `class="stage good"`)
	waiting.until("view", "No application waits")
	first.until("view", "<b>0</b> waiting, <b>1</b> running, <b>0</b> failed")
}

func applicationPath(app *v1alpha1.SparkApplication) string {
	return "/applications/" + app.Namespace + "/" + app.Name
}

// TestRefusals: a viewer without a right sees which one it is, on a page with navigation, and what they may see besides.
func TestRefusals(t *testing.T) {
	t.Parallel()
	operator.Use(t)
	w := harness.NewWorld(t, "", nil)
	app := w.Apply("pi")
	w.Reach(app, v1alpha1.SubmittingReason)
	address := serve(t)
	without := newViewer(t, address)
	without.refused("/queues", "you may not list sparkqueues")
	without.refused("/applications", "you may not list sparkapplications in all namespaces", `name="namespace"`)
	without.refused("/applications?namespace="+w.Namespace, "you may not list sparkapplications in namespace "+w.Namespace)
	without.refused("/schedules", "you may not list scheduledsparkapplications in all namespaces")
	without.refused(applicationPath(app), "you may not list sparkapplications in namespace "+w.Namespace)
	without.refused(applicationPath(app)+"/manifest", "you may not get sparkapplications in namespace "+w.Namespace)

	tenant := newViewer(t, address, rights{w.Namespace, []string{"list", "watch"}, []string{"sparkapplications"}})
	tenant.refused("/applications", "you may not list sparkapplications in all namespaces")
	tenant.sees("/applications?namespace="+w.Namespace, ">pi</a>")
	tenant.sees(applicationPath(app), "you may not list pods in namespace "+w.Namespace, "you may not list events in namespace "+w.Namespace)
	if p := tenant.opens("/applications/" + w.Namespace + "/none"); p.status != http.StatusNotFound || !strings.Contains(p.text, "not found in namespace") {
		t.Errorf("%d %s", p.status, p.text)
	}

	queues := newViewer(t, address, rights{"", []string{"list", "watch"}, []string{"sparkqueues"}})
	queues.sees("/queues/"+w.Queue.Name, "you may not list sparkapplications in all namespaces")
}

// TestTheNamespaceIsRemembered: a user who may see one namespace chooses it once. All pages come back to it, and the page of a
// queue lists its applications, and counts the others.
func TestTheNamespaceIsRemembered(t *testing.T) {
	t.Parallel()
	operator.Use(t)
	w := harness.NewWorld(t, "", nil)
	w.Reach(w.Apply("pi"), v1alpha1.SubmittingReason)
	address := serve(t)
	tenant := newViewer(t, address, rights{w.Namespace, []string{"list", "watch"}, []string{"sparkapplications", "scheduledsparkapplications"}})
	tenant.refused("/queues", "Choose a namespace", `action="/applications"`)
	for _, path := range []string{"/applications?namespace=" + w.Namespace, "/applications?namespace=kube-system"} {
		if set := tenant.opens(path).header.Get("Set-Cookie"); strings.Contains(set, w.Namespace) != strings.Contains(path, w.Namespace) {
			t.Errorf("%s sets %q", path, set)
		}
	}
	tenant.cookie = "sparkgate-namespace=" + w.Namespace
	for from, to := range map[string]string{"/overview": "/overview", "/queues": "/applications", "/applications": "/applications", "/schedules": "/schedules", "/usage": "/usage"} {
		if p := tenant.opens(from); p.status != http.StatusSeeOther || p.header.Get("Location") != to+"?namespace="+w.Namespace {
			t.Errorf("%s: %d, %s", from, p.status, p.header.Get("Location"))
		}
	}
	tenant.sees("/usage?namespace="+w.Namespace, "Usage")
	tenant.sees("/overview?namespace="+w.Namespace, "Overview of "+w.Namespace, "<b>1</b> running")

	queues := newViewer(t, address, rights{"", []string{"list", "watch"}, []string{"sparkqueues"}}, rights{w.Namespace, []string{"list", "watch"}, []string{"sparkapplications"}})
	queues.cookie = tenant.cookie
	queues.sees("/queues/"+w.Queue.Name, "of namespace "+w.Namespace, w.Namespace+"/pi</a>")
}

// TestActions: who may patch sees the buttons, and they work; another site, another verb and another viewer change nothing.
func TestActions(t *testing.T) {
	t.Parallel()
	operator.Use(t)
	w := harness.NewWorld(t, "", nil)
	app := w.Apply("pi")
	w.Run(app)
	address := serve(t)
	me := newViewer(t, address, everything, rights{w.Namespace, []string{"patch"}, []string{"sparkapplications"}})
	other := newViewer(t, address, everything)
	me.sees(applicationPath(app), applicationPath(app)+`/suspend"`, applicationPath(app)+`/rerun"`)
	for name, tt := range map[string]struct {
		who  viewer
		site string
		want int
		word string
	}{
		"from another site": {me, "cross-site", http.StatusForbidden, "another site"},
		"without the right": {other, "same-origin", http.StatusForbidden, "you may not patch sparkapplications in namespace " + w.Namespace},
	} {
		if p := tt.who.posts(applicationPath(app)+"/suspend", tt.site); p.status != tt.want || !strings.Contains(p.text, tt.word) {
			t.Errorf("%s: %d %s", name, p.status, p.text)
		}
	}
	harness.Eventually(t, app, "as it was", func(a *v1alpha1.SparkApplication) bool { return !a.Spec.Suspend })
	if p := me.posts(applicationPath(app)+"/suspend", "same-origin"); p.status != http.StatusSeeOther || p.header.Get("Location") != applicationPath(app)+"?done=suspend" {
		t.Errorf("suspend: %d %s %s", p.status, p.header.Get("Location"), p.text)
	}
	w.Reach(app, v1alpha1.SuspendedReason)
	me.sees(applicationPath(app)+"?done=suspend", "spec.suspend is set", applicationPath(app)+`/resume"`)
	declared := &unstructured.Unstructured{Object: map[string]any{"apiVersion": v1alpha1.GroupVersion.String(), "kind": v1alpha1.SparkApplicationKind, "spec": map[string]any{"suspend": true}}}
	declared.SetNamespace(app.Namespace)
	declared.SetName(app.Name)
	declared.SetLabels(map[string]string{"kustomize.toolkit.fluxcd.io/name": "jobs", "kustomize.toolkit.fluxcd.io/namespace": "flux-system"})
	if err := env.Client().Apply(t.Context(), client.ApplyConfigurationFromUnstructured(declared), client.FieldOwner("kustomize-controller"), client.ForceOwnership); err != nil {
		t.Fatal(err)
	}
	me.sees(applicationPath(app), "But Kustomization flux-system/jobs declares spec.suspend and sets it back at its next reconciliation: change it in Git")
	me.posts(applicationPath(app)+"/resume", "same-origin")
	w.Succeed(app)
	me.posts(applicationPath(app)+"/rerun", "same-origin")
	harness.Eventually(t, app, "in its second run", func(a *v1alpha1.SparkApplication) bool { return a.Status.Run == 2 })
}

// posts sends an empty form.
func (v viewer) posts(path, site string) page {
	v.t.Helper()
	r, err := http.NewRequestWithContext(v.t.Context(), http.MethodPost, v.address+path, strings.NewReader(""))
	if err != nil {
		v.t.Fatal(err)
	}
	r.Header.Set("Sec-Fetch-Site", site)
	response := v.do(r)
	defer response.Body.Close()
	text := new(strings.Builder)
	if err := response.Write(text); err != nil {
		v.t.Fatal(err)
	}
	return page{response.StatusCode, text.String(), response.Header}
}

// TestWithoutLogin: who has no token is led to the form, who has a bad one is refused.
func TestWithoutLogin(t *testing.T) {
	t.Parallel()
	address := serve(t)
	if p := (viewer{t: t, address: address}).opens("/queues?page=2"); p.status != http.StatusSeeOther || p.header.Get("Location") != "/login?to=%2Fqueues%3Fpage%3D2" {
		t.Errorf("without a token: %d %s", p.status, p.header.Get("Location"))
	}
	if p := (viewer{t: t, address: address, token: "bad"}).opens("/queues"); p.status != http.StatusUnauthorized {
		t.Errorf("a bad token in the header: %d", p.status)
	}
	for _, token := range []string{"", "bad", "two words", strings.Repeat("x", 5000)} {
		if r := logsIn(t, address, token); r.StatusCode != http.StatusUnauthorized || len(r.Cookies()) > 0 {
			t.Errorf("token %.20q: %d %v", token, r.StatusCode, r.Cookies())
		}
	}
}

// logsIn sends the form, with an address of another site to go to.
func logsIn(t *testing.T, address, token string) *http.Response {
	t.Helper()
	response, err := insecure().PostForm(address+"/login", url.Values{"token": {token}, "to": {"//evil.example.org"}})
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	return response
}

// TestLogin: a token opens the page by a cookie that scripts cannot read and other sites cannot send.
func TestLogin(t *testing.T) {
	t.Parallel()
	address := serve(t)
	r := logsIn(t, address, newViewer(t, address, everything).token)
	if r.StatusCode != http.StatusSeeOther || r.Header.Get("Location") != "/" || len(r.Cookies()) != 1 {
		t.Fatalf("%d %v", r.StatusCode, r.Header)
	}
	cookie := r.Cookies()[0]
	if !cookie.HttpOnly || !cookie.Secure || cookie.SameSite != http.SameSiteStrictMode || cookie.Path != "/" || cookie.Domain != "" {
		t.Errorf("%+v", cookie)
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address+"/queues", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.AddCookie(cookie)
	with := (viewer{t: t, address: address}).do(request)
	with.Body.Close()
	if with.StatusCode != http.StatusOK {
		t.Errorf("with the cookie: %d", with.StatusCode)
	}
}

// hostile is markup and terminal escapes in one text.
const hostile = "<script>alert(1)</script>\x1b[31m\u202e\" onload=\"alert(1)"

// TestHostileApplication: markup and escapes in all texts that a tenant writes come out as text.
func TestHostileApplication(t *testing.T) {
	t.Parallel()
	operator.Use(t)
	n := harness.NewNode(t)
	w := harness.NewWorld(t, "", &harness.Kubelet{Run: harness.Manual, Node: n.Name})
	app := w.Apply("pi", func(app *v1alpha1.SparkApplication) {
		app.Spec.Arguments = []string{hostile}
		app.Labels = map[string]string{"x.example.org/y": "a"}
		app.Annotations = map[string]string{"a": hostile}
	})
	driver := w.Run(app)
	harness.Create(t, &corev1.Event{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "hostile"}, Type: "Warning", Reason: hostile, Message: hostile,
		InvolvedObject: corev1.ObjectReference{Kind: "SparkApplication", Namespace: w.Namespace, Name: app.Name, UID: app.UID},
	})
	app.Status.Driver.UIAddress, app.Status.Driver.HistoryAddress = "javascript:alert(1)", "https://h.example.org/"+url.PathEscape(hostile)
	app.Status.Attempts = append(app.Status.Attempts, v1alpha1.AttemptStatus{
		Run: 1, Attempt: 1, Outcome: v1alpha1.OutcomeFailed, Message: hostile,
	})
	if err := env.Client().Status().Update(t.Context(), app); err != nil {
		t.Fatal(err)
	}
	n.Writes(driver, hostile+"\n")
	me := newViewer(t, serve(t), everything)
	escaped := `&lt;script&gt;alert(1)&lt;/script&gt;\x1b[31m\u202e&#34; onload=&#34;alert(1)`
	for _, path := range []string{applicationPath(app), applicationPath(app) + "/manifest", "/applications?q=" + url.QueryEscape(hostile), "/queues?q=" + url.QueryEscape(hostile)} {
		p := me.sees(path, "&lt;script&gt;")
		if bad := regexp.MustCompile("(?i)<script>|\x1b|\u202e|href=\"javascript|\" onload=\"").FindString(p.text); bad != "" {
			t.Errorf("%s has %q", path, bad)
		}
	}
	me.sees(applicationPath(app), escaped, "<dt>Spark UI</dt><dd>sparkctl ui ",
		`<dt>History</dt><dd><a href="https://h.example.org/`)
	s := me.follows(applicationPath(app) + "?log=1")
	if line := s.until("log", "alert"); strings.Contains(line, "<script>") || strings.Contains(line, "\x1b") || !strings.Contains(line, `\\x1b[31m`) {
		t.Errorf("log line %s", line)
	}
}

// TestSchedules: the next times, and a schedule that is suspended.
func TestSchedules(t *testing.T) {
	t.Parallel()
	operator.Use(t)
	w := harness.NewWorld(t, "", nil)
	spec, err := json.Marshal(w.Pi("pi").Spec)
	if err != nil {
		t.Fatal(err)
	}
	for name, suspended := range map[string]bool{"nightly": false, "stopped": true} {
		harness.Create(t, &v1alpha1.ScheduledSparkApplication{
			ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: name},
			Spec: v1alpha1.ScheduledSparkApplicationSpec{
				Schedule: "30 2 * * *", TimeZone: "Europe/Zurich", Suspend: suspended, Template: v1alpha1.ApplicationTemplate{Spec: runtime.RawExtension{Raw: spec}},
			},
		})
	}
	me := newViewer(t, serve(t), everything)
	p := me.sees("/schedules?namespace="+w.Namespace, "nightly", "stopped", "Europe/Zurich", " 02:30 ", ">Suspended<")
	if strings.Index(p.text, "nightly") > strings.Index(p.text, "stopped") {
		t.Error("what is due next is not the first")
	}
	run := "/schedules/" + w.Namespace + "/nightly/run"
	if strings.Contains(p.text, run) {
		t.Error("who may not patch schedules can request a run")
	}
	if p := me.posts(run, "same-origin"); p.status != http.StatusForbidden || !strings.Contains(p.text, "you may not patch scheduledsparkapplications in namespace "+w.Namespace) {
		t.Errorf("without the right: %d %s", p.status, p.text)
	}
	owner := newViewer(t, me.address, everything, rights{w.Namespace, []string{"patch"}, []string{"scheduledsparkapplications"}})
	owner.sees("/schedules?q=night&namespace="+w.Namespace, run+"?namespace="+w.Namespace+"&amp;q=night")
	back := "/schedules?done=run&namespace=" + w.Namespace
	if p := owner.posts(run+"?namespace="+w.Namespace, "same-origin"); p.status != http.StatusSeeOther || p.header.Get("Location") != back {
		t.Errorf("run: %d %s %s", p.status, p.header.Get("Location"), p.text)
	}
	owner.sees(back, "A run is requested", "nightly-m-")
}

// TestAccountHasNoRights: what config/dashboard installs may do nothing that not every account may do.
func TestAccountHasNoRights(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"-f", "config/manager/namespace.yaml"}, {"-k", "config/rbac"}, {"-k", "config/dashboard"}} {
		if _, err := env.Kubectl(t, "apply", args[0], filepath.Join(env.Root(), args[1])); err != nil {
			t.Fatal(err)
		}
	}
	for _, a := range []authorizationv1.ResourceAttributes{
		{Verb: "list", Group: v1alpha1.Group, Resource: "sparkapplications"}, {Verb: "list", Group: v1alpha1.Group, Resource: "sparkqueues"},
		{Verb: "list", Resource: "pods"}, {Verb: "get", Resource: "pods", Subresource: "log"}, {Verb: "get", Resource: "secrets", Namespace: system},
		{Verb: "impersonate", Resource: "users"}, {Verb: "create", Resource: "serviceaccounts", Subresource: "token", Namespace: system},
		{Verb: "patch", Group: v1alpha1.Group, Resource: "sparkapplications"}, {Verb: "list", Resource: "namespaces"},
	} {
		review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
			User:   "system:serviceaccount:" + system + ":sparkgate-dashboard",
			Groups: []string{"system:serviceaccounts", "system:serviceaccounts:" + system, "system:authenticated"}, ResourceAttributes: &a,
		}}
		if err := env.Client().Create(t.Context(), review); err != nil || review.Status.Allowed {
			t.Errorf("%s %s/%s: allowed %t, %v", a.Verb, a.Resource, a.Subresource, review.Status.Allowed, err)
		}
	}
}
