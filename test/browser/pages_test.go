// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package browser

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// hostile is markup and terminal escapes in one text.
const hostile = "<img src=x onerror=\"window.hacked=1\"><script>window.hacked=1</script>\x1b[31m"

// scene is a namespace with an application in each of some stages.
type scene struct {
	*harness.World
	node   *harness.Node
	stages map[string]*v1alpha1.SparkApplication
}

// newScene creates the applications, one after the other: four fit into the queue.
func newScene(t *testing.T) scene {
	t.Helper()
	n := harness.NewNode(t)
	w := harness.NewWorld(t, harness.MemoryFor(3), &harness.Kubelet{Run: harness.Manual, Node: n.Name})
	s := scene{w, n, map[string]*v1alpha1.SparkApplication{}}
	folder := t.TempDir()
	s.stages["succeeded"] = w.Apply("daily-orders", func(app *v1alpha1.SparkApplication) {
		app.Spec.SparkConf = map[string]string{"spark.eventLog.dir": "file://" + folder}
	})
	w.Succeed(s.stages["succeeded"])
	measured(t, s.stages["succeeded"], folder)
	s.stages["failed"] = w.Apply("clickstream")
	driver := w.Run(s.stages["failed"])
	n.Writes(driver, "java.lang.OutOfMemoryError: Java heap space\n"+hostile+"\n")
	n.Ends(driver)
	w.Kubelet.Finish(t.Context(), driver, 52, "Error")
	w.Reach(s.stages["failed"], v1alpha1.FailedReason)
	s.stages["suspended"] = w.Apply("backfill", func(app *v1alpha1.SparkApplication) { app.Spec.Suspend = true })
	s.stages["invalid"] = w.Apply("typo", func(app *v1alpha1.SparkApplication) {
		app.Spec.SparkConf = map[string]string{"spark.kubernetes.namespace": "other"}
	})
	w.Reach(s.stages["suspended"], v1alpha1.SuspendedReason)
	w.Reach(s.stages["invalid"], v1alpha1.InvalidSpecReason)
	s.stages["running"] = w.Apply("recommendations", func(app *v1alpha1.SparkApplication) {
		app.Labels, app.Spec.Arguments = map[string]string{"team": "a"}, []string{"--date", "2026-01-01", hostile}
	})
	driver = w.Run(s.stages["running"])
	w.Kubelet.Executors(t.Context(), driver, 2)
	n.Writes(driver, "INFO SparkContext: Running Spark\n"+hostile+"\n")
	s.stages["queued"] = w.Apply("sessions")
	s.loan(t)
	s.schedules(t)
	w.Reach(s.stages["queued"], v1alpha1.QueuedReason)
	return s
}

// loan adds a tree in which one queue runs an application with what it borrows of the other.
func (s scene) loan(t *testing.T) {
	t.Helper()
	root := harness.Queue(t, s.Namespace+"-org", "", "")
	harness.Queue(t, s.Namespace+"-org-lends", root.Name, "3Gi")
	borrows := harness.Queue(t, s.Namespace+"-org-borrows", root.Name, "1Gi")
	s.World.Run(s.Apply("reports", func(app *v1alpha1.SparkApplication) { app.Spec.Queue.Name = borrows.Name }))
	harness.Eventually(t, borrows, "borrowing", func(q *v1alpha1.SparkQueue) bool {
		return slices.ContainsFunc(q.Status.Usage, func(u v1alpha1.QueueUsage) bool { return u.Borrowed != nil })
	})
}

// schedules creates schedules that are due often, once a day and never.
func (s scene) schedules(t *testing.T) {
	t.Helper()
	spec, err := json.Marshal(s.Pi("pi").Spec)
	if err != nil {
		t.Fatal(err)
	}
	for name, times := range map[string]string{"hourly": "5 * * * *", "nightly": "30 2 * * *", "paused": "0 4 * * *"} {
		schedule := &v1alpha1.ScheduledSparkApplication{
			ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: name},
			Spec: v1alpha1.ScheduledSparkApplicationSpec{
				Schedule: times, TimeZone: "Europe/Zurich", Suspend: name == "paused", Template: v1alpha1.ApplicationTemplate{Spec: runtime.RawExtension{Raw: spec}},
			},
		}
		harness.Create(t, schedule)
		if name == "paused" {
			ranBefore(t, schedule)
		}
	}
}

