// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package guardpolicies

import (
	"testing"

	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/test/integration/env"
)

const (
	quotaGate = "sparkgate.io/quota"
	guarded   = "sparkgate.io/guarded"
)

// tenant has a guarded namespace, and in it every right on pods and on everything that creates pods, including
// subresources: more than Kubernetes' own role "admin" gives.
type tenant struct {
	t         *testing.T
	namespace string
}

// enrol creates a namespace with a tenant.
func enrol(t *testing.T) *tenant {
	t.Helper()
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{
		GenerateName: "tenant-", Labels: map[string]string{guarded: "true"}, Annotations: map[string]string{"sparkgate.io/default-queue": "team"},
	}}
	create(t, env.Client(), ns)
	tn := &tenant{t: t, namespace: ns.Name}
	rules := []rbacv1.PolicyRule{
		{APIGroups: []string{"", "apps", "batch", "policy"}, Resources: []string{"*"}, Verbs: []string{"*"}},
		{
			APIGroups: []string{rbacv1.GroupName}, Resources: []string{"roles", "rolebindings"},
			Verbs: []string{"get", "list", "create", "update", "patch", "delete"},
		},
	}
	create(t, env.Client(),
		&rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Namespace: ns.Name, Name: "tenant"}, Rules: rules},
		&rbacv1.RoleBinding{
			ObjectMeta: metav1.ObjectMeta{Namespace: ns.Name, Name: "tenant"},
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: "tenant"},
			Subjects: []rbacv1.Subject{
				{Kind: rbacv1.UserKind, APIGroup: rbacv1.GroupName, Name: "tenant"},
				{Kind: rbacv1.GroupKind, APIGroup: rbacv1.GroupName, Name: "system:serviceaccounts:" + ns.Name},
			},
		})
	for _, review := range []authorizationv1.SubjectAccessReviewSpec{{User: "tenant"}, {Groups: []string{"system:serviceaccounts:" + ns.Name}}} {
		review.ResourceAttributes = &authorizationv1.ResourceAttributes{Namespace: ns.Name, Verb: "create", Resource: "pods"}
		env.Until(t, "the API server knows the rights of the tenant", func() bool {
			asked := &authorizationv1.SubjectAccessReview{Spec: review}
			return env.Client().Create(t.Context(), asked) == nil && asked.Status.Allowed
		})
	}
	return tn
}

// as returns a client of a user.
func as(t *testing.T, who rest.ImpersonationConfig) client.Client {
	t.Helper()
	config := env.Config()
	config.Impersonate = who
	scheme, err := env.Scheme()
	if err != nil {
		t.Fatal(err)
	}
	c, err := client.New(config, client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// user returns a client of the tenant, a person.
func (tn *tenant) user() client.Client { return as(tn.t, rest.ImpersonationConfig{UserName: "tenant"}) }

// program returns a client of the program in a driver pod, with the token that is mounted there.
func (tn *tenant) program(driver *corev1.Pod) client.Client {
	return as(tn.t, rest.ImpersonationConfig{
		UserName: "system:serviceaccount:" + tn.namespace + ":spark",
		Groups:   []string{"system:serviceaccounts", "system:serviceaccounts:" + tn.namespace, "system:authenticated"},
		Extra: map[string][]string{
			"authentication.kubernetes.io/pod-name": {driver.Name}, "authentication.kubernetes.io/pod-uid": {string(driver.UID)},
		},
	})
}

// unbound returns a client of a process of the tenant, with a token that is not bound to a pod.
func (tn *tenant) unbound() client.Client { return tn.account(tn.namespace, "spark") }

// account returns a client of a service account of any namespace.
func (tn *tenant) account(namespace, name string) client.Client {
	return as(tn.t, rest.ImpersonationConfig{
		UserName: "system:serviceaccount:" + namespace + ":" + name,
		Groups:   []string{"system:serviceaccounts", "system:serviceaccounts:" + namespace, "system:authenticated"},
	})
}

// stranger returns a client of a service account of another namespace, to which an administrator has given every right
// in this one.
func (tn *tenant) stranger() client.Client {
	tn.admit(rbacv1.Subject{Kind: rbacv1.ServiceAccountKind, Namespace: "elsewhere", Name: "ci"})
	return tn.account("elsewhere", "ci")
}

// admit gives a user the rights of the tenant.
func (tn *tenant) admit(who rbacv1.Subject) {
	create(tn.t, env.Client(), &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Namespace: tn.namespace, GenerateName: "more-"},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: "tenant"},
		Subjects:   []rbacv1.Subject{who},
	})
}

// controller returns a client of one of the controllers of the cluster.
func (tn *tenant) controller(name string) client.Client {
	return as(tn.t, rest.ImpersonationConfig{UserName: "system:serviceaccount:kube-system:" + name})
}

// operator returns a client of the operator, with only the rights of the manifests.
func (tn *tenant) operator() client.Client {
	return as(tn.t, rest.ImpersonationConfig{UserName: operatorAccount})
}

