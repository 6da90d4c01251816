// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build slow

package servers

import (
	"fmt"
	"os"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/e2e/env"
)

func TestMain(m *testing.M) { os.Exit(env.Main(m)) }

// server returns a server with small pods, and with what its type implies.
func server(name, queue string, kind v1alpha1.ServerType, changes ...env.Change) *v1alpha1.SparkApplication {
	serve := func(spec *v1alpha1.SparkApplicationSpec) {
		spec.MainApplicationFile, spec.Arguments, spec.Server = "", nil, &v1alpha1.Server{Type: kind}
		spec.Executor.Instances, spec.RestartPolicy = nil, nil
	}
	return env.Pi(name, queue, append([]env.Change{serve}, changes...)...)
}

// serves waits until an attempt of a server is ready, and returns the name of its pod.
func serves(s *env.Namespace, name string, attempt env.Attempt) (driver string) {
	app := s.Shows(name, fmt.Sprintf("ready in run %d, attempt %d", attempt.Run, attempt.Attempt), func(app *v1alpha1.SparkApplication) error {
		now, ready := env.Attempt{Run: app.Status.Run, Attempt: app.Status.Attempt}, env.Condition(app, v1alpha1.ReadyCondition)
		if now != attempt || ready.Status != metav1.ConditionTrue || app.Status.ObservedGeneration != app.Generation {
			return fmt.Errorf("run %d, attempt %d, Ready is %s: %s", now.Run, now.Attempt, ready.Status, ready.Message)
		}
		return nil
	})
	return app.Status.Driver.PodName
}
