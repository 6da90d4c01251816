// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package gitops_test

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/gitops"
)

// How Flux itself takes these files is tested in test/gitops/flux.

// TestEnvironments: each environment has both jobs, with its own image, sizes and schedule.
func TestEnvironments(t *testing.T) {
	t.Parallel()
	type values struct {
		Image, ScheduledImage string
		Executors             int32
		Suspended             bool
	}
	for environment, want := range map[string]values{
		"staging":    {Image: "registry.example.com/etl:2.0.0-rc.1", ScheduledImage: "registry.example.com/etl:2.0.0-rc.1", Executors: 1, Suspended: true},
		"production": {Image: "registry.example.com/etl:1.9.3", ScheduledImage: "registry.example.com/etl:1.9.3", Executors: 4},
	} {
		t.Run(environment, func(t *testing.T) {
			t.Parallel()
			app, schedule := buildEnvironment(t, environment)
			var scheduled v1alpha1.SparkApplicationSpec
			if err := yaml.UnmarshalStrict(schedule.Spec.Template.Spec.Raw, &scheduled); err != nil {
				t.Fatal(err)
			}
			got := values{Image: app.Spec.Image, ScheduledImage: scheduled.Image, Executors: *app.Spec.Executor.Instances, Suspended: schedule.Spec.Suspend}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if app.Spec.Queue.Name != "team-a" || scheduled.Queue.Name != "team-a" {
				t.Error("the queue of the base is lost")
			}
		})
	}
}

// buildEnvironment builds an overlay as Flux does, and decodes its two jobs strictly.
func buildEnvironment(t *testing.T, environment string) (*v1alpha1.SparkApplication, *v1alpha1.ScheduledSparkApplication) {
	t.Helper()
	memory := filesys.MakeFsInMemory()
	err := fs.WalkDir(gitops.Flux, "flux/jobs", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := gitops.Flux.ReadFile(name)
		if err != nil {
			return err
		}
		return memory.WriteFile(path.Join("/", name), text)
	})
	if err != nil {
		t.Fatal(err)
	}
	built, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(memory, path.Join("/flux/jobs", environment))
	if err != nil {
		t.Fatalf("kustomize build: %v", err)
	}
	app, schedule := &v1alpha1.SparkApplication{}, &v1alpha1.ScheduledSparkApplication{}
	objects := map[string]any{v1alpha1.SparkApplicationKind: app, v1alpha1.ScheduledSparkApplicationKind: schedule}
	for _, resource := range built.Resources() {
		obj := objects[resource.GetKind()]
		if obj == nil {
			t.Fatalf("unexpected %s", resource.CurId())
		}
		text, err := resource.AsYAML()
		if err != nil {
			t.Fatal(err)
		}
		if err := yaml.UnmarshalStrict(text, obj); err != nil {
			t.Fatalf("%s: %v", resource.CurId(), err)
		}
		delete(objects, resource.GetKind())
	}
	if len(objects) > 0 {
		t.Fatalf("not in %s: %v", environment, objects)
	}
	return app, schedule
}

