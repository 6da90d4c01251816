// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package explain asks the operator why something waits: with real tokens and the rights that are shipped, of replicas that lead and
// that do not, directly and through the proxy of the API server.
package explain

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/go-logr/logr"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/config"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

func TestMain(m *testing.M) { os.Exit(harness.Main(m)) }

// system is the namespace of the operator.
const system = "sparkgate-system"

// install creates the operator's namespace, accounts and rights from the files that users apply.
func install(t *testing.T) {
	t.Helper()
	for _, args := range [][]string{
		{"apply", "-f", filepath.Join(env.Root(), "config/manager/namespace.yaml")},
		{"apply", "-k", filepath.Join(env.Root(), "config/rbac")},
		{"apply", "-k", filepath.Join(env.Root(), "config/everywhere")},
		{"apply", "-f", filepath.Join(env.Root(), "config/manager/explain_service.yaml")},
	} {
		if _, err := env.Kubectl(t, args...); err != nil {
			t.Fatal(err)
		}
	}
	operator := rbacv1.Subject{Namespace: system, Name: "sparkgate"}
	for _, a := range []authorizationv1.ResourceAttributes{
		{Verb: "list", Group: v1alpha1.Group, Resource: "sparkapplications"}, {Verb: "create", Resource: "pods"},
		{Verb: "create", Group: "coordination.k8s.io", Resource: "leases", Namespace: system},
		{Verb: "create", Group: "authentication.k8s.io", Resource: "tokenreviews"},
		{Verb: "get", Resource: "services", Subresource: "proxy", Namespace: system, Name: "https:sparkgate-explain:https"},
	} {
		mayNow(t, operator, a)
	}
	mayNow(t, rbacv1.Subject{Namespace: system, Name: "sparkgate-explain"}, authorizationv1.ResourceAttributes{Verb: "get", Group: v1alpha1.Group, Resource: "sparkqueues"})
}

// mayNow waits until the API server knows of a right of an account: it hears of bindings a little later.
func mayNow(t *testing.T, account rbacv1.Subject, a authorizationv1.ResourceAttributes) {
	t.Helper()
	env.Until(t, "the API server knows the right of "+account.Name, func() bool {
		review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
			User: "system:serviceaccount:" + account.Namespace + ":" + account.Name, Groups: []string{"system:authenticated"}, ResourceAttributes: &a,
		}}
		return env.Client().Create(t.Context(), review) == nil && review.Status.Allowed
	})
}

// inTheNameOf returns access with the rights of the operator's account, and no others.
func inTheNameOf(account string) *rest.Config {
	c := env.Config()
	c.Impersonate = rest.ImpersonationConfig{
		UserName: "system:serviceaccount:" + system + ":" + account,
		Groups:   []string{"system:serviceaccounts", "system:serviceaccounts:" + system, "system:authenticated"},
	}
	return c
}

// replica is one process of the operator.
type replica struct {
	address string
	// leads is closed once it is elected.
	leads <-chan struct{}
	stop  func()
}

// startReplica runs the operator with a lease, explaining at a free port of a host.
func startReplica(t *testing.T, host string) *replica {
	t.Helper()
	listener, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		t.Fatal(err)
	}
	scheme, err := controllers.NewScheme()
	if err != nil {
		t.Fatal(err)
	}
	manager, err := ctrl.NewManager(inTheNameOf("sparkgate"), ctrl.Options{
		Scheme: scheme, Cache: controllers.CacheOptions(controllers.Scope{}), Client: controllers.ClientOptions(), Logger: logr.Discard(),
		Metrics:        metricsserver.Options{BindAddress: "0"},
		LeaderElection: true, LeaderElectionID: "explain", LeaderElectionNamespace: system, LeaderElectionReleaseOnCancel: true,
		GracefulShutdownTimeout: ptr.To(5 * time.Second),
		Controller:              config.Controller{SkipNameValidation: ptr.To(true)},
	})
	if err != nil {
		t.Fatalf("make the operator: %v", err)
	}
	options := controllers.Options{Holder: "test_" + string(uuid.NewUUID()), QueueInterval: 20 * time.Millisecond, Explain: listener}
	if err := controllers.Setup(manager, options); err != nil {
		t.Fatalf("set up the operator: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = manager.Start(ctx)
	}()
	r := &replica{address: listener.Addr().String(), leads: manager.Elected(), stop: func() { cancel(); <-ended }}
	t.Cleanup(r.stop)
	return r
}

// pair returns a replica that leads and one that stands by.
func pair(t *testing.T, host string) (leader, standby *replica) {
	t.Helper()
	leader = startReplica(t, host)
	select {
	case <-leader.leads:
	case <-time.After(time.Minute):
		t.Fatal("nobody is elected")
	}
	return leader, startReplica(t, host)
}

// account creates a ServiceAccount and returns a token of it.
func account(t *testing.T, namespace, name string) string {
	t.Helper()
	a := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
	harness.Create(t, a)
	return token(t, a)
}

// token asks for a token of an account, for audiences other than the API server if there are any.
func token(t *testing.T, a *corev1.ServiceAccount, audiences ...string) string {
	t.Helper()
	request := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{Audiences: audiences}}
	if err := env.Client().SubResource("token").Create(t.Context(), a, request); err != nil {
		t.Fatalf("ask for a token of %s: %v", a.Name, err)
	}
	return request.Status.Token
}

// mayViewIn gives an account Kubernetes' role for our kinds in its own namespace.
func mayViewIn(t *testing.T, namespace, name string) {
	t.Helper()
	harness.Create(t, &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "sparkgate-view"},
		Subjects:   []rbacv1.Subject{{Kind: "ServiceAccount", Namespace: namespace, Name: name}},
	})
	mayNow(t, rbacv1.Subject{Namespace: namespace, Name: name},
		authorizationv1.ResourceAttributes{Verb: "get", Group: v1alpha1.Group, Resource: "sparkapplications", Namespace: namespace})
}

// mayViewAll gives an account the same everywhere.
func mayViewAll(t *testing.T, namespace, name string) {
	t.Helper()
	binding := &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: namespace + "-" + name},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "sparkgate-view"},
		Subjects:   []rbacv1.Subject{{Kind: "ServiceAccount", Namespace: namespace, Name: name}},
	}
	harness.Create(t, binding)
	t.Cleanup(func() { _ = env.Client().Delete(context.Background(), binding) })
	mayNow(t, rbacv1.Subject{Namespace: namespace, Name: name}, authorizationv1.ResourceAttributes{Verb: "get", Group: v1alpha1.Group, Resource: "sparkqueues"})
}

// line is a queue in which one application runs, one of another namespace is first in line, and pi is second.
type line struct {
	*harness.World
	other string
	pi    *v1alpha1.SparkApplication
}

func newLine(t *testing.T) *line {
	t.Helper()
	l := &line{World: harness.NewWorld(t, "3Gi", nil), other: env.Namespace(t)}
	class := &schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{GenerateName: "explain-"}, Value: 7}
	harness.Create(t, class)
	t.Cleanup(func() { _ = env.Client().Delete(context.Background(), class) })
	l.Run(l.Apply("running"))
	first := harness.Pi(l.other, "first", l.Queue.Name)
	first.Spec.Queue.PriorityClassName = class.Name
	harness.Create(t, first)
	l.Reach(first, v1alpha1.QueuedReason)
	l.pi = l.Apply("pi")
	l.Reach(l.pi, v1alpha1.QueuedReason)
	return l
}
