// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package load

import (
	"context"
	"fmt"
	"strings"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// Target is an application that was applied.
type Target struct {
	Namespace, Name string
	UID             types.UID
	Version         string
}

// HalfLabel divides the applications of a namespace into two halves, "a" and "b".
const HalfLabel = "bench.sparkgate.io/half"

// User applies and deletes applications.
type User struct{ Client client.WithWatch }

// Namespace creates a new namespace in which drivers may run.
func (u User) Namespace(ctx context.Context) (string, error) {
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "bench-"}}
	if err := u.Client.Create(ctx, ns); err != nil {
		return "", fmt.Errorf("make a namespace: %w", err)
	}
	return ns.Name, u.letDriversRun(ctx, ns.Name)
}

// letDriversRun gives the service accounts of a namespace the rights that the operator expects drivers to have, and
// waits until the API server has noticed.
func (u User) letDriversRun(ctx context.Context, namespace string) error {
	meta, group := metav1.ObjectMeta{Namespace: namespace, Name: "spark-driver"}, "system:serviceaccounts:"+namespace
	for _, object := range []client.Object{
		&rbacv1.Role{ObjectMeta: meta, Rules: []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"pods", "configmaps"}, Verbs: []string{rbacv1.VerbAll}}}},
		&rbacv1.RoleBinding{ObjectMeta: meta, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: meta.Name},
			Subjects: []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.GroupKind, Name: group}}},
	} {
		if err := u.Client.Create(ctx, object); err != nil {
			return fmt.Errorf("give drivers their rights: %w", err)
		}
	}
	return wait.PollUntilContextTimeout(ctx, 20*time.Millisecond, time.Minute, true, func(ctx context.Context) (bool, error) {
		review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
			Groups:             []string{group},
			ResourceAttributes: &authorizationv1.ResourceAttributes{Namespace: namespace, Verb: "create", Resource: "pods"},
		}}
		err := u.Client.Create(ctx, review)
		return review.Status.Allowed, err
	})
}

// Queue creates a queue without limits for all namespaces.
func (u User) Queue(ctx context.Context, name string) error { return u.queue(ctx, name, nil) }

// QueueFor creates a queue with enough memory for n applications with two executors.
func (u User) QueueFor(ctx context.Context, name string, n int) error {
	return u.queue(ctx, name, []v1alpha1.FlavorQuota{{Name: v1alpha1.DefaultFlavor, Quotas: []v1alpha1.ResourceQuota{
		{Resource: string(corev1.ResourceMemory), Nominal: *resource.NewQuantity(int64(n)*3*podMemory, resource.BinarySI)},
	}}})
}

// podMemory is the memory request of an application's pod: 512 MiB plus Spark's minimum overhead, 384 MiB.
const podMemory = 896 << 20

func (u User) queue(ctx context.Context, name string, flavors []v1alpha1.FlavorQuota) error {
	queue := &v1alpha1.SparkQueue{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       v1alpha1.SparkQueueSpec{NamespaceSelector: &metav1.LabelSelector{}, Flavors: flavors, Unlimited: len(flavors) == 0},
	}
	if err := u.Client.Create(ctx, queue); err != nil {
		return fmt.Errorf("make queue %s: %w", name, err)
	}
	return nil
}

// Application returns the manifest of the i-th application of a namespace: a Python job with the given number of
// executors. All names have the same length.
func Application(namespace string, i, executors int) *v1alpha1.SparkApplication {
	half := "a"
	if i%2 == 1 {
		half = "b"
	}
	return &v1alpha1.SparkApplication{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: fmt.Sprintf("app-%06d", i), Labels: map[string]string{HalfLabel: half}},
		Spec: v1alpha1.SparkApplicationSpec{
			Type: v1alpha1.PythonApplication, SparkVersion: "4.1.4", Image: "docker.io/sparkgate/spark:4.1",
			MainApplicationFile: "local:///opt/spark/examples/pi.py", Arguments: []string{"4"},
			SparkConf: map[string]string{"spark.eventLog.enabled": "false"},
			Driver:    v1alpha1.DriverSpec{PodRole: v1alpha1.PodRole{Cores: ptr.To[int32](1), CoreRequest: "200m", Memory: "512m"}},
			Executor: v1alpha1.ExecutorSpec{Instances: ptr.To(int32(executors)),
				PodRole: v1alpha1.PodRole{Cores: ptr.To[int32](1), CoreRequest: "200m", Memory: "512m"}},
		},
	}
}

