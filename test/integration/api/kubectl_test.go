// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/stories"
)

const application = stories.PiManifest

const queue = `apiVersion: sparkgate.io/v1alpha1
kind: SparkQueue
metadata: {name: team-a}
spec:
  namespaceSelector: {}
  flavors:
  - name: default
    quotas:
    - {resource: cpu, nominal: "1", borrowingLimit: "1"}
    - {resource: memory, nominal: 3Gi}
`

const flavor = `apiVersion: sparkgate.io/v1alpha1
kind: SparkFlavor
metadata: {name: spot}
spec:
  nodeLabels: {pool: spot}
`

// valuesOfRules are values that the rules of a schema refuse.
var valuesOfRules = []string{"512Mx", "4Gi"}

// TestBadInputIsRefused does what people do wrong, with plain `kubectl apply`: it must fail, name the field and say what is allowed.
func TestBadInputIsRefused(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", 253)
	label := "lower-case letters, digits and '-'"
	tests := map[string]struct {
		manifest string
		old, new string
		words    []string
	}{
		"memory unit":              {application, "executor: {instances: 2, cores: 1, coreRequest: 200m, memory: 512m", "executor: {memory: 512Mx", []string{"spec.executor.memory", "512Mx", "512m or 4g"}},
		"memory as in Kubernetes":  {application, "memory: 512m, serviceAccountName", "memory: 4Gi, serviceAccountName", []string{"spec.driver.memory", "4Gi", "512m or 4g"}},
		"negative instances":       {application, "instances: 2", "instances: -1", []string{"spec.executor.instances", "-1", "greater than or equal to 1"}},
		"no image":                 {application, "  image: docker.io/sparkgate/spark:4.1\n", "", []string{"spec.image", "Required value"}},
		"empty image":              {application, "image: docker.io/sparkgate/spark:4.1", `image: ""`, []string{"spec.image", "at least 1 char"}},
		"no main file":             {application, "  mainApplicationFile: local:///opt/spark/examples/pi.py\n", "", []string{"spec.mainApplicationFile", "Required value"}},
		"no type":                  {application, "  type: Python\n", "", []string{"spec.type", "Required value"}},
		"unknown type":             {application, "type: Python", "type: python", []string{"spec.type", "python", `"Java", "Scala", "Python", "R"`}},
		"no spec":                  {application, application[strings.Index(application, "spec:"):], "", []string{"spec: Required value"}},
		"unknown field":            {application, "driver:", "drivr:", []string{`unknown field "spec.drivr"`}},
		"unknown field deep down":  {application, "serviceAccountName:", "serviceAccount:", []string{`unknown field "spec.driver.serviceAccount"`}},
		"version too short":        {application, "4.1.4", `"4.1"`, []string{"spec.sparkVersion", "such as 4.1.4"}},
		"arguments not a list":     {application, `["4"]`, `"4"`, []string{"spec.arguments", "array"}},
		"number as argument":       {application, `["4"]`, `[4]`, []string{"spec.arguments[0]", "string"}},
		"cores as a text":          {application, "driver:   {cores: 1", `driver:   {cores: "1"`, []string{"spec.driver.cores", "integer"}},
		"request without a number": {application, "driver:   {cores: 1, coreRequest: 200m", "driver:   {coreRequest: lots", []string{"spec.driver.coreRequest", "200m, 0.5 or 2"}},
		"long duration":            {application, "restartPolicy: {type: Never}", "timeouts: {run: 5 minutes}", []string{"spec.timeouts.run", "90s, 10m or 1h30m"}},
		"unknown gate":             {application, "{name: team-a}", "{gate: Slurm}", []string{"spec.queue.gate", `"Embedded", "Kueue", "Volcano", "YuniKorn", "None"`}},
		"queue name":               {application, "{name: team-a}", "{name: Team A}", []string{"spec.queue.name", "[A-Za-z0-9]"}},
		"name of 253 characters":   {application, "{name: pi}", "{name: " + long + "}", []string{"metadata.name", "at most 63 characters"}},
		"name with a dot":          {application, "{name: pi}", "{name: pi.v2}", []string{"metadata.name", label}},
		"queue: name with a dot":   {queue, "{name: team-a}", "{name: team.a}", []string{"metadata.name", label}},
		"queue: long name":         {queue, "{name: team-a}", "{name: " + long + "}", []string{"metadata.name", "at most 63 characters"}},
		"queue: negative nominal":  {queue, `nominal: "1"`, `nominal: "-1"`, []string{"spec.flavors[0].quotas[0].nominal", "zero or more"}},
		"queue: negative integer":  {queue, `nominal: "1"`, "nominal: -1", []string{"spec.flavors[0].quotas[0].nominal", "zero or more"}},
		"queue: negative limit":    {queue, `borrowingLimit: "1"`, "borrowingLimit: -1Gi", []string{"spec.flavors[0].quotas[0].borrowingLimit", "zero or more"}},
		"queue: unlimited quota":   {queue, "namespaceSelector: {}", "unlimited: true", []string{"set unlimited only where neither parent nor flavors is set"}},
		"queue: no nominal":        {queue, ", nominal: 3Gi", "", []string{"spec.flavors[0].quotas[1].nominal", "Required value"}},
		"queue: not a quantity":    {queue, "3Gi", "lots", []string{"spec.flavors[0].quotas[1].nominal", "lots"}},
		"queue: weight 0":          {queue, "namespaceSelector: {}", "weight: 0", []string{"spec.weight", "greater than or equal to 1"}},
		"queue: resource twice":    {queue, "resource: memory", "resource: cpu", []string{"spec.flavors[0].quotas[1]", "Duplicate value"}},
		"queue: unknown field":     {queue, "namespaceSelector: {}", "nameSpaceSelector: {}", []string{`unknown field "spec.nameSpaceSelector"`}},
		"flavor: the built-in one": {flavor, "{name: spot}", "{name: default}", []string{"choose another metadata.name", "built in"}},
		"flavor: name with a dot":  {flavor, "{name: spot}", "{name: a.b}", []string{"metadata.name", label}},
		"flavor: long name":        {flavor, "{name: spot}", "{name: " + long + "}", []string{"metadata.name", "at most 63 characters"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if !strings.Contains(tc.manifest, tc.old) {
				t.Fatalf("the manifest has no %q", tc.old)
			}
			out, err := env.KubectlWith(t, strings.Replace(tc.manifest, tc.old, tc.new, 1), "apply", "--dry-run=server", "-f", "-")
			if err == nil {
				t.Fatalf("accepted: %s", out)
			}
			for _, word := range tc.words {
				if slices.Contains(valuesOfRules, word) && strings.Contains(err.Error(), `Invalid value: "string"`) {
					continue // in Kubernetes 1.31 the type stands there
				}
				if !strings.Contains(err.Error(), word) {
					t.Errorf("the message does not have %q:\n%v", word, err)
				}
			}
		})
	}
	for name, manifest := range map[string]string{"application": application, "queue": queue, "flavor": flavor} {
		t.Run("good "+name, func(t *testing.T) {
			t.Parallel()
			if _, err := env.KubectlWith(t, manifest, "apply", "--dry-run=server", "-f", "-"); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestColumns(t *testing.T) {
	t.Parallel()
	ns := env.Namespace(t)
	app := smallest(ns, "columns")
	if err := env.Client().Create(t.Context(), app); err != nil {
		t.Fatal(err)
	}
	ready := metav1.Condition{Type: "Ready", Status: "Unknown", Reason: "Running", Message: "the driver runs", LastTransitionTime: metav1.Now()}
	app.Status = v1alpha1.SparkApplicationStatus{
		Queue: "team-a", Run: 3, Attempt: 2, Executors: &v1alpha1.ExecutorStatus{Wanted: 2, Ready: 1, Summary: "1/2"}, Conditions: []metav1.Condition{ready},
	}
	if err := env.Client().Status().Update(t.Context(), app); err != nil {
		t.Fatal(err)
	}
	q := &v1alpha1.SparkQueue{ObjectMeta: metav1.ObjectMeta{Name: "columns-" + ns}, Spec: v1alpha1.SparkQueueSpec{Parent: "root"}}
	if err := env.Client().Create(t.Context(), q); err != nil {
		t.Fatal(err)
	}
	ready.Status, ready.Reason, ready.Message = "True", "Active", "admits applications"
	q.Status = v1alpha1.SparkQueueStatus{Pending: 4, Admitted: 5, Share: "0.25", Conditions: []metav1.Condition{ready},
		Summary: map[string]string{"cpu": "0.6/1", "memory": "1Gi/3Gi", "nvidia.com/gpu": "2/4"}}
	if err := env.Client().Status().Update(t.Context(), q); err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct{ args, want string }{
		"application":       {"sgapp columns -n " + ns, "NAME READY STAGE QUEUE ATTEMPT EXECUTORS AGE | columns Unknown Running team-a 2 1/2 *"},
		"application, wide": {"sgapp columns -o wide -n " + ns, "NAME READY STAGE QUEUE RUN ATTEMPT EXECUTORS AGE MESSAGE | columns Unknown Running team-a 3 2 1/2 * the driver runs"},
		"queue":             {"sgq " + q.Name, "NAME READY PARENT PENDING ADMITTED AGE | " + q.Name + " True root 4 5 *"},
		"queue, wide":       {"sgq -o wide " + q.Name, "NAME READY PARENT PENDING ADMITTED CPU MEMORY GPU SHARE AGE MESSAGE | " + q.Name + " True root 4 5 0.6/1 1Gi/3Gi 2/4 0.25 * admits applications"},
		"full name":         {"sparkapplications.sparkgate.io columns -n " + ns, "NAME READY STAGE QUEUE ATTEMPT EXECUTORS AGE | columns Unknown Running team-a 2 1/2 *"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out, err := env.Kubectl(t, append([]string{"get"}, strings.Fields(tc.args)...)...)
			if err != nil {
				t.Fatal(err)
			}
			got := strings.Join(strings.Fields(strings.ReplaceAll(strings.TrimSpace(out), "\n", " | ")), " ")
			want := strings.ReplaceAll(regexp.QuoteMeta(tc.want), `\*`, `[0-9]+[smh]`)
			if !regexp.MustCompile("^" + want + "$").MatchString(got) {
				t.Errorf("kubectl get %s\n got %s\nwant %s", tc.args, got, tc.want)
			}
		})
	}
}

func TestCategory(t *testing.T) {
	t.Parallel()
	ns := env.Namespace(t)
	if err := env.Client().Create(t.Context(), smallest(ns, "one")); err != nil {
		t.Fatal(err)
	}
	out, err := env.Kubectl(t, "get", "sparkgate", "-A", "-o", "name")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out, "sparkapplication.sparkgate.io/one") {
		t.Errorf("kubectl get sparkgate lists:\n%s", out)
	}
}

// TestExplain reads what people read: each field of the spec with its type and a sentence that says what it does.
func TestExplain(t *testing.T) {
	t.Parallel()
	for plural := range kinds {
		t.Run(plural, func(t *testing.T) {
			t.Parallel()
			out, err := env.Kubectl(t, "explain", plural+".spec", "--api-version=sparkgate.io/v1alpha1")
			if err != nil {
				t.Fatal(err)
			}
			for name := range schemaOf(t, plural).Properties["spec"].Properties {
				field := regexp.MustCompile(`(?m)^  ` + name + `\t<[^>]+>( -required-)?\n(  enum: .*\n)?    ` + name + `\b`)
				if !field.MatchString(out) {
					t.Errorf("%s is not explained by a sentence that begins with its name:\n%s", name, out)
				}
			}
			if strings.Contains(out, "TODO") || strings.Contains(out, "kubebuilder") {
				t.Errorf("explain shows notes that are not for users:\n%s", out)
			}
		})
	}
}
