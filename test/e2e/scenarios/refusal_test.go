// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/e2e/env"
	"github.com/sparkgate/sparkgate/test/stories"
)

func TestAManifestThatCannotBeRightIsRefused(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		from, to string
		want     []string // field and what is allowed
	}{
		"a unit that Spark does not know": {"memory: 512m, service", "memory: 512Mx, service", []string{"spec.driver.memory", "512m or 4g"}},
		"a negative count":                {"instances: 2", "instances: -1", []string{"spec.executor.instances", "greater than or equal to"}},
		"no image":                        {"image: docker.io/sparkgate/spark:4.1", "", []string{"spec.image", "Required"}},
		"no main file":                    {"mainApplicationFile: local:///opt/spark/examples/pi.py", "", []string{"spec.mainApplicationFile", "Required"}},
		"an unknown field":                {"  driver: ", "  drivr: ", []string{`unknown field "spec.drivr"`}},
	}
	s := env.New(t, 0)
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			manifest := strings.Replace(stories.PiManifest, tt.from, tt.to, 1)
			if manifest == stories.PiManifest {
				t.Fatalf("the manifest has no %q", tt.from)
			}
			_, err := s.TryKubectl(manifest, "apply", "--filename", "-")
			if err == nil {
				t.Fatal("it was accepted")
			}
			for _, want := range tt.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("the message does not name %q: %v", want, err)
				}
			}
		})
	}
	if versions := s.Versions("pi"); len(versions) != 0 {
		t.Errorf("an application was stored all the same: %+v", versions[0].Spec)
	}
}

func TestATypoInATemplateIsNamedWithItsPath(t *testing.T) {
	t.Parallel()
	s := env.NewTenant(t, 0)
	s.Apply(env.Queue(s.Name, "1", "3Gi"))
	s.ApplyText(strings.NewReplacer("team-a", s.Name, "serviceAccountName: spark", `serviceAccountName: spark,
    template: {spec: {containers: [{name: spark-kubernetes-driver, imagee: docker.io/sparkgate/spark:4.1}]}}`).Replace(stories.PiManifest))
	app := s.Becomes("pi", v1alpha1.InvalidSpecReason)
	stalled := env.Condition(app, v1alpha1.StalledCondition)
	if stalled.Status != metav1.ConditionTrue || !strings.Contains(stalled.Message, "spec.driver.template.spec.containers[0].imagee") {
		t.Errorf("Stalled is %q with message %q, want True with the path of the typo", stalled.Status, stalled.Message)
	}
}
