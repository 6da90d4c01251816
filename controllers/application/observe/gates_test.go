// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/internal/reservation"
	"github.com/sparkgate/sparkgate/queueing"
)

// plainGate never reclaims a grant.
type plainGate struct{}

func (plainGate) Sync(context.Context, queueing.Ask) (queueing.Verdict, error) {
	return queueing.Verdict{}, nil
}
func (plainGate) Capabilities() queueing.Capabilities                           { return queueing.Capabilities{} }
func (plainGate) Persisted(context.Context, queueing.Key, queueing.Grant)       {}
func (plainGate) Release(context.Context, queueing.Key, queueing.Release) error { return nil }

// evictingGate reclaims one grant.
type evictingGate struct {
	plainGate
	key          queueing.Key
	run, attempt int64
	eviction     *queueing.Eviction
}

func (g evictingGate) Eviction(key queueing.Key, run, attempt int64) *queueing.Eviction {
	if key == g.key && run == g.run && attempt == g.attempt {
		return g.eviction
	}
	return nil
}

func TestEvictionIsThatOfTheGateOfTheGrant(t *testing.T) {
	t.Parallel()
	wanted := &queueing.Eviction{Reason: queueing.ReasonPreempted, Message: "queue team-b takes its quota back"}
	gates := reservation.Gates{
		"None":     plainGate{},
		"Embedded": evictingGate{key: queueing.Key{Kind: v1alpha1.SparkApplicationKind, Namespace: "default", Name: "pi", UID: "pi-uid"}, run: 2, attempt: 1, eviction: wanted},
	}
	tests := map[string]struct {
		grant *v1alpha1.Grant
		want  *queueing.Eviction
	}{
		"no grant":               {nil, nil},
		"of the evicting gate":   {&v1alpha1.Grant{Gate: "Embedded", Run: 2, Attempt: 1}, wanted},
		"of another attempt":     {&v1alpha1.Grant{Gate: "Embedded", Run: 2, Attempt: 2}, nil},
		"of another gate":        {&v1alpha1.Grant{Gate: "None", Run: 2, Attempt: 1}, nil},
		"of a gate that is gone": {&v1alpha1.Grant{Gate: "Kueue", Run: 2, Attempt: 1}, nil},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			app := &v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "pi", UID: "pi-uid"}}
			app.Status.Run, app.Status.Attempt, app.Status.Grant = 2, 1, tc.grant
			ob := &Observer{Gates: gates}
			if diff := cmp.Diff(tc.want, ob.eviction(app)); diff != "" {
				t.Errorf("eviction (-want +got):\n%s", diff)
			}
		})
	}
}
