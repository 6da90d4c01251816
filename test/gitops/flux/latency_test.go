// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package flux

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

// TestPushToDriver measures from the end of `git push` to the application (Flux's share) and from there to the driver's pod (the
// operator's). With -v it prints both; docs/gitops.md has the figures.
func TestPushToDriver(t *testing.T) {
	w := newWorld(t, "")
	w.deploy(files{"jobs/README.md": "Jobs.\n"}, map[string][]string{"jobs": {"wait: false"}})
	var flux, own []time.Duration
	for i := range 10 {
		name := fmt.Sprintf("pi-%d", i)
		revision := w.commit(files{"jobs/" + name + ".yaml": w.Manifest(name)})
		pushed := time.Now()
		w.request("GitRepository", "jobs")
		app := w.App(name)
		applied := w.seen(name+" is applied", func() error { return env.Client().Get(t.Context(), client.ObjectKeyFromObject(app), app) })
		started := w.seen("the driver of "+name, func() error { return w.hasDriver(name) })
		flux, own = append(flux, applied.Sub(pushed)), append(own, started.Sub(applied))
		w.Succeed(app)
		w.ready("jobs", revision)
	}
	slices.Sort(flux)
	slices.Sort(own)
	t.Logf("git push → application (Flux): median %s, most %s", flux[len(flux)/2], flux[len(flux)-1])
	t.Logf("application → driver pod (operator): median %s, most %s", own[len(own)/2], own[len(own)-1])
}

// seen waits until something is found and returns when it was.
func (w *world) seen(what string, find func() error) time.Time {
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

// errNone is what has not come yet.
var errNone = apierrors.NewNotFound(corev1.Resource("pods"), "driver")

// hasDriver is an error until an application has a driver pod.
func (w *world) hasDriver(name string) error {
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
