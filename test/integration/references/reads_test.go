// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package references

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// referenceReads counts how often Secrets, ConfigMaps and ServiceAccounts of a namespace are read by name on the way to the API server.
type referenceReads struct {
	namespace string
	n         atomic.Int64
}

func (s *referenceReads) wrap(next http.RoundTripper) http.RoundTripper {
	return roundTrip(func(r *http.Request) (*http.Response, error) {
		_, path, _ := strings.Cut(r.URL.Path, "/namespaces/"+s.namespace+"/")
		kind, name, _ := strings.Cut(path, "/")
		if r.Method == http.MethodGet && name != "" && slices.Contains([]string{"secrets", "configmaps", "serviceaccounts"}, kind) {
			s.n.Add(1)
		}
		return next.RoundTrip(r)
	})
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// manySecrets names so many Secrets.
func manySecrets(n int) func(*v1alpha1.SparkApplication) {
	return func(app *v1alpha1.SparkApplication) {
		for i := range n {
			app.Spec.SparkConfFrom = append(app.Spec.SparkConfFrom, v1alpha1.SparkConfSource{
				Name: fmt.Sprintf("%s.%02d", secretKey, i), SecretKeyRef: v1alpha1.SecretKeyReference{Name: fmt.Sprintf("s3-%02d", i), Key: "secret"},
			})
		}
	}
}

// TestMissingSecretsAreLookedForOnce: many applications of a namespace that name the same Secrets, none of which exists, wait for the same
// looks, not for one each.
//
// It has an operator of its own, so it is not parallel.
func TestMissingSecretsAreLookedForOnce(t *testing.T) {
	const applications, secrets = 60, 64
	w := harness.NewWorld(t, "3Gi", nil)
	reads := &referenceReads{namespace: w.Namespace}
	harness.StartOperator(t, harness.OperatorOptions{Network: reads.wrap})
	apps := make([]*v1alpha1.SparkApplication, applications)
	for i := range apps {
		apps[i] = w.Apply(fmt.Sprintf("pi-%02d", i), manySecrets(secrets))
	}
	for _, app := range apps {
		misses(t, w, app, []string{`"s3-00"`, "does not exist"}, false)
	}
	if n := reads.n.Load(); n > applications*secrets/2 {
		t.Errorf("%d applications that name the same %d Secrets have cost %d reads", applications, secrets, n)
	}
}

// TestWaitingCostsNoReads: applications whose references are there wait for quota. Each is planned once; however often it is looked at after that,
// nothing is read before its turn comes. Then what has changed meanwhile counts.
//
// It has an operator of its own, so it is not parallel.
func TestWaitingCostsNoReads(t *testing.T) {
	const applications, secrets, looks = 20, 10, 10
	w := harness.NewWorld(t, "3Gi", nil)
	reads := &referenceReads{namespace: w.Namespace}
	for i := range secrets {
		harness.Create(t, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: fmt.Sprintf("s3-%02d", i)},
			StringData: map[string]string{"secret": secretValue}})
	}
	harness.Create(t, defaults(w, "spark.driver.memory 512m\n"))
	harness.StartOperator(t, harness.OperatorOptions{Network: reads.wrap})
	holder := w.Apply("holder")
	w.Run(holder)
	apps := make([]*v1alpha1.SparkApplication, applications)
	for i := range apps {
		apps[i] = w.Apply(fmt.Sprintf("pi-%02d", i), manySecrets(secrets), func(a *v1alpha1.SparkApplication) {
			a.Spec.SparkConfigMap, a.Spec.Driver.Memory = "conf", ""
		})
	}
	for _, app := range apps {
		harness.Eventually(t, app, "waiting", func(a *v1alpha1.SparkApplication) bool { return harness.Stage(a) == v1alpha1.QueuedReason })
	}
	before := reads.n.Load()
	if before > 2*applications*secrets {
		t.Errorf("to plan %d applications with %d Secrets took %d reads", applications, secrets, before)
	}
	for i := range looks {
		lookAtAll(t, apps, fmt.Sprint(i))
	}
	if n := reads.n.Load() - before; n > 0 {
		t.Errorf("%d looks at %d applications that wait have cost %d reads", looks, applications, n)
	}

	harness.Change(t, defaults(w, ""), func(c *corev1.ConfigMap) { c.Data["spark-defaults.conf"] = "spark.driver.memory 768m\n" })
	for _, app := range apps[1:] {
		if err := env.Client().Delete(t.Context(), app); err != nil {
			t.Fatal(err)
		}
	}
	w.Kubelet.Finish(t.Context(), w.Driver(holder), 0, "Completed")
	driver := w.Driver(apps[0])
	if got := podMiB(driver); got != 768+384 || got != grantedMiB(apps[0].Status.Grant) {
		t.Errorf("the driver requests %d MiB under a grant of %d MiB, want %d", got, grantedMiB(apps[0].Status.Grant), 768+384)
	}
	if apps[0].Status.Attempt != 1 || apps[0].Status.Failures != 0 {
		t.Errorf("want the first attempt: %s", harness.Show(apps[0]))
	}
}

// lookAtAll has the operator look at applications once more.
func lookAtAll(t *testing.T, apps []*v1alpha1.SparkApplication, token string) {
	t.Helper()
	patch := client.RawPatch("application/merge-patch+json", fmt.Appendf(nil, `{"metadata":{"annotations":{"reconcile.fluxcd.io/requestedAt":%q}}}`, token))
	for _, app := range apps {
		if err := env.Client().Patch(t.Context(), app, patch); err != nil {
			t.Fatal(err)
		}
	}
	for _, app := range apps {
		harness.Eventually(t, app, "looked at", func(a *v1alpha1.SparkApplication) bool { return a.Status.LastHandledReconcileAt == token })
	}
}
