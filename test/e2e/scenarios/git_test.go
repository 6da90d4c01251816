// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/e2e/env"
)

func TestAJobAppliedBeforeWhatItNeedsGoesOnByItself(t *testing.T) {
	t.Parallel()
	s := env.New(t, 1)
	app := env.Pi("early", s.Name, env.Brief())
	app.Spec.SparkConfigMap = "spark-conf"
	s.Apply(app)
	missing := s.Reaches("early", env.First, v1alpha1.ReferenceNotFoundReason)
	checkMissing(t, missing, `ServiceAccount "spark"`, `ConfigMap "spark-conf"`)

	s.Admit()
	awaitMessage(s, "early", `ConfigMap "spark-conf"`, `ServiceAccount "spark"`)
	s.ApplyText("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: spark-conf}\ndata: {spark-defaults.conf: spark.ui.enabled false}\n")
	awaitMessage(s, "early", "queue "+s.Name, `ConfigMap "spark-conf"`)
	s.Apply(env.Queue(s.Name, "1", "3Gi"))
	s.Reaches("early", env.First, v1alpha1.SucceededReason)
}

// awaitMessage waits until the message of an application names one thing and no longer the other.
func awaitMessage(s *env.Namespace, name, one, other string) {
	s.Shows(name, fmt.Sprintf("naming %s and not %s", one, other), func(app *v1alpha1.SparkApplication) error {
		message := env.Condition(app, v1alpha1.ReadyCondition).Message
		if !strings.Contains(message, one) || strings.Contains(message, other) {
			return fmt.Errorf("it says: %s", message)
		}
		return nil
	})
}

// The same manifest, applied a hundred times, changes nothing.
func TestManifestAppliedAHundredTimes(t *testing.T) {
	t.Parallel()
	s := env.NewTenant(t, 1)
	queue := env.Queue(s.Name, "1", "3Gi")
	held := env.Queue(s.Name+"-held", "1", "3Gi")
	held.Spec.StopPolicy = v1alpha1.StopPolicyHold
	done, waiting := env.Pi("done", s.Name, env.Brief()), env.Pi("waiting", held.Name)
	s.Apply(queue, held)
	manifest := s.Manifest(done) + "---\n" + s.Manifest(waiting)
	s.ApplyAs("git", manifest)
	s.Becomes("done", v1alpha1.SucceededReason)
	s.Becomes("waiting", v1alpha1.QueuedReason)
	s.GivenBack(s.Name)

	before := map[string]string{"done": s.Application("done").ResourceVersion, "waiting": s.Application("waiting").ResourceVersion}
	s.ApplyAs("git", strings.Join(slices.Repeat([]string{manifest}, 100), "---\n"))
	// When the operator has processed one that came later, it has processed all of these.
	s.Apply(env.Pi("later", held.Name))
	s.Becomes("later", v1alpha1.QueuedReason)
	for name, version := range before {
		live := &v1alpha1.SparkApplication{}
		live.Namespace, live.Name = s.Name, name
		s.Read(live)
		if live.ResourceVersion != version {
			t.Errorf("%s has changed: resource version %s, was %s\n%s", name, live.ResourceVersion, version, s.Manifest(live))
		}
	}
}
