// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build slow

package servers

import (
	"testing"
	"time"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/e2e/env"
)

// TestSlowAnIdleServerGivesItsQuotaBack: the operator learns from Spark itself that a server runs nothing. Its quota is free then, until a user
// starts the server again.
func TestSlowAnIdleServerGivesItsQuotaBack(t *testing.T) {
	t.Parallel()
	n := env.NewNotebook(t, env.Image, env.ClientAlone, "1", "3Gi")
	n.Apply(server("notebooks", n.Name, v1alpha1.ConnectServer, func(spec *v1alpha1.SparkApplicationSpec) {
		spec.Timeouts = &v1alpha1.Timeouts{Idle: &v1alpha1.Duration{Duration: time.Minute}}
	}))
	serves(n.Namespace, "notebooks", env.First)
	began := time.Now()
	if said := n.Run(asks); said != "499500\n[1, 2, 3]\n" {
		t.Errorf("the notebook shows %q", said)
	}
	n.Reaches("notebooks", env.First, v1alpha1.IdleReason)
	if used := time.Since(began); used < time.Minute {
		t.Errorf("a server that was used is stopped after %s", used)
	}
	n.GivenBack(n.Name)

	wanted := time.Now()
	n.Sparkctl("resume", "notebooks", "--namespace", n.Name)
	serves(n.Namespace, "notebooks", env.Attempt{Run: 2, Attempt: 1})
	if said := n.Run(`print(spark.sql("select sum(id) from range(0, 1000, 1, 4)").collect()[0][0], end="")`); said != "499500" {
		t.Errorf("the notebook shows %q", said)
	}
	t.Logf("the first answer came %s after sparkctl resume", time.Since(wanted).Round(time.Second/10))
}
