// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/testing/randtest"
	"github.com/sparkgate/sparkgate/queueing"
)

// stored returns a grant as it is read back from the API server.
func stored(t *testing.T, g queueing.Grant) *v1alpha1.Grant {
	t.Helper()
	raw, err := json.Marshal(ToAPI(g))
	if err != nil {
		t.Fatal(err)
	}
	back := &v1alpha1.Grant{}
	if err := json.Unmarshal(raw, back); err != nil {
		t.Fatal(err)
	}
	return back
}

func TestNothingIsLost(t *testing.T) {
	t.Parallel()
	tests := map[string]queueing.Grant{
		"without pods": {Run: 1, Attempt: 1, Gate: "None", PodSets: []queueing.PodSetGrant{}},
		"full": {Run: 3, Attempt: 2, Gate: "Embedded", Queue: "team-a", Epoch: 7, Inputs: "v1:0b", PodSets: []queueing.PodSetGrant{
			{Name: "driver", Flavor: "default", Count: 1, Requests: queueing.Resources{"cpu": 1, "memory": 939524096, "pods": 1}},
			{Name: "executor", Flavor: "spot", Count: 40, Requests: queueing.Resources{"cpu": 1500, "memory": 939524097, "nvidia.com/gpu": 2, "ephemeral-storage": 1 << 33},
				NodeSelector: map[string]string{"pool": "spot"}, Tolerations: []corev1.Toleration{{Key: "spot", Operator: corev1.TolerationOpExists}}},
		}},
	}
	for name, grant := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(grant, FromAPI(stored(t, grant))); diff != "" {
				t.Errorf("grant (-want +got):\n%s", diff)
			}
		})
	}
}

func TestNothingIsLostAtRandom(t *testing.T) {
	t.Parallel()
	names := []string{"cpu", "memory", "pods", "ephemeral-storage", "nvidia.com/gpu", "hugepages-2Mi"}
	randtest.Each(t, 1000, func(seed uint64) {
		random := rand.New(rand.NewPCG(seed, 0))
		grant := queueing.Grant{Run: random.Int64N(1000), Attempt: random.Int64N(1000), Gate: "Embedded", Queue: "q", Epoch: random.Int64()}
		for i := range 1 + random.IntN(3) {
			p := queueing.PodSetGrant{Name: fmt.Sprint(i), Flavor: "default", Count: random.Int32(), Requests: queueing.Resources{}}
			for _, name := range names[:1+random.IntN(len(names))] {
				p.Requests[name] = random.Int64N(1 << uint(1+random.IntN(52)))
			}
			grant.PodSets = append(grant.PodSets, p)
		}
		if diff := cmp.Diff(grant, FromAPI(stored(t, grant))); diff != "" {
			t.Fatalf("grant (-want +got):\n%s", diff)
		}
	})
}

func TestNoResources(t *testing.T) {
	t.Parallel()
	if got := FromAPI(&v1alpha1.Grant{PodSets: []v1alpha1.PodSetGrant{{Name: "driver"}}}).PodSets[0].Requests; got != nil {
		t.Errorf("requests of nothing come back as %v", got)
	}
	if got := ToAPI(queueing.Grant{PodSets: []queueing.PodSetGrant{{Name: "driver"}}}).PodSets[0].Requests; got != nil {
		t.Errorf("requests of nothing: %v", got)
	}
}
