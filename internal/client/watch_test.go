// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package client

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// TestAnotherOfTheName: an application that has the name of the one that is followed does not end in its place.
func TestAnotherOfTheName(t *testing.T) {
	t.Parallel()
	of := func(uid types.UID) *v1alpha1.SparkApplication {
		return &v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{Name: "pi", UID: uid}}
	}
	for name, uid := range map[string]types.UID{"the one that was created": "a", "the first that is seen": ""} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var seen []types.UID
			f := &followed{cluster: &Cluster{Namespace: "etl"}, name: "pi", uid: uid, see: func(app *v1alpha1.SparkApplication) (bool, error) {
				seen = append(seen, app.UID)
				return false, nil
			}}
			if _, err := f.show(of("a")); err != nil {
				t.Fatal(err)
			}
			if done, err := f.show(of("b")); done || !IsGone(err) || !f.final || len(seen) != 1 {
				t.Errorf("done %t, final %t, seen %v: %v", done, f.final, seen, err)
			}
		})
	}
}
