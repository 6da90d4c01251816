// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package client

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

type followedApplication = followed[v1alpha1.SparkApplication, *v1alpha1.SparkApplication]

// TestOutagesAreOutlived: an API server that does not answer for a while is asked again, which is reported once; one that never answers again
// ends it. The same holds for a refused token: a plugin, or the kubelet, may renew it, and an API server that cannot reach the webhook that
// checks tokens refuses all of them.
func TestOutagesAreOutlived(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		status    int
		failures  int
		maxOutage time.Duration
		fails     bool
	}{
		"back after a while": {http.StatusServiceUnavailable, 50, time.Minute, false},
		"never back":         {http.StatusServiceUnavailable, 1 << 30, 20 * time.Millisecond, true},
		"token renewed":      {http.StatusUnauthorized, 7, time.Minute, false},
		"never renewed":      {http.StatusUnauthorized, 1 << 30, 20 * time.Millisecond, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var asked atomic.Int32
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				n := int(asked.Add(1))
				switch {
				case n > 2 && n <= tt.failures:
					w.WriteHeader(tt.status)
				case r.URL.Query().Has("watch"): // which ends at once
				default:
					_ = json.NewEncoder(w).Encode(v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{Name: "pi", UID: "a", Generation: int64(n)}})
				}
			}))
			t.Cleanup(server.Close)
			cluster, err := New(&rest.Config{Host: server.URL}, "etl", "")
			if err != nil {
				t.Fatal(err)
			}
			told := 0
			cluster.Outage = func(error) { told++ }
			f := &followedApplication{cluster: cluster, kind: Applications, name: "pi", pause: time.Millisecond, maxOutage: tt.maxOutage, see: func(app *v1alpha1.SparkApplication) (bool, error) {
				return app.Generation > 2, nil
			}}
			if err := f.follow(t.Context()); (err != nil) != tt.fails || told != 1 || IsUnauthorized(err) != (tt.fails && tt.status == http.StatusUnauthorized) {
				t.Errorf("told %d times: %v", told, err)
			}
		})
	}
}

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
			f := &followedApplication{cluster: &Cluster{Namespace: "etl"}, name: "pi", uid: uid, see: func(app *v1alpha1.SparkApplication) (bool, error) {
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
