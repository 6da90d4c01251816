// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package schedulinggate

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/sparkgate/sparkgate/internal/job/pods"
)

func TestPodChanged(t *testing.T) {
	t.Parallel()
	live := fake.NewClientBuilder().WithObjects(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "there", ResourceVersion: "7"}}).Build()
	tests := map[string]struct {
		name    string
		version string
		want    bool
	}{
		"as it was seen":  {"there", "7", false},
		"another version": {"there", "6", true},
		"gone":            {"gone", "7", true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			seen := pods.RecordOf(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: tt.name, ResourceVersion: tt.version}})
			if got, err := PodChanged(t.Context(), live, seen); err != nil || got != tt.want {
				t.Errorf("changed: %t, error %v; want %t", got, err, tt.want)
			}
		})
	}
}
