// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"context"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/application/memory"
	"github.com/sparkgate/sparkgate/controllers/application/plan"
	"github.com/sparkgate/sparkgate/internal/job/cause"
	"github.com/sparkgate/sparkgate/internal/job/pods"
)

// fixedLog is a log reader that returns the same log for every pod, followed by the pod's UID; or none, if it is empty.
type fixedLog struct{ begin, end string }

func (l fixedLog) Begin(_ context.Context, pod *pods.Record) string { return of(l.begin, pod) }

func (l fixedLog) End(_ context.Context, pod *pods.Record) string { return of(l.end, pod) }

func of(log string, pod *pods.Record) string {
	if log == "" {
		return ""
	}
	return log + string(pod.UID)
}

// driverRecord returns a pod that may be the driver of the application pi.
func driverRecord(uid, owner types.UID, name string, role pods.Role) *pods.Record {
	return &pods.Record{Origin: &pods.Origin{Namespace: "team", OwnerUID: owner}, UID: uid, Name: name, Role: role}
}

// ownDriver returns the driver of the application pi.
func ownDriver() *pods.Record { return driverRecord("mine", "pi-uid", "pi-driver", pods.Driver) }

// testDriver finds out about the driver of the application pi.
type testDriver struct {
	*Driver
	client client.WithWatch
	app    *v1alpha1.SparkApplication
	pods   []*pods.Record
}

// newDriver returns the application pi, whose driver the watch shows, in a namespace of its own.
func newDriver(t *testing.T) *testDriver {
	t.Helper()
	app := &v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "pi", UID: "pi-uid"}}
	app.Status.Driver = &v1alpha1.DriverStatus{PodName: "pi-driver"}
	c, clock := fake.NewClientBuilder().WithObjects(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "team"}}).Build(), clocktesting.NewFakeClock(time.Unix(0, 0))
	reader := &plan.Reader{Cache: c, Live: c, Lookups: plan.NewLookups(clock)}
	return &testDriver{&Driver{Live: c, Reader: reader, Record: &memory.Record{}, Clock: clock}, c, app, []*pods.Record{ownDriver()}}
}

// TestLogCause: the cause is looked for in the log of the driver of this attempt, and of no other pod.
func TestLogCause(t *testing.T) {
	t.Parallel()
	failed := fixedLog{"Error: at first it is ", "Error: it is "}
	ended, silent, succeeded := ownDriver(), ownDriver(), ownDriver()
	ended.Ended, silent.Ended, succeeded.Ended = &pods.Ended{ExitCode: 1, Cause: "its last words"}, &pods.Ended{ExitCode: 1}, &pods.Ended{}
	local := fixedLog{begin: "INFO Executor: Starting executor ID driver on host pi-driver\nError: it is "}
	for name, tc := range map[string]struct {
		log  fixedLog
		pods []*pods.Record
		want string
	}{
		"of the driver":                    {failed, []*pods.Record{driverRecord("x", "mine", "pi-exec-1", pods.Executor), ended}, "it is mine"},
		"no driver":                        {failed, nil, ""},
		"somebody else's pod of that name": {failed, []*pods.Record{driverRecord("other", "another-uid", "pi-driver", pods.Driver)}, ""},
		"the driver of an earlier attempt": {failed, []*pods.Record{driverRecord("old", "pi-uid", "pi-0-driver", pods.Driver)}, ""},
		"a log that does not say it":       {fixedLog{end: "INFO bye "}, []*pods.Record{silent}, ""},
		"a log that cannot be read":        {fixedLog{}, []*pods.Record{ended}, "its last words"},
		"a driver that runs":               {failed, []*pods.Record{ownDriver()}, "at first it is mine"},
		"a driver that runs and prints":    {fixedLog{begin: "row 7 "}, []*pods.Record{ownDriver()}, ""},
		"local mode":                       {local, []*pods.Record{ownDriver()}, cause.LocalMode},
		"local mode, and success":          {local, []*pods.Record{succeeded}, cause.LocalMode},
		"local mode, and failure":          {fixedLog{local.begin, "Error: it is "}, []*pods.Record{silent}, "it is mine"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDriver(t)
			d.Logs = tc.log
			if got := d.LogCause(t.Context(), d.app, tc.pods); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}
