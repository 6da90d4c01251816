// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package confined runs operators that may do in some namespaces only what the shipped roles allow.
package confined

import (
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

func TestMain(m *testing.M) { os.Exit(harness.Main(m)) }

// account of the operator, as the shipped bindings name it.
const account = "system:serviceaccount:sparkgate-system:sparkgate"

// operatorIn starts an operator as its account, with the shipped roles, bound in one namespace, and returns what it asks
// of the API server.
func operatorIn(t *testing.T, namespace string, queues labels.Selector) *requests {
	t.Helper()
	installRoles(t)
	bindRoles(t, namespace)
	return start(t, controllers.Scope{Namespaces: []string{namespace}, Queues: queues})
}

// installRoles applies the shipped roles. They hold across the cluster for what is not in a namespace only.
func installRoles(t *testing.T) {
	t.Helper()
	for _, args := range [][]string{
		{"apply", "-f", filepath.Join(env.Root(), "config/manager/namespace.yaml")},
		{"apply", "-k", filepath.Join(env.Root(), "config/rbac")},
	} {
		if _, err := env.Kubectl(t, args...); err != nil {
			t.Fatal(err)
		}
	}
	knows(t, authorizationv1.ResourceAttributes{Verb: "list", Group: v1alpha1.Group, Resource: "sparkqueues"})
}

// bindRoles gives the operator its roles in a namespace, as config/confined does.
func bindRoles(t *testing.T, namespace string) {
	t.Helper()
	for _, role := range []string{"sparkgate-applications", "sparkgate-workloads"} {
		binding := &rbacv1.RoleBinding{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: role},
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role},
			Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: "sparkgate-system", Name: "sparkgate"}},
		}
		if err := env.Client().Create(t.Context(), binding); err != nil {
			t.Fatal(err)
		}
	}
	knows(t, authorizationv1.ResourceAttributes{Verb: "list", Resource: "pods", Namespace: namespace})
	knows(t, authorizationv1.ResourceAttributes{Verb: "list", Group: v1alpha1.Group, Resource: "sparkapplications", Namespace: namespace})
}

// start starts an operator as its account, and returns what it asks of the API server.
func start(t *testing.T, scope controllers.Scope) *requests {
	t.Helper()
	seen := &requests{}
	config := rest.CopyConfig(env.Config())
	config.Impersonate = rest.ImpersonationConfig{UserName: account, Groups: []string{"system:serviceaccounts", "system:authenticated"}}
	harness.StartOperator(t, harness.OperatorOptions{
		Config: config, Network: seen.wrap, Scope: scope,
	})
	return seen
}

// knows waits until the API server knows a right of the operator: it hears of bindings a little later.
func knows(t *testing.T, right authorizationv1.ResourceAttributes) {
	t.Helper()
	env.Until(t, "the API server knows the rights of the operator", func() bool {
		review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{User: account, ResourceAttributes: &right}}
		return env.Client().Create(t.Context(), review) == nil && review.Status.Allowed
	})
}

// requests notes what is asked for and refused.
type requests struct {
	mu                 sync.Mutex
	refused, clustered map[string]bool
}

type observed struct {
	next http.RoundTripper
	by   *requests
}

func (r *requests) wrap(next http.RoundTripper) http.RoundTripper { return observed{next, r} }

// namespaced are lists of kinds that are in namespaces, across the cluster.
var namespaced = regexp.MustCompile(`^/(api/v1|apis/[^/]+/[^/]+)/(sparkapplications|scheduledsparkapplications|pods|services|configmaps|secrets|limitranges|resourcequotas|events|ingresses|httproutes|poddisruptionbudgets|persistentvolumeclaims|workloads|localqueues|podgroups)$`)

func (o observed) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := o.next.RoundTrip(request)
	o.by.mu.Lock()
	defer o.by.mu.Unlock()
	if o.by.refused == nil {
		o.by.refused, o.by.clustered = map[string]bool{}, map[string]bool{}
	}
	if err == nil && response.StatusCode == http.StatusForbidden {
		o.by.refused[request.Method+" "+request.URL.Path] = true
	}
	if namespaced.MatchString(request.URL.Path) {
		o.by.clustered[request.URL.Path] = true
	}
	return response, err
}

// lacked reports whether a request was refused.
func (r *requests) lacked(what string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.refused[what]
}

// within fails if anything was asked for outside of the namespace, or refused.
func (r *requests) within(t *testing.T) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	for path := range r.clustered {
		t.Errorf("it lists across the cluster: %s", path)
	}
	for what := range r.refused {
		t.Errorf("it lacks a right: %s", what)
	}
}

// accompanied has an application also have a Service and a budget.
func accompanied(app *v1alpha1.SparkApplication) {
	app.Spec.PodDisruptionBudget = v1alpha1.DisruptionDriver
	app.Spec.DriverService = &v1alpha1.DriverService{Ports: []v1alpha1.DriverServicePort{{Name: "connect", Port: 15002}}}
}