// keeper returns a client that may change namespaces, and nothing else.
func (tn *tenant) keeper() client.Client {
	role := &rbacv1.ClusterRole{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "keeper-"},
		Rules:      []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"namespaces"}, Verbs: []string{"*"}}},
	}
	create(tn.t, env.Client(), role)
	tn.bind(role.Name, "keeper-"+tn.namespace)
	return as(tn.t, rest.ImpersonationConfig{UserName: "keeper-" + tn.namespace})
}

// bind gives a user a role in the whole cluster.
func (tn *tenant) bind(role, user string) {
	create(tn.t, env.Client(), &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "keeper-"},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.UserKind, APIGroup: rbacv1.GroupName, Name: user}},
	})
}

// pod puts a pod into the tenant's namespace.
func (tn *tenant) pod(p *corev1.Pod) *corev1.Pod {
	p.Namespace = tn.namespace
	return p
}

// own returns the driver of an application that the operator has created after a grant.
func (tn *tenant) own(name string) *corev1.Pod {
	p := tn.pod(driverPod(name))
	p.Labels["sparkgate.io/application"], p.Labels["sparkgate.io/app-uid"] = name, "uid-of-"+name
	p.OwnerReferences = []metav1.OwnerReference{ofApplication(name)}
	if err := tn.operator().Create(tn.t.Context(), p, client.FieldOwner("sparkgate")); err != nil {
		tn.t.Fatal(err)
	}
	return p
}

// bound binds a pod of the tenant that has its quota to a node, as the scheduler would.
func (tn *tenant) bound(p *corev1.Pod, node string) *corev1.Pod {
	tn.t.Helper()
	p = tn.released(p)
	b := bindingOf(p.Name)
	b.Target.Name = node
	if err := env.Client().SubResource("binding").Create(tn.t.Context(), p, b); err != nil {
		tn.t.Fatal(err)
	}
	if err := env.Client().Get(tn.t.Context(), client.ObjectKeyFromObject(p), p); err != nil {
		tn.t.Fatal(err)
	}
	return p
}

// released returns a Spark pod of the tenant whose scheduling gate the operator has removed.
func (tn *tenant) released(p *corev1.Pod) *corev1.Pod {
	tn.t.Helper()
	create(tn.t, tn.user(), tn.pod(p))
	if err := tn.operator().Patch(tn.t.Context(), p, ungatePatch); err != nil {
		tn.t.Fatal(err)
	}
	if gated(p) {
		tn.t.Fatal("the operator could not remove the scheduling gate")
	}
	return p
}

func (tn *tenant) ns() *corev1.Namespace {
	return &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: tn.namespace}}
}

// ungatePatch is the patch that removes the gate.
var ungatePatch = client.RawPatch(types.JSONPatchType, []byte(`[{"op":"remove","path":"/spec/schedulingGates"}]`))

// unenrol removes the label from a namespace.
var unenrol = merge(`{"metadata":{"labels":{"` + guarded + `":null}}}`)

func merge(patch string) client.Patch { return client.RawPatch(types.MergePatchType, []byte(patch)) }

// driverPod returns a driver as spark-submit creates it.
func driverPod(name string) *corev1.Pod {
	p := plainPod(name)
	p.Labels = map[string]string{"spark-role": "driver", "spark-app-selector": "spark-" + name}
	p.Spec.Containers[0].Name = "spark-kubernetes-driver"
	p.Spec.Containers[0].Env = []corev1.EnvVar{{Name: "SPARK_APPLICATION_ID", Value: "spark-" + name}}
	return p
}

// executorPod returns an executor as the program in a driver creates it.
func executorPod(driver *corev1.Pod, name string) *corev1.Pod {
	p := plainPod(name)
	p.Namespace = driver.Namespace
	p.Labels = map[string]string{"spark-role": "executor", "spark-app-selector": driver.Labels["spark-app-selector"]}
	p.Spec.Containers[0].Name = "spark-kubernetes-executor"
	p.OwnerReferences = []metav1.OwnerReference{ownedBy(driver)}
	return p
}

func ownedBy(driver *corev1.Pod) metav1.OwnerReference {
	yes := true
	return metav1.OwnerReference{APIVersion: "v1", Kind: "Pod", Name: driver.Name, UID: driver.UID, Controller: &yes}
}

// plainPod returns a pod that only its image identifies as Spark.
func plainPod(name string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{
			Name: "main", Image: "docker.io/sparkgate/spark:4.1",
			Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("1")}},
		}}},
	}
}

func bindingOf(pod string) *corev1.Binding {
	return &corev1.Binding{ObjectMeta: metav1.ObjectMeta{Name: pod}, Target: corev1.ObjectReference{Kind: "Node", Name: "node-1"}}
}

func bindingWithLabels(pod string) *corev1.Binding {
	b := bindingOf(pod)
	b.Labels = map[string]string{"sparkgate.io/queue": "other"}
	return b
}

// gated reports whether the pod has our scheduling gate and no node.
func gated(p *corev1.Pod) bool {
	for _, g := range p.Spec.SchedulingGates {
		if g.Name == quotaGate {
			return p.Spec.NodeName == ""
		}
	}
	return false
}
