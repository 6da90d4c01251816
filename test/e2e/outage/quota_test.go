// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package outage

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/e2e/env"
)

// fitting is the number of applications that fit into the queue of the test: five of 3 × 100m and 3 × 896Mi into 1500m
// and 14Gi.
const fitting = 5

func TestTheQuotaHoldsThoughTheOperatorIsKilled(t *testing.T) {
	testQuotaHolds(t, 9)
}

// testQuotaHolds applies many applications to a queue that only a few fit into, kills the operator while those run, and
// watches the pods all the time.
func testQuotaHolds(t *testing.T, applications int) {
	s := env.NewTenant(t, fitting)
	objects := []client.Object{env.Queue(s.Name, "1500m", "14Gi")}
	for i := range applications {
		objects = append(objects, env.Pi(nameOf(i), s.Name, func(spec *v1alpha1.SparkApplicationSpec) {
			spec.Driver.CoreRequest, spec.Executor.CoreRequest = "100m", "100m"
		}))
	}
	s.Apply(objects...)
	s.QueueBecomes(s.Name, "full", func(queue *v1alpha1.SparkQueue) error {
		if admitted, pending := int(queue.Status.Admitted), int(queue.Status.Pending); admitted != fitting || pending != applications-fitting {
			return fmt.Errorf("%d hold room and %d wait", admitted, pending)
		}
		return nil
	})
	s.Await("as many drivers to run as fit", func() error {
		if n := driversSeenRunning(s, applications); n < fitting {
			return fmt.Errorf("%d have", n)
		}
		return nil
	})
	env.KillOperator(t)

	for i := range applications {
		end := s.Reaches(nameOf(i), env.First, v1alpha1.SucceededReason)
		if len(end.Status.Attempts) != 1 {
			t.Errorf("the history of %s is %+v, want one attempt", end.Name, end.Status.Attempts)
		}
	}
	s.GivenBack(s.Name)
	memory := resource.MustParse("14Gi")
	if peak := s.Peak(); peak.Drivers != fitting || peak.CPU > 1500 || peak.Memory > memory.Value() {
		t.Errorf("at the peak there were %+v, want %d drivers and no more than 1500m and %d bytes", peak, fitting, memory.Value())
	}
}

func nameOf(i int) string { return fmt.Sprintf("pi-%02d", i) }

// driversSeenRunning counts the drivers that have run.
func driversSeenRunning(s *env.Namespace, applications int) int {
	n := 0
	for i := range applications {
		for _, driver := range s.Pods(nameOf(i), v1alpha1.SparkRoleDriver) {
			if driver.Status.Phase != corev1.PodPending {
				n++
			}
		}
	}
	return n
}