// Apply creates n applications with two executors each.
func (u User) Apply(ctx context.Context, namespace string, n int) ([]Target, error) {
	return u.ApplyFrom(ctx, namespace, Range{N: n, Executors: 2})
}

// Range is a range of applications: First, First+1, …
type Range struct {
	First, N, Executors int
	// Queue and Gate are named by the applications; empty for none.
	Queue string
	Gate  v1alpha1.GateType
	// Finalizer reports whether they have the operator's finalizer from the start.
	Finalizer bool
}

// ApplyFrom creates the applications of a range.
func (u User) ApplyFrom(ctx context.Context, namespace string, r Range) ([]Target, error) {
	targets := make([]Target, r.N)
	err := each(ctx, r.N, func(ctx context.Context, i int) error {
		app := Application(namespace, r.First+i, r.Executors)
		if r.Queue != "" || r.Gate != "" {
			app.Spec.Queue = &v1alpha1.QueueReference{Name: r.Queue, Gate: r.Gate}
		}
		if r.Finalizer {
			app.Finalizers = []string{v1alpha1.Finalizer}
		}
		if err := u.Client.Create(ctx, app); err != nil {
			return fmt.Errorf("apply application %s: %w", app.Name, err)
		}
		targets[i] = Target{Namespace: namespace, Name: app.Name, UID: app.UID, Version: app.ResourceVersion}
		return nil
	})
	return targets, err
}

// ApplyLarge creates n applications, whose executor template fills them up to so many bytes each.
func (u User) ApplyLarge(ctx context.Context, namespace string, n, bytes int) error {
	return each(ctx, n, func(ctx context.Context, i int) error {
		app := Application(namespace, i, 2)
		note := fmt.Sprintf(`{"metadata":{"annotations":{"note":%q}}}`, strings.Repeat("x", bytes))
		app.Spec.Executor.Template = &runtime.RawExtension{Raw: []byte(note)}
		if err := u.Client.Create(ctx, app); err != nil {
			return fmt.Errorf("apply application %s: %w", app.Name, err)
		}
		return nil
	})
}

// ApplyFinished creates n applications with two executors each, which look as if they had ended like the model.
func (u User) ApplyFinished(ctx context.Context, namespace string, n int, model *v1alpha1.SparkApplication) error {
	return u.ApplyAs(ctx, namespace, Range{N: n, Executors: 2, Finalizer: true}, model)
}

// ApplyAs creates the applications of a range with the status of the model.
func (u User) ApplyAs(ctx context.Context, namespace string, r Range, model *v1alpha1.SparkApplication) error {
	targets, err := u.ApplyFrom(ctx, namespace, r)
	if err != nil {
		return err
	}
	return each(ctx, r.N, func(ctx context.Context, i int) error {
		app := &v1alpha1.SparkApplication{}
		app.Namespace, app.Name = namespace, targets[i].Name
		before := app.DeepCopy()
		app.Status = model.Status
		if err := u.Client.Status().Patch(ctx, app, client.MergeFrom(before)); err != nil {
			return fmt.Errorf("write the status of application %s: %w", app.Name, err)
		}
		return nil
	})
}

// CreateFiles creates a ConfigMap for each application, with the labels and the owner that the operator gives to the
// ConfigMaps of attempts.
func (u User) CreateFiles(ctx context.Context, targets []Target) error {
	return each(ctx, len(targets), func(ctx context.Context, i int) error {
		t := &targets[i]
		files := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: t.Namespace, Name: t.Name + "-files", Labels: map[string]string{
			v1alpha1.ApplicationLabel: t.Name, v1alpha1.ApplicationUIDLabel: string(t.UID), v1alpha1.RunLabel: "1", v1alpha1.AttemptLabel: "1",
		}, OwnerReferences: []metav1.OwnerReference{{APIVersion: v1alpha1.GroupVersion.String(), Kind: v1alpha1.SparkApplicationKind, Name: t.Name,
			UID: t.UID, Controller: ptr.To(true), BlockOwnerDeletion: ptr.To(true)}}}, Data: map[string]string{"spark.properties": strings.Repeat("x", 3<<10)}}
		if err := u.Client.Create(ctx, files); err != nil {
			return fmt.Errorf("create ConfigMap %s: %w", files.Name, err)
		}
		return nil
	})
}