// ranBefore gives a schedule the past of one that has run.
func ranBefore(t *testing.T, schedule *v1alpha1.ScheduledSparkApplication) {
	t.Helper()
	at := func(hours time.Duration) string {
		return schedule.CreationTimestamp.Add(-hours * time.Hour).UTC().Format(time.RFC3339)
	}
	past := schedule.DeepCopy()
	past.Status.LastRunTime = at(3)
	past.Status.LastSuccessfulRun = &v1alpha1.ScheduledRun{Name: schedule.Name + "-2", Time: at(2)}
	past.Status.LastFailedRun = &v1alpha1.ScheduledRun{Name: schedule.Name + "-1", Time: at(20), Message: hostile}
	past.Status.Missed = []v1alpha1.MissedRuns{{Reason: "ConcurrencyForbidden", Count: 2}}
	if err := env.Client().Status().Patch(t.Context(), past, client.MergeFrom(schedule)); err != nil {
		t.Fatal(err)
	}
}

// measured puts an event log that Spark has written into the folder where that of the run is looked for.
func measured(t *testing.T, app *v1alpha1.SparkApplication, folder string) {
	t.Helper()
	ran := &v1alpha1.SparkApplication{}
	if err := env.Client().Get(t.Context(), client.ObjectKeyFromObject(app), ran); err != nil {
		t.Fatal(err)
	}
	recorded := os.DirFS(filepath.Join(env.Root(), "internal/tools/advise/eventlog/testdata/skewed/eventlog_v2_app-20261123212223-0000"))
	if err := os.CopyFS(filepath.Join(folder, "eventlog_v2_"+ran.Status.Driver.ApplicationID), recorded); err != nil {
		t.Fatal(err)
	}
}

func pathOf(app *v1alpha1.SparkApplication) string {
	return "/applications/" + app.Namespace + "/" + app.Name
}

// expected is what some pages have to say.
var expected = map[string]string{
	"advice":              "at most 903 MiB was in use beside the heap",
	"advice-unknown":      "Not known: ",
	"application-running": "Executors: 2 now",
	"overview":            "Waiting longest, and why",
	"queue":               "The last 6 hours",
	"schedules":           "paused-2",
	"what-if":             "sessions",
	"what-if-refused":     "nominal",
	"usage":               "core-hours failed",
	"usage-label":         `since: "nonsense" is not a duration`,
}

// TestEveryPage: each page in each stage and both themes is accessible, runs no code of a tenant, and is kept as a picture.
func TestEveryPage(t *testing.T) {
	operator.Use(t)
	s, address := newScene(t), serve(t)
	pages := map[string]string{
		"overview": "/overview", "queues": "/queues", "queue": "/queues/" + s.Queue.Name, "applications": "/applications", "none": "/applications?q=none",
		"usage": "/usage?prices=" + url.QueryEscape("currency: EUR\ndefault: {coreHour: 0.04, gibHour: 0.005}\n"), "usage-label": "/usage?by=label&label=team&since=nonsense",
		"schedules": "/schedules", "missing": "/applications/" + s.Namespace + "/none", "manifest": pathOf(s.stages["running"]) + "/manifest",
	}
	pages["advice"] = pathOf(s.stages["succeeded"]) + "?advice=1"
	pages["advice-unknown"] = pathOf(s.stages["running"]) + "?advice=1"
	whatIf := "/what-if?queue=" + s.Queue.Name
	pages["what-if"], pages["what-if-refused"] = whatIf+"&plan=1&nominal:default:memory=64Gi", whatIf+"&plan=1&nominal:default:memory="+url.QueryEscape(hostile)
	for stage, app := range s.stages {
		pages["application-"+stage] = pathOf(app)
	}
	b := address.open(t, "/queues")
	for name, path := range pages {
		b.looks("light")
		b.goes(address.base + path)
		if says := expected[name]; says != "" {
			b.shows(says)
		}
		if name != "missing" && name != "manifest" && !strings.HasPrefix(name, "what-if") {
			b.has(name+" is live", `document.getElementById("link").textContent === "Live" && document.body.dataset.updates > 0`)
		}
		if name == "application-running" {
			b.shows(`window.hacked=1</script>\x1b[31m`)
			b.has("the log names its pod", `document.getElementById("log-of").textContent.startsWith("Pod recommendations")`)
		}
		for _, theme := range []string{"light", "dark"} {
			b.looks(theme)
			b.picture(name + "-" + theme)
			b.accessible(name + ", " + theme)
		}
		b.looks("light")
		b.narrow(name)
		if hacked := value[bool](b, `"hacked" in window`); hacked {
			t.Errorf("%s: code of a tenant has run", name)
		}
		if size := address.weightOf(t, name, path); size > 150_000 {
			t.Errorf("%s weighs %d bytes", name, size)
		}
	}
}

