// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package act

import (
	"errors"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/application/plan"
)

// forbidden returns an answer of an admission plugin.
func forbidden(words string) error {
	return apierrors.NewForbidden(corev1.Resource("pods"), "pi-driver", errors.New(words))
}

// TestObstacleRemedy: the message names the Role that grants a missing permission.
func TestObstacleRemedy(t *testing.T) {
	t.Parallel()
	for words, want := range map[string]string{
		`User "system:serviceaccount:s:sparkgate" cannot create resource "pods" in API group "" in the namespace "a"`: "ClusterRole sparkgate-workloads",
		"cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on":         "ClusterRole sparkgate-applications",
		"exceeded quota: team": "",
	} {
		if got := obstacleOf(&corev1.Pod{}, forbidden(words)); !strings.Contains(got, words) || strings.Contains(got, "ClusterRole") != (want != "") || !strings.Contains(got, want) {
			t.Errorf("%q has not the remedy %q", got, want)
		}
	}
}

// TestAccountGone: if a driver is refused because its service account is gone, the grant is released. If it is refused
// for another reason, or it is unknown whether the account exists, the grant is kept.
func TestAccountGone(t *testing.T) {
	t.Parallel()
	refusal := apierrors.NewForbidden(corev1.Resource("pods"), "pi-driver", errors.New("no"))
	live := fake.NewClientBuilder().WithObjects(&corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "there"}}).Build()
	creator := &Creator{Reader: &plan.Reader{Live: live, Lookups: plan.NewLookups(clocktesting.NewFakeClock(time.Unix(1_700_000_000, 0)))}}
	for name, tt := range map[string]struct {
		account string
		obj     client.Object
		gone    bool
	}{
		"gone":         {"gone", &corev1.Pod{}, true},
		"there":        {"there", &corev1.Pod{}, false},
		"none named":   {"", &corev1.Pod{}, false},
		"not a driver": {"gone", &corev1.Service{}, false},
	} {
		t.Run(name, func(t *testing.T) {
			app := &v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "pi"}}
			app.Spec.Driver.ServiceAccountName = tt.account
			o := creator.refusal(t.Context(), app, tt.obj, refusal)
			if gone := strings.Contains(o.Message, `ServiceAccount "gone"`); gone != tt.gone || (o.Kind == plan.Outdated) != tt.gone || o.Kind == 0 {
				t.Errorf("told %+v", o)
			}
		})
	}
}
