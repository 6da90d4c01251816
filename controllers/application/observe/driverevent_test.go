// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
)

// TestDriverEvent: the latest warning about the driver pod is returned on one line, truncated and with secrets hidden.
// If events cannot be read, the attempt ends without one.
func TestDriverEvent(t *testing.T) {
	t.Parallel()
	seen := func(seconds int64, message string) corev1.Event {
		return corev1.Event{Reason: "FailedMount", Message: message, LastTimestamp: metav1.Unix(seconds, 0)}
	}
	recent := seen(0, "recent")
	recent.Series = &corev1.EventSeries{LastObservedTime: metav1.NewMicroTime(time.Unix(500, 0))}
	for name, tc := range map[string]struct {
		events []corev1.Event
		err    error
		want   string
	}{
		"none":         {},
		"no answer":    {err: errors.New("events is forbidden")},
		"the latest":   {events: []corev1.Event{seen(100, "first"), seen(300, "third"), seen(200, "second")}, want: "FailedMount: third"},
		"by a series":  {events: []corev1.Event{seen(100, "old"), recent}, want: "FailedMount: recent"},
		"of one line":  {events: []corev1.Event{seen(1, "cannot mount\nbecause")}, want: "FailedMount: cannot mount"},
		"with secrets": {events: []corev1.Event{seen(1, "mount of https://user:hunter22pass@host/share failed")}, want: "FailedMount: mount of https://"},
	} {
		d := newDriver(t)
		asked := 0
		d.Live = interceptor.NewClient(d.client, interceptor.Funcs{
			List: func(_ context.Context, _ client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
				asked++
				o := (&client.ListOptions{}).ApplyOptions(opts)
				if uid := string(d.pods[0].UID); o.Namespace != "team" || o.Limit != eventPageSize || !strings.Contains(o.FieldSelector.String(), "involvedObject.uid="+uid) {
					t.Errorf("%s: asked for %+v", name, o)
				}
				list.(*corev1.EventList).Items = tc.events
				return tc.err
			},
		})
		got := d.Event(t.Context(), d.app, d.pods)
		if !strings.HasPrefix(got, tc.want) || tc.want == "" && got != "" || strings.Contains(got, "hunter22") || strings.Contains(got, "\n") {
			t.Errorf("%s: %v, want %q", name, got, tc.want)
		}
		if again := d.Event(t.Context(), d.app, d.pods); again != got || asked != 1 {
			t.Errorf("%s: a moment later: %v after %d questions, want the same after one", name, again, asked)
		}
	}
	d := newDriver(t)
	d.Live, d.pods = nil, nil
	if got := d.Event(t.Context(), d.app, d.pods); got != "" {
		t.Errorf("without a driver pod: %v", got)
	}
}

// TestDriverEventsAreReadInPages: users who may write events can create many large ones.
func TestDriverEventsAreReadInPages(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		events, asked int
		want          string
	}{
		"a few":     {3, 1, "FailedMount: number 2"},
		"two pages": {eventPageSize + 1, 2, "FailedMount: number 16"},
		"no end":    {10_000, maxEventPages, "FailedMount: number 95"},
	} {
		d := newDriver(t)
		asked := 0
		d.Live = interceptor.NewClient(d.client, interceptor.Funcs{
			List: func(_ context.Context, _ client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
				asked++
				o := (&client.ListOptions{}).ApplyOptions(opts)
				from, _ := strconv.Atoi(o.Continue)
				page := list.(*corev1.EventList)
				for i := from; i < min(from+int(o.Limit), tc.events); i++ {
					page.Items = append(page.Items, corev1.Event{Reason: "FailedMount", Message: fmt.Sprint("number ", i), LastTimestamp: metav1.Unix(int64(i), 0)})
				}
				if next := from + int(o.Limit); next < tc.events {
					page.Continue = strconv.Itoa(next)
				}
				return nil
			},
		})
		if got := d.Event(t.Context(), d.app, d.pods); got != tc.want || asked != tc.asked {
			t.Errorf("%s: %q after %d questions, want %q after %d", name, got, asked, tc.want, tc.asked)
		}
	}
}
