// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package attacks

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
)

// check checks the outcome of an attempt. err is the API server's answer to the last step.
func (a *arena) check(want *Expect, err error) {
	a.t.Helper()
	filled := *want
	want = &filled
	want.Says = a.fill(map[string]any{"says": want.Says})["says"].(string)
	if got := env.RefusedBy(err); got != want.Refused {
		a.t.Fatalf("refused by %q, want %q: %v", got, want.Refused, err)
	}
	switch {
	case want.Refused != "":
		if !strings.Contains(err.Error(), want.Says) {
			a.t.Errorf("the refusal does not say %q: %v", want.Says, err)
		}
	case want.Ready != "":
		a.awaitCondition(want, v1alpha1.ReadyCondition, want.Ready)
	case want.Admitted != "":
		a.awaitCondition(want, v1alpha1.AdmittedCondition, want.Admitted)
	case want.NeverAdmitted:
		a.witness()
		if app := a.application(want.application()); app.Status.Grant != nil {
			a.t.Errorf("application %s was admitted: %+v", app.Name, app.Status.Grant)
		}
	case want.Gated != "":
		a.staysGated(want)
	case want.Event != "":
		a.awaitEvent(want.Event, want.Says)
	case want.Exists != nil:
		a.exists(want.Exists)
	default:
		a.gone(want.Gone)
	}
	for _, o := range want.Without {
		a.without(o)
	}
}

// without checks that an object does not exist.
func (a *arena) without(o Object) {
	a.t.Helper()
	if left, err := a.left(a.t.Context(), o, nil); left > 0 || err != nil {
		a.t.Errorf("%d objects %s %s, want none (%v)", left, o.Kind, o.Name, err)
	}
}

// left counts the objects that o names or, if it has no name, those of its kind with all of the labels.
func (a *arena) left(ctx context.Context, o Object, labelled client.HasLabels) (int, error) {
	obj := a.object(o)
	if o.Name != "" {
		err := cluster.client.Get(ctx, client.ObjectKeyFromObject(obj), obj)
		if apierrors.IsNotFound(err) {
			return 0, nil
		}
		return 1, err
	}
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(obj.GroupVersionKind())
	err := cluster.client.List(ctx, list, client.InNamespace(a.namespace), labelled)
	return len(list.Items), err
}

// awaitCondition waits until a condition of an application has a reason, and a message that contains the expected text.
func (a *arena) awaitCondition(want *Expect, kind, reason string) {
	a.t.Helper()
	app := &v1alpha1.SparkApplication{}
	what := fmt.Sprintf("condition %s of application %s has reason %s and says %q", kind, want.application(), reason, want.Says)
	patience := cluster.patience
	if want.InTime {
		patience += cluster.maxTermination
	}
	env.UntilWithin(a.t, patience, what, func() (bool, string) {
		if err := cluster.client.Get(a.t.Context(), client.ObjectKey{Namespace: a.namespace, Name: want.application()}, app); err != nil {
			return false, err.Error()
		}
		c := apimeta.FindStatusCondition(app.Status.Conditions, kind)
		seen := []string{}
		for _, c := range app.Status.Conditions {
			seen = append(seen, fmt.Sprintf("%s=%s/%s: %s", c.Type, c.Status, c.Reason, c.Message))
		}
		return c != nil && c.Reason == reason && strings.Contains(c.Message, want.Says), strings.Join(seen, "\n")
	})
	if want.InTime {
		a.recorder.inTime()
	}
}

// witness runs an honest application of the neighbour, created after the attacker's last step. Its admission shows that
// the operator has processed everything before it, and that the neighbour is served whatever the attacker did.
func (a *arena) witness() {
	a.t.Helper()
	manifest := job(a.other, a.other)
	manifest["metadata"].(map[string]any)["name"] = "witness"
	obj := decode(manifest)
	if err := cluster.client.Create(a.t.Context(), obj); err != nil && !apierrors.IsAlreadyExists(err) {
		a.t.Fatal(err)
	}
	a.recorder.expectOther()
	app := &v1alpha1.SparkApplication{}
	env.UntilWithin(a.t, cluster.patience, "an honest application of the neighbour is admitted", func() (bool, string) {
		err := cluster.client.Get(a.t.Context(), client.ObjectKeyFromObject(obj), app)
		return err == nil && app.Status.Grant != nil, fmt.Sprintf("%v %+v", err, app.Status.Conditions)
	})
}

// staysGated checks that a pod still waits behind the scheduling gate after the operator has processed it.
func (a *arena) staysGated(want *Expect) {
	a.t.Helper()
	a.witness()
	name := decode(a.fill(map[string]any{"name": want.Gated})).Object["name"].(string)
	pod := &corev1.Pod{}
	if err := cluster.client.Get(a.t.Context(), client.ObjectKey{Namespace: a.namespace, Name: name}, pod); err != nil {
		a.t.Fatal(err)
	}
	if !isGated(pod) {
		a.t.Errorf("pod %s is not behind the scheduling gate: %v, node %q", name, pod.Spec.SchedulingGates, pod.Spec.NodeName)
	}
	if want.Says != "" {
		a.awaitEvent(name, want.Says)
	}
}

// awaitEvent waits for an event about an object whose text contains says.
func (a *arena) awaitEvent(name, says string) {
	a.t.Helper()
	env.UntilWithin(a.t, cluster.patience, fmt.Sprintf("an event of %s says %q", name, says), func() (bool, string) {
		events := &corev1.EventList{}
		if err := cluster.client.List(a.t.Context(), events, client.InNamespace(a.namespace)); err != nil {
			return false, err.Error()
		}
		var said []string
		for _, e := range events.Items {
			if e.InvolvedObject.Name == name {
				said = append(said, e.Message)
			}
		}
		return slices.ContainsFunc(said, func(s string) bool { return strings.Contains(s, says) }), strings.Join(said, "\n")
	})
}

func isGated(pod *corev1.Pod) bool {
	return slices.Contains(pod.Spec.SchedulingGates, corev1.PodSchedulingGate{Name: v1alpha1.QuotaSchedulingGate})
}

func (a *arena) exists(o *Object) {
	a.t.Helper()
	obj := a.object(*o)
	env.UntilWithin(a.t, cluster.patience, fmt.Sprintf("%s %s exists", o.Kind, o.Name), func() (bool, string) {
		err := cluster.client.Get(a.t.Context(), client.ObjectKeyFromObject(obj), obj)
		return err == nil, fmt.Sprint(err)
	})
}

// gone waits until objects are gone. An object without a name stands for all of its kind that the attempt has created.
func (a *arena) gone(objects []Object) {
	a.t.Helper()
	for _, o := range objects {
		env.UntilWithin(a.t, cluster.patience, fmt.Sprintf("%s %s is gone", o.Kind, o.Name), func() (bool, string) {
			left, err := a.left(a.t.Context(), o, client.HasLabels{v1alpha1.ApplicationUIDLabel})
			return err == nil && left == 0, fmt.Sprintf("%d left, %v", left, err)
		})
	}
}
