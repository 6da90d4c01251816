// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package sparkctl

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	"sigs.k8s.io/yaml"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/offline"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// planned returns what sparkctl plan says of the files.
func (u user) planned(files ...string) offline.Plan {
	u.t.Helper()
	args := []string{"plan", "-o", "json"}
	for _, file := range files {
		args = append(args, "-f", file)
	}
	var plan offline.Plan
	if err := json.Unmarshal([]byte(u.sees(args)), &plan); err != nil {
		u.t.Fatal(err)
	}
	return plan
}

// TestPlanIsWhatHappens: what a plan says of a job, in which words, is what the operator says once it is applied; and a
// change of the queue lets those start of which the plan said so.
func TestPlanIsWhatHappens(t *testing.T) {
	t.Parallel()
	operator.Use(t)
	w := harness.NewWorld(t, "3Gi", nil)
	me := as(t, admin(), w.Namespace)
	w.Run(w.Apply("first"))

	second := w.Pi("second")
	file := manifest(t, second)
	me.sees(words("plan -f "+file), w.Namespace+"/second", "Created", "Absent", "Waiting", "1 Waiting")
	me.fails(3, words("plan --fail-on waiting -f "+file), "1 of what --fail-on names: waiting")
	me.fails(2, words("plan --fail-on wating -f "+file), "did you mean waiting?")
	plan := me.planned(file)
	if len(plan.Effects) != 1 || plan.Effects[0].After != offline.Waiting {
		t.Fatalf("the plan is %+v", plan)
	}
	harness.Create(t, second)
	harness.Eventually(t, second, "told to wait in the words of the plan", func(a *v1alpha1.SparkApplication) bool {
		admitted := apimeta.FindStatusCondition(a.Status.Conditions, v1alpha1.AdmittedCondition)
		return admitted != nil && admitted.Reason == plan.Effects[0].Reason && admitted.Message == plan.Effects[0].Message
	})
	if again := me.planned(file); len(again.Effects) > 0 {
		t.Errorf("what is applied already would do %+v", again.Effects)
	}

	larger := w.Queue.DeepCopy()
	larger.TypeMeta.Kind, larger.TypeMeta.APIVersion = v1alpha1.SparkQueueKind, v1alpha1.GroupVersion.String()
	larger.Spec.Flavors[0].Quotas[0].Nominal = resource.MustParse("6Gi")
	data, err := yaml.Marshal(larger)
	if err != nil {
		t.Fatal(err)
	}
	text, _, _ := strings.Cut(string(data), "status:\n")
	queue := filepath.Join(t.TempDir(), "queue.yaml")
	if err := os.WriteFile(queue, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	more := me.planned(queue)
	if len(more.Effects) != 1 || more.Effects[0].Name != "second" || more.Effects[0].Before != offline.Waiting || more.Effects[0].After != offline.Admitted {
		t.Errorf("a larger queue does %+v", more)
	}
	w.Apply("third") // the plan has changed nothing
	w.Reach(second, v1alpha1.QueuedReason)
}
