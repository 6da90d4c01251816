// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package harness

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/stories"
)

const (
	patience = env.Patience
	interval = env.Interval
)

// Pi returns the manifest that most tests use: a driver and two executors of 200m and 896Mi each.
func Pi(namespace, name, queue string) *v1alpha1.SparkApplication {
	app := stories.Pi(namespace, name, queue)
	app.Spec.Driver.ServiceAccountName, app.Spec.RestartPolicy = "", nil // most tests have no account, and begin with the defaults
	return app
}

// Queue creates a queue of the given memory for every namespace, named after the test's namespace; a root without
// memory is unlimited.
func Queue(t *testing.T, name, parent, memory string) *v1alpha1.SparkQueue {
	t.Helper()
	queue := &v1alpha1.SparkQueue{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       v1alpha1.SparkQueueSpec{Parent: parent, Unlimited: parent == "" && memory == "", NamespaceSelector: &metav1.LabelSelector{}},
	}
	if memory != "" {
		queue.Spec.Flavors = []v1alpha1.FlavorQuota{{Name: v1alpha1.DefaultFlavor, Quotas: []v1alpha1.ResourceQuota{
			{Resource: "memory", Nominal: resource.MustParse(memory)},
		}}}
	}
	Create(t, queue)
	t.Cleanup(func() { _ = env.Client().Delete(context.Background(), queue) })
	return queue
}

// Create creates an object, or fails the test.
func Create(t *testing.T, obj client.Object) {
	t.Helper()
	if err := env.Client().Create(t.Context(), obj); err != nil {
		t.Fatalf("create %s: %v", obj.GetName(), err)
	}
}

// Change reads an object, changes it and writes it back, and retries on conflicts.
func Change[T client.Object](t *testing.T, obj T, change func(T)) {
	t.Helper()
	ChangeWith(t, env.Client(), obj, change)
}

// ChangeWith is Change with a client that knows other kinds.
func ChangeWith[T client.Object](t *testing.T, c client.Client, obj T, change func(T)) {
	t.Helper()
	var last error
	err := wait.PollUntilContextTimeout(t.Context(), 10*time.Millisecond, patience, true, func(ctx context.Context) (bool, error) {
		if err := c.Get(ctx, client.ObjectKeyFromObject(obj), obj); err != nil {
			return false, err
		}
		change(obj)
		last = c.Update(ctx, obj)
		return last == nil, nil
	})
	if err != nil {
		t.Fatalf("change %s: %v: %v", obj.GetName(), err, last)
	}
}

// Eventually reads an object until it is as wanted, or fails the test with its current state.
func Eventually[T client.Object](t *testing.T, obj T, what string, wanted func(T) bool) {
	t.Helper()
	EventuallyWith(t, env.Client(), obj, what, wanted)
}

// EventuallyWith is Eventually with a client that knows other kinds.
func EventuallyWith[T client.Object](t *testing.T, c client.Client, obj T, what string, wanted func(T) bool) {
	t.Helper()
	err := wait.PollUntilContextTimeout(t.Context(), interval, patience, true, func(ctx context.Context) (bool, error) {
		if err := c.Get(ctx, client.ObjectKeyFromObject(obj), obj); err != nil {
			return false, client.IgnoreNotFound(err)
		}
		return wanted(obj), nil
	})
	if err != nil {
		t.Fatalf("waiting for %s to be %s: %v\n%s", obj.GetName(), what, err, Show(obj))
	}
}

// Gone waits until an object no longer exists.
func Gone(t *testing.T, obj client.Object) {
	t.Helper()
	GoneWith(t, env.Client(), obj)
}

// GoneWith is Gone with a client that knows other kinds.
func GoneWith(t *testing.T, c client.Client, obj client.Object) {
	t.Helper()
	err := wait.PollUntilContextTimeout(t.Context(), interval, patience, true, func(ctx context.Context) (bool, error) {
		err := c.Get(ctx, client.ObjectKeyFromObject(obj), obj)
		return err != nil && client.IgnoreNotFound(err) == nil, client.IgnoreNotFound(err)
	})
	if err != nil {
		t.Fatalf("waiting for %s to be gone: %v\n%s", obj.GetName(), err, Show(obj))
	}
}

// InStage returns a check for the stage of an application.
func InStage(reason string) func(*v1alpha1.SparkApplication) bool {
	return func(app *v1alpha1.SparkApplication) bool { return Stage(app) == reason }
}

// Stage returns the reason of Ready.
func Stage(app *v1alpha1.SparkApplication) string {
	if ready := apimeta.FindStatusCondition(app.Status.Conditions, v1alpha1.ReadyCondition); ready != nil {
		return ready.Reason
	}
	return ""
}

// Message returns the message of Ready.
func Message(app *v1alpha1.SparkApplication) string {
	if ready := apimeta.FindStatusCondition(app.Status.Conditions, v1alpha1.ReadyCondition); ready != nil {
		return ready.Message
	}
	return ""
}

// Show formats the parts of an object that help to understand a failed test.
func Show(obj client.Object) string {
	switch o := obj.(type) {
	case *v1alpha1.SparkApplication:
		return showApplication(o)
	case *v1alpha1.SparkQueue:
		return fmt.Sprintf("status %+v", o.Status)
	}
	return fmt.Sprintf("%+v", obj)
}

// showApplication formats the conditions in short, and the rest of the status as it is stored.
func showApplication(app *v1alpha1.SparkApplication) string {
	conditions := make([]string, 0, len(app.Status.Conditions))
	for _, c := range app.Status.Conditions {
		conditions = append(conditions, fmt.Sprintf("%s=%s/%s", c.Type, c.Status, c.Reason))
	}
	rest := app.Status.DeepCopy()
	rest.Conditions = nil
	raw, err := json.Marshal(rest)
	if err != nil {
		raw = []byte(err.Error())
	}
	return fmt.Sprintf("stage %q, message %q, generation %d, finalizers %v, %s, status %s", Stage(app), Message(app), app.Generation,
		app.Finalizers, strings.Join(conditions, " "), raw)
}
