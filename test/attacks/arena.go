// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package attacks

import (
	"context"
	"encoding/json"
	"maps"
	"regexp"
	"strconv"
	"strings"
	"testing"

	jsonpatch "github.com/evanphx/json-patch/v5"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// jobName is the name of the application in an attempt, unless the attempt names another one.
const jobName = "job"

// The quota of an arena's queue.
const (
	quotaCPU    = 2000    // milli
	quotaMemory = 2 << 30 // bytes
)

// arena is the setting of one attempt: the attacker's namespace and queue, and those of a neighbour.
type arena struct {
	t *testing.T
	// namespace is the attacker's, and other the neighbour's. Queues have the names of their namespaces.
	namespace, other string
	recorder         *recorder
	// names are those of the application "job" and its driver, as last seen: on a real cluster the application may be
	// gone before the outcome is checked.
	names names
}

// names are the values of $(uid), $(driver) and $(driverUID).
type names struct{ uid, driver, driverUID string }

// newArena creates an arena, which is deleted at the end of the test.
func newArena(t *testing.T, spec Arena) *arena {
	t.Helper()
	a := &arena{t: t}
	a.other = a.makeNamespace(&Arena{})
	a.namespace = a.makeNamespace(&spec)
	a.recorder = record(t, a.namespace)
	a.makeQueue(a.namespace, spec.Queue)
	a.makeQueue(a.other, nil)
	if cluster.acting {
		for _, namespace := range []string{a.namespace, a.other} {
			harness.StartKubelet(t, &harness.Kubelet{Run: func(ctx context.Context, k *harness.Kubelet, driver *corev1.Pod) { k.Start(ctx, driver) }}, namespace)
		}
	}
	return a
}

// makeNamespace creates a namespace with everything that drivers need.
func (a *arena) makeNamespace(spec *Arena) string {
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "attack-", Labels: map[string]string{}, Annotations: map[string]string{}}}
	maps.Copy(ns.Labels, spec.Labels)
	create(a.t, ns)
	a.t.Cleanup(func() {
		// Without a kube-controller-manager the namespace is never deleted, and neither would its applications be.
		inside := client.InNamespace(ns.Name)
		_ = cluster.client.DeleteAllOf(context.Background(), &v1alpha1.SparkApplication{}, inside)
		_ = cluster.client.DeleteAllOf(context.Background(), &corev1.Pod{}, inside)
		_ = cluster.client.Delete(context.Background(), ns)
	})
	change := ns.DeepCopy()
	change.Annotations = map[string]string{v1alpha1.DefaultQueueAnnotation: ns.Name}
	for key, value := range spec.Annotations {
		change.Annotations[key] = strings.ReplaceAll(strings.ReplaceAll(value, "$(queue)", ns.Name), "$(namespace)", ns.Name)
	}
	if spec.Guarded {
		change.Labels[v1alpha1.GuardedLabel] = "true"
	}
	if err := cluster.client.Patch(a.t.Context(), change, client.MergeFrom(ns)); err != nil {
		a.t.Fatal(err)
	}
	a.makeTenancy(ns.Name)
	return ns.Name
}

// makeTenancy creates the account of drivers, and the rights of the identities that act in the namespace.
func (a *arena) makeTenancy(namespace string) {
	create(a.t, &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: sparkAccount}})
	everything := []string{"*"}
	for name, rules := range map[string][]rbacv1.PolicyRule{
		sparkAccount: {{APIGroups: []string{""}, Resources: []string{"pods", "services", "configmaps", "persistentvolumeclaims"}, Verbs: everything}},
		asTenant: {
			{APIGroups: []string{v1alpha1.GroupVersion.Group}, Resources: []string{"sparkapplications", "sparkclusters"}, Verbs: everything},
			{APIGroups: []string{""}, Resources: []string{"configmaps", "secrets"}, Verbs: everything},
		},
		asOwner: {
			{APIGroups: []string{v1alpha1.GroupVersion.Group}, Resources: []string{"sparkapplications"}, Verbs: everything},
			{APIGroups: []string{"", "apps", "batch", "policy"}, Resources: everything, Verbs: everything},
			{APIGroups: []string{rbacv1.GroupName}, Resources: []string{"roles", "rolebindings"}, Verbs: []string{"get", "list", "create", "update", "patch", "delete"}},
		},
	} {
		meta := metav1.ObjectMeta{Namespace: namespace, Name: name}
		subjects := []rbacv1.Subject{{Kind: rbacv1.UserKind, APIGroup: rbacv1.GroupName, Name: name + ":" + namespace}}
		switch name {
		case sparkAccount:
			subjects = []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: namespace, Name: sparkAccount}}
		case asOwner:
			if a.other == "" {
				// It is the neighbour's own namespace.
				break
			}
			subjects = append(subjects, rbacv1.Subject{Kind: rbacv1.ServiceAccountKind, Namespace: a.other, Name: sparkAccount})
		}
		create(a.t, &rbacv1.Role{ObjectMeta: meta, Rules: rules})
		create(a.t, &rbacv1.RoleBinding{ObjectMeta: meta, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: name}, Subjects: subjects})
	}
}

