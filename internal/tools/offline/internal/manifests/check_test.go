// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package manifests

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
)

// TestCheck: what is said of a file, and at which line.
func TestCheck(t *testing.T) {
	t.Parallel()
	const right = `apiVersion: sparkgate.io/v1alpha1
kind: SparkApplication
metadata:
  name: pi
spec:
  type: Python
  sparkVersion: 4.1.4
  image: docker.io/apache/spark:4.1.4
  mainApplicationFile: local:///a.py
`
	for name, test := range map[string]struct {
		text    string
		want    []string
		checked int
	}{
		"right":       {text: right, checked: 1},
		"other kinds": {text: "apiVersion: v1\nkind: Pod\nspec: 1\n---\n# nothing\n---\njust text\n---\n- a list\n---\nimage: {tag: 1}\n"},
		"a name that is a number": {
			text: strings.Replace(right, "name: pi", "name: 20260101", 1), checked: 1,
			want: []string{"f.yaml:4: SparkApplication: metadata.name: expected a string (in quotes), found an integer: 20260101"},
		},
		"a name that the API server makes": {text: strings.Replace(right, "name: pi", "generateName: pi-", 1), checked: 1},
		"no name": {
			text: strings.Replace(right, "name: pi", "labels: {}", 1), checked: 1, want: []string{`f.yaml:3: SparkApplication: metadata.name: invalid name ""`},
		},
		"keys twice": {
			text: right + "  image: b\n  type: Java\n",
			want: []string{`f.yaml:10: the document cannot be read: yaml: unmarshal errors: line 10: key "image" already set in map; line 11: key "type" already set in map`},
		},
		"another operator's kind of the same name": {text: "apiVersion: sparkoperator.k8s.io/v1beta2\nkind: SparkApplication\n"},
		"unknown field": {
			text: right + "  driver:\n    memroy: 1g\n", checked: 1,
			want: []string{`f.yaml:11: SparkApplication pi: spec.driver.memroy: unknown field "memroy": write memory, or remove it`},
		},
		"values of the wrong kind, and fields that do not exist": {
			text: strings.Replace(right, "type: Python", "type: [Python]", 1) + "  arguments: [a, 1]\n  driver:\n    env:\n    - {name: A, value: 1, valeu: b}\n", checked: 1,
			want: []string{
				"f.yaml:6: SparkApplication pi: spec.type: expected a string (in quotes), found a list: [",
				"f.yaml:10: SparkApplication pi: spec.arguments[1]: expected a string (in quotes), found an integer: 1",
				"f.yaml:13: SparkApplication pi: spec.driver.env[0].value: expected a string (in quotes), found an integer: 1",
				`f.yaml:13: SparkApplication pi: spec.driver.env[0].valeu: unknown field "valeu": write value, or remove it`,
			},
		},
		"larger than the operator keeps": {
			text: right + "  arguments: [" + strings.Repeat("a", 100_000) + "]\n  sparkConf: {spark.a: " + strings.Repeat("a", 60_000) +
				", spark.b: " + strings.Repeat("a", 60_000) + ", spark.c: " + strings.Repeat("a", 60_000) + "}\n", checked: 1,
			want: []string{"f.yaml:5: SparkApplication pi: spec: metadata and spec take 280200 bytes as JSON, of at most 262144 together: put large files into"},
		},
		"a schedule that is larger than the operator keeps": {
			text: scheduled(right + "  driver:\n    template: {metadata: {annotations: {a: " + strings.Repeat("a", 300_000) + "}}}\n"), checked: 1,
			want: []string{"f.yaml:5: ScheduledSparkApplication nightly: spec: metadata and spec take 300264 bytes as JSON, of at most 262144 together"},
		},
		"one field that the schema bounds": {
			text: right + "  arguments: [" + strings.Repeat("a", 100_000) + ", " + strings.Repeat("b", 100_000) + "]\n", checked: 1,
			want: []string{"f.yaml:10: SparkApplication pi: spec.arguments: value ["},
		},
		"fields of kubeflow's operator": {
			text: right + "  mode: cluster\n  volumes: []\n  driver:\n    serviceAccount: spark\n    sidecars: []\n  executor:\n    serviceAccount: spark\n    lifecycle: {}\n" +
				"  restartPolicy:\n    onFailureRetries: 3\n", checked: 1,
			want: []string{
				`f.yaml:10: SparkApplication pi: spec.mode: unknown field "mode": remove it: drivers always run in the cluster`,
				`f.yaml:11: SparkApplication pi: spec.volumes: unknown field "volumes": move it to driver.volumes and executor.volumes`,
				`f.yaml:13: SparkApplication pi: spec.driver.serviceAccount: unknown field "serviceAccount": write serviceAccountName`,
				`f.yaml:14: SparkApplication pi: spec.driver.sidecars: unknown field "sidecars": move it to template.spec.initContainers, each with`,
				`f.yaml:16: SparkApplication pi: spec.executor.serviceAccount: unknown field "serviceAccount": set spark.kubernetes.authenticate.executor.`,
				`f.yaml:17: SparkApplication pi: spec.executor.lifecycle: unknown field "lifecycle": move it to template.spec.containers, into an entry named spark-kubernetes-executor`,
				`f.yaml:19: SparkApplication pi: spec.restartPolicy.onFailureRetries: unknown field "onFailureRetries": write maxAttempts, which also`,
			},
		},
		"a schedule of kubeflow's operator": {
			text: strings.NewReplacer("    spec:\n", "", "      ", "    ").Replace(scheduled(right)) + "    volumes: []\n  failedRunHistoryLimit: 2\n", checked: 1,
			want: []string{
				`f.yaml:8: ScheduledSparkApplication nightly: spec.template.spec: the field is required`,
				`f.yaml:9: ScheduledSparkApplication nightly: spec.template.type: unknown field "type": move it to spec.template.spec`,
				`f.yaml:10: ScheduledSparkApplication nightly: spec.template.sparkVersion: unknown field "sparkVersion": move it to spec.template.spec`,
				`f.yaml:11: ScheduledSparkApplication nightly: spec.template.image: unknown field "image": move it to spec.template.spec`,
				`f.yaml:12: ScheduledSparkApplication nightly: spec.template.mainApplicationFile: unknown field "mainApplicationFile": move it to spec.template.spec`,
				`f.yaml:13: ScheduledSparkApplication nightly: spec.template.volumes: unknown field "volumes": move it to spec.template.spec`,
				`f.yaml:14: ScheduledSparkApplication nightly: spec.failedRunHistoryLimit: unknown field "failedRunHistoryLimit": write failedHistoryLimit`,
			},
		},
		"second document, with several mistakes": {
			text: "# first\n---\n" + right + "  executor:\n    cores: 1025\n  sparkConf:\n    spark.a: \"1\"\n    spark.master: 1\n  driver: {core: 1}\n", checked: 1,
			want: []string{
				"f.yaml:13: SparkApplication pi: spec.executor.cores: value 1025 is too large: set at most 1024",
				"f.yaml:16: SparkApplication pi: spec.sparkConf[spark.master]: expected a string (in quotes), found an integer: 1",
				`f.yaml:17: SparkApplication pi: spec.driver.core: unknown field "core": write cores, or remove it`,
			},
		},
		"what the operator owns": {
			text: right + "  sparkConf:\n    spark.a: \"1\"\n    spark.master: local\n", checked: 1,
			want: []string{
				"f.yaml:12: SparkApplication pi: spec.sparkConf[spark.master]: value \"local\" cannot be set because the operator owns this property: " +
					"remove it: drivers always use the cluster that they run in",
			},
		},
		"in a template": {
			text: right + "  driver:\n    template:\n      spec:\n        containers:\n        - name: a\n          imagee: b\n", checked: 1,
			want: []string{`f.yaml:15: SparkApplication pi: spec.driver.template.spec.containers[0].imagee: unknown field "imagee": write image, or remove it`},
		},
		"a schedule": {text: scheduled(right), checked: 1},
		"a schedule in minutes that no hour has": {text: strings.Replace(scheduled(right), `"@daily"`, "'*/90 * * * *'", 1), checked: 1, want: []string{
			`f.yaml:6: warning: ScheduledSparkApplication nightly: spec.schedule: value "*/90 * * * *" is due once an hour, at minute 0, because no minute is that far: for a longer interval, write it as in @every 90m`,
		}},
		"a schedule with both days": {text: strings.Replace(scheduled(right), `"@daily"`, "'0 2 1  * 1'", 1), checked: 1, want: []string{
			`f.yaml:6: warning: ScheduledSparkApplication nightly: spec.schedule: value "0 2 1  * 1" is due on each day that one of day of month and day of week names, ` +
				`not only on days that both name: write * for one of them`,
		}},
		"a schedule with a sign of another cron": {text: strings.Replace(scheduled(right), `"@daily"`, "'0 2 L * *'", 1), checked: 1, want: []string{
			`f.yaml:6: ScheduledSparkApplication nightly: spec.schedule: value "0 2 L * *": the day of month "L" is not valid: use 1-31, ranges a-b, steps */n and lists a,b`,
		}},
		"a namespace that was not filled in": {text: strings.Replace(right, "  name: pi\n", "  name: pi\n  namespace: ${NS}\n", 1), checked: 1, want: []string{
			"f.yaml:5: SparkApplication pi: metadata.namespace: invalid namespace \"${NS}\": use at most 63 lower-case letters, digits and '-', beginning and ending with a letter or digit",
		}},
		"a schedule that never fires, and its template": {
			text: strings.NewReplacer("@daily", "0 0 30 2 *", "Europe/Zurich", "UTC", "type: Python", "type: Pyton").Replace(scheduled(right)), checked: 1,
			want: []string{
				`f.yaml:6: ScheduledSparkApplication nightly: spec.schedule: value "0 0 30 2 *": it never fires: no year has such a day; choose another day of month or month`,
				`f.yaml:10: ScheduledSparkApplication nightly: spec.template.spec.type: value "Pyton" is not known: set Java, Scala, Python or R`,
			},
		},
		"a schedule in a zone that does not exist, and a field of its template": {
			text: strings.Replace(scheduled(right), "Europe/Zurich", "Europe/Zurick", 1) + "      executer: {}\n", checked: 1,
			want: []string{
				`f.yaml:7: ScheduledSparkApplication nightly: spec.timeZone: value "Europe/Zurick": it is not in the IANA time zone database: write a name such as Europe/Zurich or America/New_York, or UTC`,
				`f.yaml:14: ScheduledSparkApplication nightly: spec.template.spec.executer: unknown field "executer": write executor, or remove it`,
			},
		},
		"a schedule of which some runs cannot start": {
			text: strings.Replace(scheduled(right), "schedule:", "startingDeadline: 0s\n  schedule:", 1) + "      driver: {podName: nightly-driver}\n", checked: 1,
			want: []string{
				`f.yaml:6: warning: ScheduledSparkApplication nightly: spec.startingDeadline: a run that starts later than 0s is missed, and one may when another ` +
					`operator takes over: set 10s or more, or remove it`,
				`f.yaml:15: warning: ScheduledSparkApplication nightly: spec.template.spec.driver.podName: each run is an application of its own, and cannot start while ` +
					`a driver of that name is kept of the run before (retention): remove it`,
			},
		},
		"a schedule of which past times are requested": {text: strings.Replace(scheduled(right), "name: nightly", `name: nightly
  annotations: {sparkgate.io/run-for: "2026-11-23 2026-11-24T00:00"}`, 1), checked: 1},
		"… one of which it does not have": {
			text: strings.Replace(scheduled(right), "name: nightly", `name: nightly
  annotations:
    sparkgate.io/run-for: "2026-11-23T02:30"`, 1), checked: 1,
			want: []string{`f.yaml:6: warning: ScheduledSparkApplication nightly: metadata.annotations[sparkgate.io/run-for]: 2026-11-23T02:30:00+01:00 is not a time of the schedule: ` +
				`choose 2026-11-23T00:00:00+01:00 or 2026-11-24T00:00:00+01:00`},
		},
		"a schedule whose template would wait for another version": {
			text: strings.Replace(scheduled(right), "sparkVersion: 4.1.4", "sparkVersion: 4.9.0", 1), checked: 1,
			want: []string{`f.yaml:11: ScheduledSparkApplication nightly: spec.template.spec.sparkVersion: value "4.9.0" is not honoured by this version yet: `},
		},
		"an amount that would wrap": {
			text: right + "  driver:\n    template:\n      spec:\n        containers:\n        - name: a\n          resources: {requests: {memory: \"9223372036854775807\"}}\n", checked: 1,
			want: []string{`f.yaml:15: SparkApplication pi: spec.driver.template.spec.containers[0].resources.requests.memory: value "9223372036854775807" is above 8Pi, the most that is counted: set less`},
		},
		"cores that would wrap": {
			text: right + "  executor:\n    coreRequest: \"10000000000000000\"\n", checked: 1,
			want: []string{`f.yaml:11: SparkApplication pi: spec.executor.coreRequest: value "10000000000000000" is above 9007199254740992m, the most that is counted: set less`},
		},
		"a quota that would wrap": {
			text:    "apiVersion: sparkgate.io/v1alpha1\nkind: SparkQueue\nmetadata: {name: team-a}\nspec:\n  flavors:\n  - name: default\n    quotas:\n    - {resource: cpu, nominal: \"1e16\"}\n",
			checked: 1,
			want:    []string{`f.yaml:8: SparkQueue team-a: spec.flavors[0].quotas[0].nominal: value "10e15" is above 9007199254740992m, the most that is counted: set less`},
		},
		"wrong kind of a value": {
			text: strings.Replace(right, "type: Python", "type: [Python]", 1), checked: 1,
			want: []string{`f.yaml:6: SparkApplication pi: spec.type: expected a string (in quotes), found a list: ["Python"]`},
		},
		"not honoured yet": {
			text: strings.Replace(right, "sparkVersion: 4.1.4", "sparkVersion: 4.9.0", 1), checked: 1,
			want: []string{`f.yaml:7: warning: SparkApplication pi: spec.sparkVersion: value "4.9.0" is not honoured by this version yet: use an image with Spark 3.5, 4.0, 4.1, 4.2 or 4.3 and set its version`},
		},
		"key in brackets": {
			text: right + "  driver:\n    labels:\n      a: b\n      spark-role: x\n", checked: 1,
			want: []string{"f.yaml:13: SparkApplication pi: spec.driver.labels[spark-role]: "},
		},
		"status is not looked at": {text: right + "status: {nothing: 1}\n", checked: 1},
		"version of the API": {
			text: strings.Replace(right, "v1alpha1", "v1", 1), checked: 1,
			want: []string{`f.yaml:1: SparkApplication pi: apiVersion: value "sparkgate.io/v1" is not known: set sparkgate.io/v1alpha1`},
		},
		"kind": {
			text: strings.Replace(right, "SparkApplication", "SparkAplication", 1), checked: 1,
			want: []string{`f.yaml:2: SparkAplication pi: kind: unknown kind "SparkAplication" in sparkgate.io`},
		},
		"list": {
			text: "kind: List\nitems:\n- apiVersion: sparkgate.io/v1alpha1\n  kind: SparkFlavor\n  metadata:\n    name: default\n", checked: 1,
			want: []string{"f.yaml:6: SparkFlavor default: metadata.name: "},
		},
		"list of a kind, as clients write it": {
			text:    "apiVersion: sparkgate.io/v1alpha1\nkind: SparkFlavorList\nitems:\n- metadata:\n    name: default\n- apiVersion: v1\n  kind: ConfigMap\n- 1\n",
			checked: 1, want: []string{"f.yaml:5: SparkFlavor default: metadata.name: "},
		},
		"a directive": {
			text: "# Of ours.\n%YAML 1.2\n---\n" + right + "  nothing: 1\n", checked: 1, want: []string{
				"f.yaml:2: the document cannot be read: neither kubectl nor Flux nor Argo CD reads a file with the directive %YAML: remove the line",
				`f.yaml:13: SparkApplication pi: spec.nothing: unknown field "nothing"`,
			},
		},
		"text behind the line between documents": {
			text: right + "--- # the next\n" + right + "--- {a: b}\n", checked: 2,
			want: []string{`f.yaml:20: the document cannot be read: neither kubectl nor Flux nor Argo CD reads text behind ---: begin a new line`},
		},
		"no YAML": {text: right + "---\na: b: c\n---\n" + right, checked: 2, want: []string{"f.yaml:11: the document cannot be read: "}},
		"a key twice": {
			text: right + "  image: x\n", want: []string{"f.yaml:10: the document cannot be read: "},
		},
		"queue": {
			text:    "apiVersion: sparkgate.io/v1alpha1\nkind: SparkQueue\nmetadata: {name: q}\nspec:\n  flavors:\n  - name: default\n    quotas:\n    - resource: cpu\n      nominal: 1\n      lendingLimit: 1\n",
			checked: 1, want: []string{`f.yaml:10: SparkQueue q: spec.flavors[0].quotas[0].lendingLimit: "1" limits nothing, because a queue without spec.parent has no queue to lend to`},
		},
		"a fraction as a number": {
			text:    "apiVersion: sparkgate.io/v1alpha1\nkind: SparkQueue\nmetadata: {name: q}\nspec:\n  parent: p\n  flavors:\n  - name: default\n    quotas:\n    - {resource: cpu, nominal: 1, borrowingLimit: 0.5}\n",
			checked: 1, want: []string{`f.yaml:9: SparkQueue q: spec.flavors[0].quotas[0].borrowingLimit: expected a whole number or a string (in quotes), found a number: 0.5; write "0.5"`},
		},
		"hooks of Helm": {
			text: strings.Replace(right, "metadata:", "metadata:\n  annotations: {helm.sh/hook: test}", 1) +
				"---\napiVersion: sparkgate.io/v1alpha1\nkind: SparkFlavor\nmetadata: {name: spot, annotations: {helm.sh/hook: pre-upgrade}}\n", checked: 2,
			want: []string{
				"f.yaml:4: warning: SparkApplication pi: metadata.annotations[helm.sh/hook]: Helm waits for the end of Jobs and Pods only, so a hook of the kind SparkApplication " +
					"succeeds as soon as it is created, whatever becomes of it: make the hook a Job that runs sparkctl rerun pi --wait, or install",
				"f.yaml:14: warning: SparkFlavor spot: metadata.annotations[helm.sh/hook]: Helm waits for the end of Jobs and Pods only, so a hook of the kind SparkFlavor",
			},
		},
		"a queue that admits no namespace": {
			text: queueBelow("closed", "p") + strings.Replace(queueBelow("open", "p"), "spec: {", "spec: {namespaceSelector: {}, ", 1) +
				right + "  queue: {name: closed}\n---\n" + right + "  queue: {name: closed, gate: Kueue}\n---\n" + right + "  queue: {name: open}\n", checked: 5,
			want: []string{"f.yaml:20: warning: SparkApplication pi: spec.queue.name: queue closed admits no namespace: it has no namespaceSelector; set that in the queue"},
		},
		"queues that are above each other": {
			text: queueBelow("a", "b") + queueBelow("b", "c") + queueBelow("c", "b") + queueBelow("d", "d") + queueBelow("e", "absent"), checked: 5,
			want: []string{
				"f.yaml:9: SparkQueue b: spec.parent: queue b is its own ancestor (b → c → b), and queues of a cycle admit nothing: change one of their parents",
				"f.yaml:19: SparkQueue d: spec.parent: queue d is its own ancestor (d → d)",
			},
		},
		"JSON": {
			text:    `{"apiVersion": "sparkgate.io/v1alpha1", "kind": "SparkFlavor", "metadata": {"name": "a"}, "spec": {"nodeLabels": {"a": 1}}}`,
			checked: 1, want: []string{"f.yaml:1: SparkFlavor a: spec.nodeLabels[a]: expected a string (in quotes), found an integer: 1"},
		},
		"conf folder from the files": {
			text: "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {spark-defaults.conf: spark.master local}\n---\n" + right + "  sparkConfigMap: c\n",
			want: []string{"f.yaml:15: SparkApplication pi: spec.sparkConfigMap[spark.master]: "}, checked: 1,
		},
		"half of it in a conf folder that is not among the files": {
			text: right + "  sparkConfigMap: c\n  dynamicAllocation: {enabled: true}\n", checked: 1,
			want: []string{
				"f.yaml:10: warning: SparkApplication pi: spec.sparkConfigMap: the ConfigMap c is not among the files, and its properties may be what is missing here: also name its file",
				"f.yaml:11: SparkApplication pi: spec.dynamicAllocation.maxExecutors: value is absent",
			},
		},
		"half of it, and a conf folder without files": {
			text: "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n---\n" + right + "  sparkConfigMap: c\n  dynamicAllocation: {enabled: true}\n", checked: 1,
			want: []string{"f.yaml:15: SparkApplication pi: spec.dynamicAllocation.maxExecutors: value is absent"},
		},
		"the other half in a conf folder among the files": {
			text: "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {spark-defaults.conf: spark.dynamicAllocation.maxExecutors 4}\n---\n" + right +
				"  sparkConfigMap: c\n  dynamicAllocation: {enabled: true}\n", checked: 1,
		},
		"property that is almost one of Spark's": {
			text: right + "  sparkConf:\n    spark.sql.shuffle.partition: \"8\"\n", checked: 1,
			want: []string{"f.yaml:11: warning: SparkApplication pi: spec.sparkConf[spark.sql.shuffle.partition]: Spark has no property spark.sql.shuffle.partition: " +
				"did you mean spark.sql.shuffle.partitions?"},
		},
		"secret of the wrong kind": {
			text: right + "  sparkConf:\n    spark.password: 12345\n", checked: 1,
			want: []string{"f.yaml:11: SparkApplication pi: spec.sparkConf[spark.password]: expected a string (in quotes), found an integer: (hidden)"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			objects, findings := Read("f.yaml", []byte(test.text))
			found, checked, err := Check(objects)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range append(findings, found...) {
				got = append(got, f.String())
			}
			if checked != test.checked {
				t.Errorf("%d objects were checked, want %d", checked, test.checked)
			}
			if len(got) != len(test.want) {
				t.Fatalf("findings:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(test.want, "\n"))
			}
			for i, want := range test.want {
				if !strings.HasPrefix(got[i], want) {
					t.Errorf("finding %q, want %q", got[i], want)
				}
			}
		})
	}
}

// TestRefusedByOthers: what is refused because others do not read it, their decoder refuses.
func TestRefusedByOthers(t *testing.T) {
	t.Parallel()
	for text, refused := range map[string]bool{
		"%YAML 1.2\n---\na: b\n": true, "a: b\n--- {c: d}\n": true, "--- |\n  a\n": true, "--- # comment\na: b\n": false, "---\na: b\n---\n": false, "a: '%b'\n": false,
	} {
		_, findings := Read("f.yaml", []byte(text))
		var err error
		for theirs := utilyaml.NewYAMLOrJSONDecoder(strings.NewReader(text), 4096); err == nil; {
			err = theirs.Decode(&map[string]any{})
		}
		if ours, theirs := len(findings) > 0, !errors.Is(err, io.EOF); ours != refused || theirs != refused {
			t.Errorf("%q is refused: here %t, by others %t (%v), want %t", text, ours, theirs, err, refused)
		}
	}
}

// FuzzRead: whatever is in a file, reading and checking it comes to an end.
func FuzzRead(f *testing.F) {
	f.Add("apiVersion: sparkgate.io/v1alpha1\nkind: SparkApplication\nspec: {driver: {template: {spec: {containers: [1]}}}}\n")
	f.Add("apiVersion: sparkgate.io/v1alpha1\nkind: SparkQueue\nmetadata: 1\nspec: {flavors: [{quotas: null}]}\n---\n- a\n")
	f.Fuzz(func(t *testing.T, text string) {
		objects, _ := Read("f.yaml", []byte(text))
		if _, _, err := Check(objects); err != nil {
			t.Error(err)
		}
	})
}

// scheduled returns a schedule of an application.
func scheduled(application string) string {
	_, spec, _ := strings.Cut(application, "spec:\n")
	return `apiVersion: sparkgate.io/v1alpha1
kind: ScheduledSparkApplication
metadata:
  name: nightly
spec:
  schedule: "@daily"
  timeZone: Europe/Zurich
  template:
    spec:
` + strings.ReplaceAll("    "+strings.TrimSuffix(spec, "\n"), "\n", "\n    ") + "\n"
}

// queueBelow returns the document of a queue with a parent.
func queueBelow(name, parent string) string {
	return fmt.Sprintf("apiVersion: sparkgate.io/v1alpha1\nkind: SparkQueue\nmetadata: {name: %s}\nspec: {parent: %s}\n---\n", name, parent)
}

// TestFindingsShowNoPasswords: what the schema refuses is reported without the password in it.
func TestFindingsShowNoPasswords(t *testing.T) {
	t.Parallel()
	const manifest = `apiVersion: sparkgate.io/v1alpha1
kind: SparkApplication
metadata: {name: pi}
spec:
  type: "https://ci:hunter2@nexus/x"
  sparkVersion: "password=hunter2"
  image: spark
  mainApplicationFile: "https://ci:hunter2@nexus/a b.py"
  deps: {repositories: ["https://ci:hunter2@nexus/a b"], jars: ["ci:hunter2@nexus", "https://ci:hunter2@nexus/ä b"]}
`
	objects, _ := Read("pi.yaml", []byte(manifest))
	found, _, err := Check(objects)
	if err != nil || len(found) < 2 {
		t.Fatalf("%v, %v", found, err)
	}
	for _, f := range found {
		if strings.Contains(f.String(), "hunter2@") || strings.Contains(f.String(), "=hunter2") {
			t.Error(f)
		}
	}
}
