// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/spark/conf"
)

// spec is a piece of YAML that is laid over the spec of a small Java application.
type spec string

// application creates the application.
func (s spec) application(t testing.TB) *v1alpha1.SparkApplication {
	t.Helper()
	app := &v1alpha1.SparkApplication{
		ObjectMeta: metav1.ObjectMeta{Name: "pi", Namespace: "jobs", UID: "u"},
		Spec: v1alpha1.SparkApplicationSpec{
			Type: v1alpha1.JavaApplication, SparkVersion: "4.1.4", Image: "spark:4.1", MainClass: "org.example.Main", MainApplicationFile: "local:///pi.jar",
		},
	}
	if err := yaml.UnmarshalStrict([]byte(s), &app.Spec); err != nil {
		t.Fatalf("%s: %v", s, err)
	}
	return app
}

// texts prints findings as they are reported; findings of the reason NotYetSupported begin with a star.
func texts(findings []Finding) []string {
	var texts []string
	for _, finding := range findings {
		star := ""
		if finding.Reason == v1alpha1.NotYetSupportedReason {
			star = "* "
		}
		texts = append(texts, star+finding.String())
	}
	return texts
}

// table is a piece of a spec and the findings that it makes.
type table map[string]struct {
	spec spec
	want []string
}

// run checks every row.
func (table table) run(t *testing.T) {
	t.Helper()
	for name, row := range table {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(row.want, texts(Application(row.spec.application(t)))); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
}

func TestNothingIsFound(t *testing.T) {
	t.Parallel()
	table{
		"the smallest application": {spec: ""},
		"everything at its default": {spec: `
restartPolicy: {type: Never, maxAttempts: 5, backoff: {initial: 1s}, resetAfter: 2h}
retention: {policy: Always, duration: 1h}
timeouts: {driverStart: 20s, termination: 1m, executorStart: 30m}
readyWhen: Succeeded
podDisruptionBudget: None
podSecurity: Restricted
suspend: true
onTemplateChange: Ignore
runID: again
monitoring: {}
ui: {}
queue: {name: team-a, gate: Embedded, minExecutors: 1, priorityClassName: high, flavors: {driver: [default], executor: [default]}, volcano: {waitForInqueue: true}}`},
		"the gate None": {spec: "queue: {gate: None}"},
		"queue":         {spec: "queue: {flavors: {driver: [spot], executor: [default, spot]}, volcano: {waitForInqueue: false}}"},
		"all that is honoured": {spec: `
imagePullPolicy: Never
imagePullSecrets: [regcred]
proxyUser: alice
sparkConf: {spark.sql.shuffle.partitions: "7", spark.eventLog.dir: "s3a://logs"}
hadoopConf: {fs.s3a.endpoint: x}
sparkConfigMap: spark-conf
hadoopConfigMap: hadoop.site
podDisruptionBudget: Driver
driverService: {ports: [{name: connect, port: 15002}]}
ui:
  serviceMetadata: {labels: {team: data}, annotations: {external-dns.alpha.kubernetes.io/hostname: "{{name}}.example.org"}}
  ingress: {className: nginx, host: "{{name}}.example.org", path: "/{{namespace}}(/|$)(.*)", tlsSecretName: "{{name}}-tls", annotations: {a/b: "{{name}}"}}
  route: {parentRefs: [{name: public, namespace: gateways, sectionName: https}], hostname: spark.example.org, path: "/{{namespace}}"}
deps: {jars: ["local:///a.jar"], files: ["https://h/f#x"], packages: ["g:a:1"], excludePackages: ["g:b"], repositories: ["https://r"]}
memoryOverheadFactor: "0.2"
driver: &role
  cores: 2
  coreRequest: 500m
  coreLimit: "2"
  memory: 1g
  memoryOverhead: 400m
  javaOptions: -Dx=y -XX:+UseG1GC
  labels: {team: data, id: "{{APP_ID}}"}
  annotations: {Example.com/Note: "any text: {{APP_ID}}"}
  env: [{name: A, value: b}]
  gpu: {name: nvidia.com/gpu, quantity: 1}
  volumes: [{name: scratch, emptyDir: {}}]
  volumeMounts: [{name: scratch, mountPath: /scratch}]
  nodeSelector: {disk: ssd}
  tolerations: [{operator: Exists}]
  affinity: {podAntiAffinity: {}}
  template: {spec: {containers: [{name: main}, {name: logs, image: x}]}}
executor: *role
dynamicAllocation: {enabled: true, minExecutors: 1, initialExecutors: 2, maxExecutors: 5, shuffleTrackingTimeout: 10m}`},
	}.run(t)
}

func TestSourcesBesideTheApplication(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		sources conf.Sources
		want    []string
	}{
		"all is well": {conf.Sources{ConfigMap: map[string]string{"spark-defaults.conf": "spark.driver.memory 2g", "log4j2.properties": "x"}}, nil},
		"an owned key in the file": {
			conf.Sources{ConfigMap: map[string]string{"spark-defaults.conf": "spark.master local"}},
			[]string{`spec.sparkConfigMap[spark.master]: value "local" cannot be set because the operator owns this property: ` +
				`remove it: drivers always use the cluster that they run in`},
		},
		"a wrong value in the file": {
			conf.Sources{ConfigMap: map[string]string{"spark-defaults.conf": "spark.driver.memory 2Gi"}},
			[]string{`spec.sparkConfigMap[spark.driver.memory]: value "2Gi" is passed to Java as it is written, ` +
				`which reads only the units k, m, g and t: set 2g`},
		},
		"a wrong value of the namespace": {
			conf.Sources{Namespace: map[string]string{"spark.ui.enabled": "yes"}},
			[]string{`defaults of the namespace[spark.ui.enabled]: value "yes" is neither true nor false: set true or false`},
		},
		"files that are too large": {
			conf.Sources{ConfigMap: map[string]string{"a.txt": strings.Repeat("a", 600_000), "b.txt": strings.Repeat("b", 500_000), "c": "x"}},
			[]string{"spec: the files of an attempt have 1101"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := texts(Submission(spec("sparkConfigMap: c").application(t), test.sources))
			if len(got) != len(test.want) {
				t.Fatalf("findings = %v, want %v", got, test.want)
			}
			for i := range got {
				if !strings.HasPrefix(got[i], test.want[i]) {
					t.Errorf("finding = %s\nwant      %s", got[i], test.want[i])
				}
			}
		})
	}
}