// TestShippedRolesAreEnough: a confined operator runs jobs from start to end with the shipped roles, and looks nowhere else.
func TestShippedRolesAreEnough(t *testing.T) {
	w := harness.NewWorld(t, "3Gi", nil)
	elsewhere := harness.NewWorld(t, "3Gi", nil)
	foreign := elsewhere.Apply("foreign")
	seen := operatorIn(t, w.Namespace, nil)
	app := w.Apply("pi", accompanied)
	driver := w.Run(app)
	w.Kubelet.Finish(t.Context(), driver, 0, "Completed")
	w.Reach(app, v1alpha1.SucceededReason)
	if err := env.Client().Delete(t.Context(), app); err != nil {
		t.Fatal(err)
	}
	env.Until(t, "the application is gone", func() bool {
		return apierrors.IsNotFound(env.Client().Get(t.Context(), client.ObjectKeyFromObject(app), &v1alpha1.SparkApplication{}))
	})
	if err := env.Client().Get(t.Context(), client.ObjectKeyFromObject(foreign), foreign); err != nil {
		t.Fatal(err)
	}
	if foreign.Status.ObservedGeneration > 0 || len(foreign.Finalizers) > 0 {
		t.Errorf("an application elsewhere is taken: %s", harness.Show(foreign))
	}
	seen.within(t)
}

// TestRoleBindingThatComesLate: an operator whose roles are not bound yet in a namespace waits for them, and then runs
// what has been applied there.
func TestRoleBindingThatComesLate(t *testing.T) {
	w := harness.NewWorld(t, "3Gi", nil)
	installRoles(t)
	seen := start(t, controllers.Scope{Namespaces: []string{w.Namespace}})
	app := w.Apply("early")
	env.Until(t, "the operator is refused the applications of the namespace", func() bool {
		return seen.lacked("GET /apis/" + v1alpha1.GroupVersion.String() + "/namespaces/" + w.Namespace + "/sparkapplications")
	})
	bindRoles(t, w.Namespace)
	w.Succeed(app)
}

// TestNamespaceThatGoes: the bindings of a namespace that is being deleted may go before its applications. These go nevertheless, and what
// they held comes back.
func TestNamespaceThatGoes(t *testing.T) {
	w := harness.NewWorld(t, "3Gi", nil)
	operatorIn(t, w.Namespace, nil)
	ended, running, waiting := w.Apply("ended"), w.Pi("running"), w.Pi("waiting")
	w.Succeed(ended)
	harness.Create(t, running)
	driver := w.Run(running)
	waiting.Spec.Queue.Name = "to-come"
	harness.Create(t, waiting)
	harness.Eventually(t, waiting, "waiting", func(a *v1alpha1.SparkApplication) bool {
		return len(a.Finalizers) > 0 || a.Status.ObservedGeneration > 0
	})
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: w.Namespace}}
	if err := env.Client().Delete(t.Context(), namespace); err != nil {
		t.Fatal(err)
	}
	if err := env.Client().DeleteAllOf(t.Context(), &rbacv1.RoleBinding{}, client.InNamespace(w.Namespace)); err != nil {
		t.Fatal(err)
	}
	lost := authorizationv1.ResourceAttributes{Verb: "patch", Group: v1alpha1.Group, Resource: "sparkapplications", Subresource: "status", Namespace: w.Namespace}
	env.Until(t, "the API server knows that the bindings are gone", func() bool {
		review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{User: account, ResourceAttributes: &lost}}
		return env.Client().Create(t.Context(), review) == nil && !review.Status.Allowed
	})
	if err := env.Client().Delete(t.Context(), driver); err != nil { // as the namespace controller does
		t.Fatal(err)
	}
	for _, app := range []*v1alpha1.SparkApplication{ended, running, waiting} {
		if err := env.Client().Delete(t.Context(), app); err != nil {
			t.Fatal(err)
		}
		env.Until(t, app.Name+" is gone", func() bool {
			return apierrors.IsNotFound(env.Client().Get(t.Context(), client.ObjectKeyFromObject(app), &v1alpha1.SparkApplication{}))
		})
	}
	w.Unused()
}

// TestTwoBesideEachOther: two confined operators lead trees of their own. Neither stops the other, and both go on.
func TestTwoBesideEachOther(t *testing.T) {
	var worlds []*harness.World
	var apps []*v1alpha1.SparkApplication
	for _, team := range []string{"a", "b"} {
		w := harness.NewWorld(t, "3Gi", nil)
		w.Queue.Labels = map[string]string{"example.org/team": team}
		if err := env.Client().Update(t.Context(), w.Queue); err != nil {
			t.Fatal(err)
		}
		operatorIn(t, w.Namespace, labels.SelectorFromSet(labels.Set{"example.org/team": team}))
		worlds = append(worlds, w)
	}
	for _, w := range slices.Concat(worlds, worlds) { // in turns, so that a ledger that was lost shows
		apps = append(apps, w.Apply(strings.ToLower("pi-"+string(rune('a'+len(apps))))))
		w.Succeed(apps[len(apps)-1])
	}
	other := harness.Pi(worlds[0].Namespace, "other", worlds[1].Queue.Name)
	harness.Create(t, other)
	harness.Eventually(t, other, "told that the queue does not exist", func(a *v1alpha1.SparkApplication) bool {
		return strings.Contains(harness.Show(a), worlds[1].Queue.Name+" does not exist")
	})
}
