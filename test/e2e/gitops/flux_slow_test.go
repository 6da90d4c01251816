// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build slow

package gitops

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/e2e/env"
	"github.com/sparkgate/sparkgate/test/gitops/fluxobject"
	"github.com/sparkgate/sparkgate/test/gitops/gitserver"
)

// tenant is a team whose jobs come from a Git repository.
type tenant struct {
	*env.Namespace
	t    *testing.T
	jobs *gitserver.Repository
}

// newTenant has Flux apply the folder jobs of a repository, and wait for the runs.
func newTenant(t *testing.T) *tenant {
	t.Helper()
	flux.Use(t)
	s := &tenant{Namespace: env.NewTenant(t, 1), t: t, jobs: gitserver.New(t)}
	s.Apply(env.Queue(s.Name, "1", "3Gi"))
	s.jobs.Push(gitserver.Files{"jobs/README.md": "Jobs.\n"})
	s.ApplyText(fmt.Sprintf(`apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: {name: jobs}
spec: {url: %q, ref: {branch: main}, interval: 1h}
---
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: jobs}
spec:
  sourceRef: {kind: GitRepository, name: jobs}
  path: ./jobs
  targetNamespace: %s
  wait: true
  prune: true
  timeout: 10m
  interval: 1h
`, s.jobs.URL, s.Name))
	t.Cleanup(func() {
		for _, kind := range []string{"Kustomization", "GitRepository"} {
			if err := fluxobject.Leave(context.Background(), env.Client(), fluxobject.Named(kind, s.Name, "jobs")); err != nil {
				t.Error(err)
			}
		}
	})
	return s
}

// push pushes files and has Flux fetch them. It returns the revision.
func (s *tenant) push(content gitserver.Files) string {
	s.t.Helper()
	commit := s.jobs.Push(content)
	if _, err := fluxobject.Request(s.t.Context(), env.Client(), fluxobject.Named("GitRepository", s.Name, "jobs")); err != nil {
		s.t.Fatal(err)
	}
	return "main@sha1:" + commit
}

// job returns the manifest of an application as it stands in Git.
func (s *tenant) job(name string, change env.Change) string {
	return s.Manifest(env.Pi(name, s.Name, change))
}

// says waits until the Kustomization says this of a revision, with a message that has a part.
func (s *tenant) says(revision string, status metav1.ConditionStatus, reason, part string) {
	s.t.Helper()
	s.Await(fmt.Sprintf("the Kustomization to be %s/%s with %s", status, reason, revision), func() error {
		ready, attempted := s.verdict()
		if ready == nil || attempted != revision || ready.Status != status || ready.Reason != reason || !strings.Contains(ready.Message, part) {
			return fmt.Errorf("it is %+v with %s", ready, attempted)
		}
		return nil
	})
}

// verdict returns what the Kustomization says, and of which revision.
func (s *tenant) verdict() (*metav1.Condition, string) {
	s.t.Helper()
	var status struct {
		LastAttemptedRevision string `json:"lastAttemptedRevision"`
	}
	ready, err := fluxobject.Read(s.t.Context(), env.Client(), fluxobject.Named("Kustomization", s.Name, "jobs"), &status)
	if err != nil {
		s.t.Fatal(err)
	}
	return ready, status.LastAttemptedRevision
}

// TestSlowGitPushRunsSpark: what is pushed runs, and the Kustomization is ready at its good end; a failure fails it; what is removed
// from Git stops.
func TestSlowGitPushRunsSpark(t *testing.T) {
	s := newTenant(t)
	revision := s.push(gitserver.Files{"jobs/pi.yaml": s.job("pi", func(*v1alpha1.SparkApplicationSpec) {})})
	s.Reaches("pi", env.First, v1alpha1.RunningReason)
	if ready, _ := s.verdict(); ready == nil || ready.Status != metav1.ConditionUnknown {
		t.Errorf("while the job runs, the Kustomization is %+v", ready)
	}
	s.Reaches("pi", env.First, v1alpha1.SucceededReason)
	s.says(revision, metav1.ConditionTrue, "ReconciliationSucceeded", revision)
	if executors := s.Pods("pi", v1alpha1.SparkRoleExecutor); len(executors) == 0 {
		t.Error("the job had no executors")
	}

	broken := s.push(gitserver.Files{"jobs/broken.yaml": s.job("broken", env.Fail("3"))})
	s.Reaches("broken", env.First, v1alpha1.FailedReason)
	s.says(broken, metav1.ConditionFalse, "HealthCheckFailed", "SparkApplication/"+s.Name+"/broken status: 'Failed'")

	s.push(gitserver.Files{"jobs/broken.yaml": "", "jobs/long.yaml": s.job("long", env.Sleep("3600"))})
	s.Reaches("long", env.First, v1alpha1.RunningReason)
	removed := s.push(gitserver.Files{"jobs/long.yaml": ""})
	s.Gone("long")
	s.Gone("broken")
	s.GivenBack(s.Name)
	s.Await("the driver to end", func() error {
		if slices.ContainsFunc(s.Pods("long", v1alpha1.SparkRoleDriver), func(p env.Pod) bool { return !p.Gone }) {
			return fmt.Errorf("it is there")
		}
		return nil
	})
	s.says(removed, metav1.ConditionTrue, "ReconciliationSucceeded", removed)
	if stage := env.StageOf(s.Application("pi")); stage != v1alpha1.SucceededReason {
		t.Errorf("pi, which nobody has changed, is %s", stage)
	}
}
