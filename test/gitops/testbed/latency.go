// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package testbed

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
)

// Pushes says how a tool takes what is pushed.
type Pushes struct {
	Tool string
	// Notice does what the Git server's webhook does after a push.
	Notice func()
	// Done waits until the tool has finished with a commit whose runs have succeeded.
	Done func(commit string)
}

// MeasurePushes pushes ten applications, one after the other, and logs two times: from the end of `git push` to the
// application, which is the tool's share, and from there to the driver's pod, which is the operator's.
func (w *World) MeasurePushes(p Pushes) {
	w.t.Helper()
	var tool, own []time.Duration
	for i := range 10 {
		name := fmt.Sprintf("pi-%d", i)
		commit := w.Git.Push(Files{"jobs/" + name + ".yaml": w.Manifest(name)})
		pushed := time.Now()
		p.Notice()
		app := w.App(name)
		applied := w.seen(name+" is applied", func() error { return env.Client().Get(w.t.Context(), client.ObjectKeyFromObject(app), app) })
		started := w.seen("the driver of "+name, func() error { return w.hasDriver(name) })
		tool, own = append(tool, applied.Sub(pushed)), append(own, started.Sub(applied))
		w.Succeed(app)
		p.Done(commit)
	}
	logSpan(w.t, "git push → application ("+p.Tool+")", tool)
	logSpan(w.t, "application → driver pod (operator)", own)
}

func logSpan(t *testing.T, what string, all []time.Duration) {
	t.Helper()
	slices.Sort(all)
	t.Logf("%s: median %s, most %s", what, all[len(all)/2].Round(time.Millisecond), all[len(all)-1].Round(time.Millisecond))
}

// seen waits until find succeeds, and returns the time.
func (w *World) seen(what string, find func() error) time.Time {
	w.t.Helper()
	var last error
	err := wait.PollUntilContextTimeout(w.t.Context(), 2*time.Millisecond, env.Patience, true, func(context.Context) (bool, error) {
		last = find()
		return last == nil, client.IgnoreNotFound(last)
	})
	if err != nil {
		w.t.Fatalf("waiting for %s: %v: %v", what, err, last)
	}
	return time.Now()
}

// errNone means that an object does not exist yet.
var errNone = apierrors.NewNotFound(corev1.Resource("pods"), "driver")

// hasDriver returns an error until an application has a driver pod.
func (w *World) hasDriver(name string) error {
	pods := &corev1.PodList{}
	labels := client.MatchingLabels{v1alpha1.ApplicationLabel: name, v1alpha1.SparkRoleLabel: v1alpha1.SparkRoleDriver}
	if err := env.Client().List(w.t.Context(), pods, client.InNamespace(w.Namespace), labels); err != nil {
		return err
	}
	if len(pods.Items) == 0 {
		return errNone
	}
	return nil
}
