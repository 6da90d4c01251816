// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package offline_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/tools/offline"
)

// TestPlanPlacesWhatWaits: what waits in the cluster is placed in the flavors that its pods tolerate and select, which its
// status does not repeat.
func TestPlanPlacesWhatWaits(t *testing.T) {
	t.Parallel()
	const flavors = `apiVersion: sparkgate.io/v1alpha1
kind: SparkFlavor
metadata: {name: cpu}
spec: {nodeLabels: {pool: cpu}}
---
apiVersion: sparkgate.io/v1alpha1
kind: SparkFlavor
metadata: {name: gpu}
spec: {nodeLabels: {pool: gpu}, nodeTaints: [{key: gpu, value: "yes", effect: NoSchedule}]}
---
`
	queue := func(cpu, gpu int) string {
		return strings.Replace(queueManifest("q", 0), `{name: default, quotas: [{resource: cpu, nominal: "0"}]}`, fmt.Sprintf(
			`{name: cpu, quotas: [{resource: cpu, nominal: "%d"}]}, {name: gpu, quotas: [{resource: cpu, nominal: "%d"}]}`, cpu, gpu), 1)
	}
	onGPU := strings.NewReplacer("driver: {", "driver: {nodeSelector: {pool: gpu}, tolerations: [{key: gpu, operator: Exists}], ",
		"executor: {", "executor: {nodeSelector: {pool: gpu}, tolerations: [{key: gpu, operator: Exists}], ")
	parse := func(text string) (all []v1alpha1.SparkFlavor) {
		for manifest := range strings.SplitSeq(text, "---\n") {
			if manifest != "" {
				all = append(all, parsed[v1alpha1.SparkFlavor](t, manifest))
			}
		}
		return all
	}
	for name, tt := range map[string]struct {
		onGPU   bool
		flavors string
		files   string
		want    []string
	}{
		"more of the flavor that it selects":     {true, flavors, queue(0, 2), []string{"old Waiting→Admitted"}},
		"more of the other one":                  {true, flavors, queue(2, 1), nil},
		"flavors of the files":                   {true, "", flavors + queue(0, 2), []string{"old Waiting→Admitted"}},
		"it leaves the other one to another":     {true, flavors, queue(2, 1) + "---\n" + jobManifest("new", "q", ""), []string{"new Absent→Admitted"}},
		"it does not tolerate what it might use": {false, flavors, queue(1, 2), nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			manifest := jobManifest("old", "q", "")
			if tt.onGPU {
				manifest = onGPU.Replace(manifest)
			}
			cluster := offline.Live{
				Queues: []v1alpha1.SparkQueue{parsed[v1alpha1.SparkQueue](t, queue(1, 1))}, Flavors: parse(tt.flavors), Now: planTime,
				Applications: []v1alpha1.SparkApplication{live(t, manifest, waiting)},
			}
			plan, err := offline.NewPlan(cluster, []offline.File{{Name: "queues.yaml", Text: []byte(tt.files)}}, offline.PlanOptions{})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, e := range plan.Effects {
				if e.After != offline.Waiting && e.After != offline.Refused {
					got = append(got, fmt.Sprintf("%s %s→%s", e.Name, strings.Replace(string(e.Before), "Refused", "Waiting", 1), e.After))
				}
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got  %q\nwant %q\n%+v", got, tt.want, plan.Effects)
			}
		})
	}
}
