// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/e2e/env"
)

// A job that runs every minute, and not beside itself. Suspended, it runs when asked to. Deleting the schedule deletes its jobs.
func TestAJobRunsByTheClock(t *testing.T) {
	t.Parallel()
	s := env.NewTenant(t, 1)
	s.Apply(env.Queue(s.Name, "1", "3Gi"))
	spec, err := json.Marshal(env.Pi("", s.Name, env.Brief()).Spec)
	if err != nil {
		t.Fatal(err)
	}
	schedule := &v1alpha1.ScheduledSparkApplication{ObjectMeta: metav1.ObjectMeta{Name: "minutely"}}
	schedule.Spec.Schedule, schedule.Spec.TimeZone = "*/1 * * * *", "Europe/Zurich"
	schedule.Spec.Template.Spec = runtime.RawExtension{Raw: spec}
	s.Apply(schedule)
	s.Kubectl("wait", "sgsched/minutely", "--for=condition=Ready", "--timeout=5m")
	s.Await("two jobs to succeed", func() error { return succeeded(t, s, 2) })
	if table := s.Kubectl("get", "sgsched"); !strings.Contains(table, "*/1 * * * *") || !strings.Contains(table, "Europe/Zurich") {
		t.Errorf("kubectl get shows\n%s", table)
	}

	s.Kubectl("patch", "sgsched", "minutely", "--type=merge", "--patch", `{"spec":{"suspend":true}}`)
	s.Kubectl("wait", "sgsched/minutely", "--for=jsonpath={.status.conditions[?(@.type==\"Ready\")].reason}=Suspended", "--timeout=5m")
	s.Await("no job to run", func() error {
		if n := readSchedule(t, s).Status.ActiveCount; n > 0 {
			return fmt.Errorf("%d run", n)
		}
		return nil
	})
	s.Kubectl("annotate", "sgsched", "minutely", "reconcile.fluxcd.io/requestedAt=now", "reconcile.fluxcd.io/forceAt=now")
	s.Await("a job that was asked for", func() error {
		if status := readSchedule(t, s).Status; status.LastHandledForceAt != "now" {
			return errors.New("the request was not answered")
		} else if run := status.LastSuccessfulRun; !strings.HasPrefix(run.Name, "minutely-m-") {
			return fmt.Errorf("the last run is %s", run.Name)
		}
		return nil
	})

	names := strings.Fields(s.Kubectl("get", "sgapp", "--output=jsonpath={.items[*].metadata.name}"))
	if len(names) > 3 {
		t.Errorf("the history has %v, more than three that succeeded", names)
	}
	s.Kubectl("delete", "sgsched", "minutely", "--wait=false")
	for _, name := range names {
		s.Gone(name)
	}
	s.GivenBack(s.Name)
}

func succeeded(t *testing.T, s *env.Namespace, n int) error {
	t.Helper()
	status := readSchedule(t, s).Status
	if run := status.LastFailedRun; run != nil {
		t.Fatalf("%s has failed: %s", run.Name, run.Message)
	}
	found := strings.Count(s.Kubectl("get", "sgapp", "--selector="+v1alpha1.ScheduleLabel+"=minutely", "--output=jsonpath={.items[*].status.conditions[?(@.type==\"Ready\")].reason}"), v1alpha1.SucceededReason)
	if found < n {
		return fmt.Errorf("%d have succeeded, status %+v", found, status)
	}
	return nil
}

func readSchedule(t *testing.T, s *env.Namespace) *v1alpha1.ScheduledSparkApplication {
	t.Helper()
	schedule := &v1alpha1.ScheduledSparkApplication{}
	if err := json.Unmarshal([]byte(s.Kubectl("get", "sgsched", "minutely", "--output=json")), schedule); err != nil {
		t.Fatal(err)
	}
	return schedule
}