// DeleteEach requests the deletion of applications, one request each. It then removes the finalizer of those for which
// strip returns true.
func (u User) DeleteEach(ctx context.Context, targets []Target, strip func(i int) bool) error {
	return each(ctx, len(targets), func(ctx context.Context, i int) error {
		app := &v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{Namespace: targets[i].Namespace, Name: targets[i].Name}}
		if err := u.Client.Delete(ctx, app); err != nil {
			return fmt.Errorf("delete application %s: %w", app.Name, err)
		}
		if !strip(i) {
			return nil
		}
		m := &metav1.PartialObjectMetadata{ObjectMeta: app.ObjectMeta}
		m.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind(v1alpha1.SparkApplicationKind))
		return u.Client.Patch(ctx, m, client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`)))
	})
}

// Delete requests the deletion of one half of the applications in a single request.
func (u User) Delete(ctx context.Context, namespace, half string) error {
	err := u.Client.DeleteAllOf(ctx, &v1alpha1.SparkApplication{}, client.InNamespace(namespace), client.MatchingLabels{HalfLabel: half})
	if err != nil {
		return fmt.Errorf("delete the applications of %s: %w", namespace, err)
	}
	return nil
}

// Targets lists the applications of a namespace in one half, or in both if half is empty.
func (u User) Targets(ctx context.Context, namespace, half string) ([]Target, error) {
	options := []client.ListOption{client.InNamespace(namespace)}
	if half != "" {
		options = append(options, client.MatchingLabels{HalfLabel: half})
	}
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind("SparkApplicationList"))
	if err := u.Client.List(ctx, list, options...); err != nil {
		return nil, fmt.Errorf("list the applications of %s: %w", namespace, err)
	}
	targets := make([]Target, 0, len(list.Items))
	for i := range list.Items {
		o := &list.Items[i]
		targets = append(targets, Target{Namespace: namespace, Name: o.Name, UID: o.UID, Version: o.ResourceVersion})
	}
	return targets, nil
}

// Stages counts the applications of a namespace by stage.
func (u User) Stages(ctx context.Context, namespace string) (map[string]int, error) {
	list := &v1alpha1.SparkApplicationList{}
	if err := u.Client.List(ctx, list, client.InNamespace(namespace)); err != nil {
		return nil, fmt.Errorf("list the applications of %s: %w", namespace, err)
	}
	stages := map[string]int{}
	for i := range list.Items {
		stages[StageOf(&list.Items[i])]++
	}
	return stages, nil
}

// StageOf returns the reason of Ready.
func StageOf(app *v1alpha1.SparkApplication) string {
	if ready := apimeta.FindStatusCondition(app.Status.Conditions, v1alpha1.ReadyCondition); ready != nil {
		return ready.Reason
	}
	return ""
}

// ReadyExecutors returns the number of executors that the applications of a namespace report as ready.
func (u User) ReadyExecutors(ctx context.Context, namespace string) (int, error) {
	list := &v1alpha1.SparkApplicationList{}
	if err := u.Client.List(ctx, list, client.InNamespace(namespace)); err != nil {
		return 0, fmt.Errorf("list the applications of %s: %w", namespace, err)
	}
	ready := 0
	for i := range list.Items {
		if e := list.Items[i].Status.Executors; e != nil {
			ready += int(e.Ready)
		}
	}
	return ready, nil
}

// AwaitStage returns once all n applications of a namespace are in a stage.
func (u User) AwaitStage(ctx context.Context, namespace, stage string, n int) error {
	for {
		stages, err := u.Stages(ctx, namespace)
		if err != nil {
			return err
		}
		if stages[stage] == n {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("waiting for %d applications to be %s, they are %v: %w", n, stage, stages, context.Cause(ctx))
		case <-time.After(2 * time.Second):
		}
	}
}

// Clear removes everything from a namespace. No operator may be running.
func (u User) Clear(ctx context.Context, namespace string) error {
	in := client.InNamespace(namespace)
	targets, err := u.Targets(ctx, namespace, "")
	if err != nil {
		return err
	}
	err = each(ctx, len(targets), func(ctx context.Context, i int) error {
		app := &v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: targets[i].Name}}
		err := u.Client.Patch(ctx, app, client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`)))
		if err == nil {
			err = u.Client.Delete(ctx, app)
		}
		return client.IgnoreNotFound(err)
	})
	if err != nil {
		return fmt.Errorf("clear %s: %w", namespace, err)
	}
	for _, obj := range []client.Object{&corev1.Pod{}, &corev1.Service{}, &corev1.ConfigMap{}} {
		if err := u.Client.DeleteAllOf(ctx, obj, in, client.GracePeriodSeconds(0)); err != nil && !apierrors.IsNotFound(err) {
			return fmt.Errorf("clear %s: %w", namespace, err)
		}
	}
	return nil
}
