// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package references

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/actors"
	"github.com/sparkgate/sparkgate/test/integration/env"
)

// secretReads counts how often Secrets of a namespace are read by name on the way to the API server.
type secretReads struct {
	namespace string
	n         atomic.Int64
}

func (s *secretReads) wrap(next http.RoundTripper) http.RoundTripper {
	return roundTrip(func(r *http.Request) (*http.Response, error) {
		if r.Method == http.MethodGet && strings.Contains(r.URL.Path, "/namespaces/"+s.namespace+"/secrets/") {
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
	w := actors.NewWorld(t, "3Gi", nil)
	reads := &secretReads{namespace: w.Namespace}
	actors.StartOperator(t, actors.OperatorOptions{Network: reads.wrap})
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

// TestWaitingCostsNoReads: applications whose Secrets are there wait for quota; each has read them once, and however often it is looked at
// after that, what costs a read is a look at a Secret for all of them.
//
// It has an operator of its own, so it is not parallel.
func TestWaitingCostsNoReads(t *testing.T) {
	const applications, secrets, looks = 20, 10, 10
	w := actors.NewWorld(t, "3Gi", nil)
	reads := &secretReads{namespace: w.Namespace}
	for i := range secrets {
		actors.Create(t, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: fmt.Sprintf("s3-%02d", i)},
			StringData: map[string]string{"secret": secretValue}})
	}
	actors.StartOperator(t, actors.OperatorOptions{Network: reads.wrap})
	holder := w.Apply("holder")
	w.Run(holder)
	apps := make([]*v1alpha1.SparkApplication, applications)
	for i := range apps {
		apps[i] = w.Apply(fmt.Sprintf("pi-%02d", i), manySecrets(secrets))
	}
	for _, app := range apps {
		actors.Eventually(t, app, "waiting", func(a *v1alpha1.SparkApplication) bool { return actors.Stage(a) == v1alpha1.QueuedReason })
	}
	before := reads.n.Load()
	if before > 3*applications*secrets/2 {
		t.Errorf("to plan %d applications with %d Secrets took %d reads", applications, secrets, before)
	}
	for i := range looks {
		for _, app := range apps {
			token := fmt.Sprintf(`{"metadata":{"annotations":{"reconcile.fluxcd.io/requestedAt":"%d"}}}`, i)
			if err := env.Client().Patch(t.Context(), app, client.RawPatch("application/merge-patch+json", []byte(token))); err != nil {
				t.Fatal(err)
			}
		}
		for _, app := range apps {
			actors.Eventually(t, app, "looked at", func(a *v1alpha1.SparkApplication) bool { return a.Status.LastHandledReconcileAt == fmt.Sprint(i) })
		}
	}
	if n := reads.n.Load() - before; n > looks*applications*secrets/4 {
		t.Errorf("%d looks at %d applications that wait have cost %d reads", looks, applications, n)
	}
}
