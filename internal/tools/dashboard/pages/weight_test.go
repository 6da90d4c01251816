// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package pages

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	v1 "github.com/sparkgate/sparkgate/api/explain/v1"
	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/status"
	"github.com/sparkgate/sparkgate/internal/tools/dashboard/charts"
	"github.com/sparkgate/sparkgate/internal/tools/printer"
)

// heaviest is what a page with all its files may weigh, in bytes.
const heaviest = 150_000

// words returns a text of that many bytes.
func words(size int) string { return strings.Repeat("lorem <b> ", size/10) }

// TestPagesAreLight: the longest lists with the longest texts that the API takes stay below the weight of a page.
func TestPagesAreLight(t *testing.T) {
	t.Parallel()
	files := 0
	for _, name := range []string{"page.css", "page.js", "icon.png"} {
		file, err := os.ReadFile("../static/" + name)
		if err != nil {
			t.Fatal(err)
		}
		files += len(file)
	}
	const frame = 2500 // what surrounds the content
	for name, page := range map[string]any{
		"queues": longQueues(), "applications": longApplications(), "queue": longQueue(), "application": longApplication(),
	} {
		out, err := fragment(name, page)
		if err != nil {
			t.Fatal(err)
		}
		if size := len(out) + files + frame; size > heaviest {
			t.Errorf("%s weighs %d bytes", name, size)
		}
	}
}

func longQueues() queuesPage {
	var p queuesPage
	var bars []charts.Bar
	for _, flavor := range []string{"default", "on-demand-large", "spot-with-a-long-name"} {
		for _, name := range []string{"cpu", "memory", "nvidia.com/gpu"} {
			u := v1.Usage{
				Resource: name, Flavor: flavor, Used: resource.MustParse("123456Mi"), Nominal: ptr.To(resource.MustParse("323456Mi")),
				Reserved: ptr.To(resource.MustParse("3456Mi")),
			}
			bars = append(bars, charts.BarOf(u, ptr.To(resource.MustParse("56Mi"))))
		}
	}
	for i := range queuesShown {
		p.Rows = append(p.Rows, queueRow{Name: fmt.Sprintf("a-team-with-a-long-name-and-a-number-%d", i), Depth: 2, Bars: bars, Message: words(32 << 10)})
	}
	p.Rows = p.Rows[:queuesOnPage(p.Rows)]
	return p
}

func longApplications() applicationsPage {
	one := status.Summary{Namespace: strings.Repeat("n", 63), Name: strings.Repeat("a", 63), Queue: strings.Repeat("q", 63), Stage: "Queued", Message: words(32 << 10)}
	return applicationsPage{Rows: slices.Repeat([]applicationRow{{Summary: one}}, applicationsShown)}
}

func longQueue() queuePage {
	name := strings.Repeat("a", 63)
	return queuePage{
		Name:  name,
		Waits: slices.Repeat([]waitRow{{Head: v1.Head{Kind: v1alpha1.SparkApplicationKind, Namespace: name, Name: name}, Known: true, Message: words(32 << 10), Stage: "Queued", Queue: name}}, waitsShown),
		Holders: slices.Repeat([]holderRow{{Namespace: name, Name: name, Stage: "Running", Queue: name, Holds: []string{
			"1 driver with cpu 200m, memory 896Mi in flavor default", "200 executors with cpu 200m, memory 896Mi, nvidia.com/gpu 1 in flavor default",
		}}}, holdersShown),
	}
}

func longApplication() applicationPage {
	app := &v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{Namespace: "etl", Name: strings.Repeat("a", 63), Labels: map[string]string{"a": "b"}}}
	app.Spec.Arguments = []string{words(200 << 10)}
	for _, name := range []string{"Ready", "Stalled", "Admitted", "Finished", "Running"} {
		app.Status.Conditions = append(app.Status.Conditions, metav1.Condition{Type: name, Status: metav1.ConditionFalse, Reason: "Failed", Message: words(32 << 10)})
	}
	for i := range int64(10) {
		app.Status.Attempts = append(app.Status.Attempts, v1alpha1.AttemptStatus{Run: i, Attempt: 1, Message: words(2 << 10)})
	}
	now := time.Unix(0, 0)
	p := applicationPage{
		Name: app.Name, Summary: status.Summarize(app, now), Facts: factsOf(app), Conditions: app.Status.Conditions, Attempts: attemptsOf(app), Now: now,
		Pods:   slices.Repeat([]podRow{{Name: app.Name, Role: "executor 1", Phase: string(corev1.PodPending), About: words(1 << 10)}}, podsShown),
		Events: slices.Repeat([]printer.Event{{Type: "Warning", Reason: "Failed", Object: "Pod/" + app.Name, Message: words(1 << 10)}}, eventsShown),
	}
	return p
}