// TestTenantWaitsLongEnough: the shipped Kustomization waits longer than the shipped job may take, with its time in the queue.
// Otherwise a healthy run is reported as failed.
func TestTenantWaitsLongEnough(t *testing.T) {
	t.Parallel()
	text, err := gitops.Flux.ReadFile("flux/tenant.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var waits time.Duration
	for _, document := range strings.Split(string(text), "\n---\n") {
		var obj struct {
			Kind string
			Spec struct{ Timeout metav1.Duration }
		}
		if err := yaml.Unmarshal([]byte(document), &obj); err == nil && obj.Kind == "Kustomization" {
			waits = obj.Spec.Timeout.Duration
		}
	}
	app, _ := buildEnvironment(t, "production")
	const start, end, pause = 10 * time.Minute, 5 * time.Minute, time.Minute // the defaults of driverStart, termination and backoff
	longest := app.Spec.Timeouts.Total.Duration + time.Duration(*app.Spec.RestartPolicy.MaxAttempts)*(app.Spec.Timeouts.Admission.Duration+start+end+pause)
	if waits <= longest {
		t.Errorf("the Kustomization waits for %s, and the job may take %s", waits, longest)
	}
}

// TestNothingIsResumedByGit: no shipped manifest declares suspend: false, which would undo every suspension by hand.
func TestNothingIsResumedByGit(t *testing.T) {
	t.Parallel()
	for _, folder := range []string{".", "../examples", "../config"} {
		err := filepath.WalkDir(folder, func(name string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || filepath.Ext(name) != ".yaml" {
				return err
			}
			text, err := os.ReadFile(name)
			if strings.Contains(string(text), "suspend: false") {
				t.Errorf("%s declares suspend: false: leave it out", name)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestTenantsHaveNoOtherRights: a tenant's account of Flux may neither create pods nor hand out rights.
func TestTenantsHaveNoOtherRights(t *testing.T) {
	t.Parallel()
	text, err := gitops.Flux.ReadFile("flux/tenant.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var granted []string
	for _, document := range strings.Split(string(text), "\n---\n") {
		var obj struct {
			Kind     string                         `json:"kind"`
			Metadata struct{ Name string }          `json:"metadata"`
			RoleRef  struct{ Name string }          `json:"roleRef"`
			Subjects []struct{ Name string }        `json:"subjects"`
			Rules    []struct{ Resources []string } `json:"rules"`
		}
		if err := yaml.Unmarshal([]byte(document), &obj); err != nil {
			t.Fatal(err)
		}
		switch {
		case obj.Kind == "RoleBinding" && obj.Subjects[0].Name == "flux":
			granted = append(granted, obj.RoleRef.Name)
		case obj.Kind == "Role" && obj.Metadata.Name == "flux-inputs":
			granted = append(granted, obj.Rules[0].Resources...)
		}
	}
	if diff := cmp.Diff([]string{"sparkgate-edit", "sparkgate-view", "configmaps", "secrets", "flux-inputs"}, granted); diff != "" {
		t.Errorf("granted (-want +got):\n%s", diff)
	}
}

// TestEverythingIsAppliedAsAnAccount: where Flux gives what names no account the rights of --default-service-account, as README.md asks for,
// the platform's objects would be refused.
func TestEverythingIsAppliedAsAnAccount(t *testing.T) {
	t.Parallel()
	accounts := map[string]string{}
	for _, file := range []string{"platform", "tenant", "helm"} {
		text, err := gitops.Flux.ReadFile("flux/" + file + ".yaml")
		if err != nil {
			t.Fatal(err)
		}
		for _, document := range strings.Split(string(text), "\n---\n") {
			var obj struct {
				Kind     string                              `json:"kind"`
				Metadata struct{ Name string }               `json:"metadata"`
				Spec     struct{ ServiceAccountName string } `json:"spec"`
			}
			if err := yaml.Unmarshal([]byte(document), &obj); err != nil {
				t.Fatal(err)
			}
			if obj.Kind == "Kustomization" || obj.Kind == "HelmRelease" {
				accounts[obj.Kind+" "+obj.Metadata.Name] = obj.Spec.ServiceAccountName
			}
		}
	}
	if diff := cmp.Diff(map[string]string{
		"Kustomization sparkgate": "kustomize-controller", "Kustomization sparkgate-queues": "kustomize-controller",
		"Kustomization sparkgate-tenants": "kustomize-controller", "Kustomization jobs": "flux", "HelmRelease sparkgate": "helm-controller",
	}, accounts); diff != "" {
		t.Errorf("accounts (-want +got):\n%s", diff)
	}
}

// TestTenantsDriversAreThoseOfConfig: the account of drivers is the same as without Flux.
func TestTenantsDriversAreThoseOfConfig(t *testing.T) {
	t.Parallel()
	tenant, err := gitops.Flux.ReadFile("flux/tenant.yaml")
	if err != nil {
		t.Fatal(err)
	}
	shipped, err := os.ReadFile(filepath.Join("..", "config", "job-namespace", "spark.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if want := strings.ReplaceAll(string(shipped), "namespace: default", "namespace: team-a"); !strings.Contains(string(tenant), want) {
		t.Errorf("tenant.yaml does not have\n%s", want)
	}
}