// weightOf returns the weight of a page that exists.
func (s site) weightOf(t *testing.T, name, path string) int64 {
	t.Helper()
	if name == "missing" || name == "what-if-refused" {
		return 0
	}
	return s.weight(t, path)
}

// TestLiveUpdate: an open page shows the end of a run without being loaded again, and what the reader has opened stays open.
func TestLiveUpdate(t *testing.T) {
	operator.Use(t)
	w := harness.NewWorld(t, "", nil)
	app := w.Apply("pi")
	driver := w.Run(app)
	address := serve(t)
	b := address.open(t, pathOf(app))
	b.has("it is live", `document.body.dataset.updates > 0`)
	value[bool](b, `window.sameDocument = true; document.querySelector("#act-suspend").open = true; document.querySelector("#act-suspend summary").focus(); true`)
	other := w.Apply("other")
	w.Reach(other, v1alpha1.SubmittingReason)
	w.Kubelet.Executors(t.Context(), driver, 2)
	b.shows("2/2")
	if kept := value[bool](b, `sameDocument && document.querySelector("#act-suspend").open && document.activeElement === document.querySelector("#act-suspend summary")`); !kept {
		t.Error("what was opened, or the focus, is lost by an update")
	}
	address.CloseClientConnections()
	b.has("the lost connection is there again", `document.getElementById("link").textContent === "Live"`)
	w.Kubelet.Finish(t.Context(), driver, 0, "Completed")
	b.shows("Succeeded")
	if !value[bool](b, "window.sameDocument === true") {
		t.Error("the page was loaded again")
	}
}

// TestKeyboard: with the keyboard alone one gets past the navigation, through it in its order, and to what an application offers.
func TestKeyboard(t *testing.T) {
	operator.Use(t)
	w := harness.NewWorld(t, "", nil)
	app := w.Apply("pi")
	w.Run(app)
	b := serve(t).open(t, pathOf(app))
	b.has("it is live", `document.body.dataset.updates > 0`)
	var order []string
	for range 60 {
		b.press(kb.Tab)
		text := value[string](b, `document.activeElement === document.body ? "" : (document.activeElement.getAttribute("aria-label") || document.activeElement.innerText).trim()`)
		if text == "" {
			break
		}
		order = append(order, text)
	}
	for i, want := range []string{"Skip to content", "Overview", "Queues", "Applications", "Schedules", "Usage", "What if"} {
		if i >= len(order) || order[i] != want {
			t.Fatalf("the order of the focus is %q", order)
		}
	}
	if !slices.Contains(order, "Suspend") || slices.Index(order, "Manifest") > slices.Index(order, "Suspend") {
		t.Errorf("the order of the focus is %q", order)
	}
	landmarks := value[string](b, `["header", "nav[aria-label=Pages]", "main", "h1"].map(s => document.querySelectorAll(s).length).join(" ")`)
	if landmarks != "1 1 1 1" {
		t.Errorf("header, navigation, main and first heading: %s", landmarks)
	}
	value[bool](b, `document.querySelector("#act-suspend summary").focus(); true`)
	b.press(kb.Enter)
	b.press(kb.Tab)
	b.press(kb.Enter)
	b.shows("spec.suspend is set")
	w.Reach(app, v1alpha1.SuspendedReason)
	b.shows("Resume")
}

// TestLongList: a list of a thousand applications is paged and light, and shows what is new.
func TestLongList(t *testing.T) {
	const many = 1000
	w := harness.NewWorld(t, "", nil)
	for i := range many {
		w.Apply(fmt.Sprintf("app-%05d", i))
	}
	address := serve(t)
	b := address.open(t, "/applications?namespace="+w.Namespace)
	b.shows(fmt.Sprintf("1–50 of %d", many))
	if size := address.weight(t, "/applications?namespace="+w.Namespace); size > 150_000 {
		t.Errorf("the page weighs %d bytes", size)
	}
	b.has("it is live", `document.body.dataset.updates > 0`)
	w.Apply("a-newest")
	b.shows("a-newest")
	env.Until(t, "the list has counted it", func() bool {
		return strings.Contains(value[string](b, "document.body.innerText"), fmt.Sprint(many+1))
	})
}