func TestLargeFilesAreNamed(t *testing.T) {
	t.Parallel()
	sources := conf.Sources{ConfigMap: map[string]string{
		"a": strings.Repeat("a", 300_000), "b": strings.Repeat("b", 400_000), "c": strings.Repeat("c", 350_000), "d": "x",
	}}
	got := texts(Submission(spec("").application(t), sources))
	if len(got) != 1 || !strings.Contains(got[0], "the largest are b (400001), c (350001), a (300001): put large files into the image or a volume") {
		t.Errorf("findings = %v", got)
	}
}

func TestOneFindingAField(t *testing.T) {
	t.Parallel()
	app := spec("driver: {memory: 5x}\nsparkConf: {spark.driver.memory: 6x}").application(t)
	seen := map[string]int{}
	for _, finding := range Application(app) {
		seen[finding.Field]++
	}
	if diff := cmp.Diff(map[string]int{"spec.driver.memory": 1}, seen); diff != "" {
		t.Errorf("findings a field (-want +got):\n%s", diff)
	}
}

func TestInvalidComesBeforeUnsupported(t *testing.T) {
	t.Parallel()
	got := Application(spec("sparkVersion: 4.4.0\nmainClass: ''\ndriver: {memory: 5x}").application(t))
	var reasons []string
	for _, finding := range got {
		reasons = append(reasons, finding.Reason)
	}
	want := []string{v1alpha1.InvalidSpecReason, v1alpha1.InvalidSpecReason, v1alpha1.NotYetSupportedReason}
	if diff := cmp.Diff(want, reasons); diff != "" {
		t.Errorf("reasons (-want +got):\n%s", diff)
	}
}

func TestEveryFindingHasARemedy(t *testing.T) {
	t.Parallel()
	app := spec("").application(t)
	app.Name, app.Spec = "", v1alpha1.SparkApplicationSpec{
		SparkConf: map[string]string{"x": "y"}, Driver: v1alpha1.DriverSpec{PodRole: v1alpha1.PodRole{Template: &runtime.RawExtension{Raw: []byte(`[]`)}}},
	}
	findings := Application(app)
	if len(findings) < 5 {
		t.Errorf("only %v", findings)
	}
	for _, finding := range findings {
		if finding.Field == "" || finding.Reason == "" || !strings.Contains(finding.Message, ": ") {
			t.Errorf("%+v lacks field, reason or remedy", finding)
		}
	}
}

func TestFindingsOfOtherErrors(t *testing.T) {
	t.Parallel()
	if got := findingsOf(nil); got != nil {
		t.Errorf("findings of nothing = %v", got)
	}
	got := texts(findingsOf(errOther{}))
	if diff := cmp.Diff([]string{"spec: something else"}, got); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
}

// errOther is an error of an unknown kind.
type errOther struct{}

func (errOther) Error() string { return "something else" }

func TestTheApplicationIsNotChanged(t *testing.T) {
	t.Parallel()
	app := spec("driver: {labels: {a: b}, template: {spec: {containers: [{name: x}]}}}").application(t)
	before := app.DeepCopy()
	Application(app)
	Warnings(app)
	if diff := cmp.Diff(before, app); diff != "" {
		t.Errorf("application (-before +after):\n%s", diff)
	}
}
