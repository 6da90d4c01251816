// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"testing"
	"time"

	"github.com/go-logr/logr"
	clocktesting "k8s.io/utils/clock/testing"

	explainv1 "github.com/sparkgate/sparkgate/api/explain/v1"
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/embedded/config"
)

// Before the gate is opened nothing is decided, but the asks that it has received are explained.
func TestExplain(t *testing.T) {
	t.Parallel()
	r := New(Options{Clock: clocktesting.NewFakeClock(time.Time{}), Log: logr.Discard()})
	if r.View().Leads() {
		t.Error("leads before it has restored its state")
	}
	key := queueing.Key{Namespace: "default", Name: "pi", UID: "1"}
	if _, known := r.View().Explain(key); known {
		t.Error("explains an application of which it has not heard")
	}
	r.admissions.engine.Configure([]config.Queue{{Name: "team-a"}}, nil)
	r.Open(Acquired{}, []Holding{{Key: key, Grant: queueing.Grant{Run: 1, Attempt: 1, Queue: "team-a"}}}, nil, nil)
	if !r.View().Leads() {
		t.Error("does not lead once it has restored its state")
	}
	if x, known := r.View().Explain(key); !known || x.State != explainv1.Granted || x.Queue != "team-a" {
		t.Errorf("known: %t, %+v", known, x)
	}
	if q, known := r.View().ExplainQueue("team-a"); !known || q.Admitted != 1 {
		t.Errorf("known: %t, %+v", known, q)
	}
	if _, known := r.View().ExplainQueue("team-b"); known {
		t.Error("explains a queue that does not exist")
	}
}