// makeQueue creates a queue with the quota of an arena, changed by a merge patch of its spec.
func (a *arena) makeQueue(name string, change map[string]any) {
	a.t.Helper()
	queue := &v1alpha1.SparkQueue{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: v1alpha1.SparkQueueSpec{
			NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelMetadataName: name}},
			Flavors: []v1alpha1.FlavorQuota{{Name: v1alpha1.DefaultFlavor, Quotas: []v1alpha1.ResourceQuota{
				{Resource: "cpu", Nominal: *resource.NewMilliQuantity(quotaCPU, resource.DecimalSI)},
				{Resource: "memory", Nominal: *resource.NewQuantity(quotaMemory, resource.BinarySI)},
			}}},
		},
	}
	if change != nil {
		merge(a.t, &queue.Spec, a.fill(change))
	}
	create(a.t, queue)
	a.t.Cleanup(func() { _ = cluster.client.Delete(context.Background(), queue) })
}

// merge applies a merge patch to a value.
func merge(t *testing.T, into any, patch map[string]any) {
	t.Helper()
	before, err := json.Marshal(into)
	if err != nil {
		t.Fatal(err)
	}
	change, err := json.Marshal(patch)
	if err != nil {
		t.Fatal(err)
	}
	after, err := jsonpatch.MergePatch(before, change)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(after, into); err != nil {
		t.Fatal(err)
	}
}

var bytesPattern = regexp.MustCompile(`\$\(bytes:([0-9]+)\)`)

// fill replaces the variables in a manifest: $(namespace), $(queue), $(otherNamespace), $(otherQueue), and $(uid),
// $(driver) and $(driverUID) of the application "job". $(bytes:N) becomes a text of N bytes.
func (a *arena) fill(manifest map[string]any) map[string]any {
	a.t.Helper()
	data, err := json.Marshal(manifest)
	if err != nil {
		a.t.Fatal(err)
	}
	text := strings.NewReplacer("$(namespace)", a.namespace, "$(queue)", a.namespace, "$(otherNamespace)", a.other, "$(otherQueue)", a.other).Replace(string(data))
	if strings.Contains(text, "$(uid)") || strings.Contains(text, "$(driver") {
		a.nameJob()
		text = strings.NewReplacer("$(uid)", a.names.uid, "$(driverUID)", a.names.driverUID, "$(driver)", a.names.driver).Replace(text)
	}
	text = bytesPattern.ReplaceAllStringFunc(text, func(match string) string {
		n, err := strconv.Atoi(bytesPattern.FindStringSubmatch(match)[1])
		if err != nil {
			a.t.Fatal(err)
		}
		return strings.Repeat("x", n)
	})
	var filled map[string]any
	if err := json.Unmarshal([]byte(text), &filled); err != nil {
		a.t.Fatal(err)
	}
	return filled
}

// nameJob reads the names of the application "job". It keeps the previous ones if the application is gone.
func (a *arena) nameJob() {
	a.t.Helper()
	app := &v1alpha1.SparkApplication{}
	err := cluster.client.Get(a.t.Context(), client.ObjectKey{Namespace: a.namespace, Name: jobName}, app)
	if apierrors.IsNotFound(err) && a.names.uid != "" {
		return
	}
	if err != nil {
		a.t.Fatal(err)
	}
	a.names = names{uid: string(app.UID)}
	if app.Status.Driver != nil {
		a.names.driver, a.names.driverUID = app.Status.Driver.PodName, a.podUID(app.Status.Driver.PodName)
	}
}

// podUID returns the UID of a pod; empty if there is none.
func (a *arena) podUID(name string) string {
	pod := &corev1.Pod{}
	if err := cluster.client.Get(a.t.Context(), client.ObjectKey{Namespace: a.namespace, Name: name}, pod); err != nil {
		return ""
	}
	return string(pod.UID)
}

// application reads an application of the attacker.
func (a *arena) application(name string) *v1alpha1.SparkApplication {
	a.t.Helper()
	app := &v1alpha1.SparkApplication{}
	if err := cluster.client.Get(a.t.Context(), client.ObjectKey{Namespace: a.namespace, Name: name}, app); err != nil {
		a.t.Fatal(err)
	}
	return app
}

// job returns the manifest of an ordinary small application: 200m and 1792Mi for a driver and an executor.
func job(namespace, queue string) map[string]any {
	role := func(more map[string]any) map[string]any {
		all := map[string]any{"coreRequest": "100m", "memory": "512m"}
		maps.Copy(all, more)
		return all
	}
	return map[string]any{
		"apiVersion": v1alpha1.GroupVersion.String(), "kind": "SparkApplication",
		"metadata": map[string]any{"name": jobName, "namespace": namespace},
		"spec": map[string]any{
			"type": "Python", "sparkVersion": "4.1.4", "image": "docker.io/sparkgate/spark:4.1",
			"mainApplicationFile": "local:///opt/spark/examples/sleep.py", "arguments": []any{"600"},
			"queue":    map[string]any{"name": queue},
			"driver":   role(map[string]any{"serviceAccountName": sparkAccount}),
			"executor": role(map[string]any{"instances": 1}),
		},
	}
}

// sparkPod returns a driver pod as a raw spark-submit would create it.
func (a *arena) sparkPod(name string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: a.namespace, Name: name, Labels: map[string]string{v1alpha1.SparkRoleLabel: v1alpha1.SparkRoleDriver}},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "spark-kubernetes-driver", Image: "docker.io/sparkgate/spark:4.1"}}},
	}
}

// decode converts a manifest to an object.
func decode(manifest map[string]any) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: manifest}
}
