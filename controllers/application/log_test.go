// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"context"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/internal/lifecycle"
	"github.com/sparkgate/sparkgate/controllers/internal/pods"
)

// fixedLog is the same for every pod; it ends with the pod's uid.
type fixedLog string

func (l fixedLog) Tail(_ context.Context, pod *pods.Record, hide func(string) string) string {
	return hide(string(l) + string(pod.UID))
}

func TestLogTail(t *testing.T) {
	t.Parallel()
	driver := func(uid, owner types.UID, name string, role pods.Role) *pods.Record {
		return &pods.Record{Origin: &pods.Origin{OwnerUID: owner}, UID: uid, Name: name, Role: role}
	}
	own := driver("mine", "pi-uid", "pi-driver", pods.Driver)
	tests := map[string]struct {
		logs    LogReader
		pods    []*pods.Record
		want    string
		secrets *secretValues
	}{
		"of the driver":                    {fixedLog("of "), []*pods.Record{driver("x", "mine", "pi-exec-1", pods.Executor), own}, "of mine", nil},
		"no reader":                        {nil, []*pods.Record{own}, "", nil},
		"no driver":                        {fixedLog("of "), nil, "", nil},
		"somebody else's pod of that name": {fixedLog("of "), []*pods.Record{driver("other", "another-uid", "pi-driver", pods.Driver)}, "", nil},
		"the driver of an earlier attempt": {fixedLog("of "), []*pods.Record{driver("old", "pi-uid", "pi-0-driver", pods.Driver)}, "", nil},
		"a secret of the spec":             {fixedLog("it said s3cr3t-value to 12 of "), []*pods.Record{own}, "it said (hidden) to 12 of mine", nil},
		"a secret of a Secret": {fixedLog("it said from-a-Secret to "), []*pods.Record{own}, "it said (hidden) to mine",
			&secretValues{byProperty: map[string]string{"spark.db": "from-a-Secret"}}},
		"a secret that begins with another": {fixedLog("s3cr3t-value-2 and s3cr3t-value of "), []*pods.Record{own}, "(hidden) and (hidden) of mine",
			&secretValues{byProperty: map[string]string{"spark.db": "s3cr3t-value-2"}}},
		"a line of a secret": {fixedLog("it read the-second-line\nof "), []*pods.Record{own}, "it read (hidden)\nof mine",
			&secretValues{byProperty: map[string]string{"spark.db": "the-first-line\n  the-second-line\n"}}},
		"a Secret that is gone": {fixedLog("it said "), []*pods.Record{own}, "",
			&secretValues{missing: []string{"Secret"}}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			app := &v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "pi", UID: "pi-uid"}}
			app.Spec.SparkConf = map[string]string{"spark.x.password": "s3cr3t-value", "spark.y.secret": "12", "spark.z": "it said s3cr3t-value"}
			app.Status.Driver = &v1alpha1.DriverStatus{PodName: "pi-driver"}
			if tc.secrets != nil {
				app.Spec.SparkConfFrom = []v1alpha1.SparkConfSource{{Name: "spark.db"}}
			}
			p := &pass{secrets: tc.secrets, Reconciler: &Reconciler{Options: Options{Logs: tc.logs}}, app: app, o: lifecycle.Observation{Pods: tc.pods}}
			if got := p.logTail(t.Context()); got == nil || *got != tc.want {
				t.Errorf("got %v, want %q", got, tc.want)
			}
		})
	}
}
