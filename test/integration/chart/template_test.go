// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package chart

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/sparkgate/sparkgate/internal/job/usage"
	"github.com/sparkgate/sparkgate/test/integration/env"
)

// TestLint: Helm finds nothing to correct, with nothing set and with everything.
func TestLint(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{nil, {"--values", write(t, "values.yaml", everything)}} {
		if out, err := helm(t, append([]string{"lint", "--strict", chartFolder()}, args...)...); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	}
}

// everything sets every value to something else than its default.
const everything = `
image: {repository: registry.example.com/sparkgate, tag: "1", pullPolicy: Always}
imagePullSecrets: [registry]
commonLabels: {example.org/cost-center: "42"}
replicas: 2
log: {level: debug, encoding: console}
watchNamespaces: [team-a, default]
flags: {concurrent: 32, stage-events: false, reference-timeout: 1m30s, ui-hosts: [a.example.org, "{{name}}.b.example.org"], decision-log: /log/decisions}
metrics: {secure: true}
monitoring: {enabled: true, endpoint: {scheme: https}, labels: {release: prometheus}}
explain: {groups: [engineers]}
crds: {check: false}
queues:
- name: root
  spec: {flavors: [{name: default, quotas: [{resource: cpu, nominal: "20"}, {resource: memory, nominal: 80Gi}]}]}
- name: team-a
  spec: {parent: root, namespaceSelector: {}}
flavors:
- name: spot
  spec: {nodeLabels: {pool: spot}}
jobNamespaces:
- name: team-a
  create: true
  labels: {team: a}
  annotations: {sparkgate.io/default-queue: team-a}
  serviceAccount: {annotations: {eks.amazonaws.com/role-arn: "arn:aws:iam::111122223333:role/team-a"}, imagePullSecrets: [jobs-registry]}
- name: default
guard: {enabled: true, mutating: false}
fast: {enabled: true}
dashboard:
  enabled: true
  replicas: 3
  tlsSecret: page
  historyServerURL: "http://history.jobs.svc:18080"
  prices: {currency: EUR, default: {coreHour: 0.04}, queues: {gpu: {gpuHour: 2}}}
  resources: {requests: {cpu: 50m}, limits: {memory: 2Gi}}
  goMemoryLimit: 1800MiB
  podLabels: {team: dashboards}
  podAnnotations: {sidecar.istio.io/inject: "false"}
  volumes: [{name: authorities, configMap: {name: company-ca}}]
  volumeMounts: [{name: authorities, mountPath: /etc/ssl/certs}]
  service: {type: NodePort, annotations: {traefik.ingress.kubernetes.io/service.serversscheme: https}}
  ingress: {host: spark.example.org, className: nginx, annotations: {nginx.ingress.kubernetes.io/backend-protocol: HTTPS}, tlsSecret: spark-tls}
networkPolicy:
  enabled: true
  apiServer: [10.0.0.10/32, "fd00::1/128"]
  explainFrom: [{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: kube-system}}}]
  metricsFrom: {team: monitoring}
resources: {requests: {cpu: 1, memory: 1Gi}, limits: {memory: 2Gi}}
goMemoryLimit: 1GiB
priorityClassName: system-cluster-critical
nodeSelector: {pool: system}
tolerations: [{key: system, operator: Exists}]
affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: pool, operator: Exists}]}]}}}
topologySpreadConstraints: [{maxSkew: 1, topologyKey: topology.kubernetes.io/zone, whenUnsatisfiable: ScheduleAnyway}]
podDisruptionBudget: {maxUnavailable: 1}
podLabels: {team: platform}
podAnnotations: {example.org/a: b, prometheus.io/scrape: "false"}
runAsUser: 1234
fsGroup: 5678
env: [{name: GODEBUG, value: http2debug=1}]
volumes: [{name: log, emptyDir: {}}]
volumeMounts: [{name: log, mountPath: /log}]
`

// mutatingPolicies is what the API server of Kubernetes 1.36 serves. Helm does not know that without a cluster.
const mutatingPolicies = "admissionregistration.k8s.io/v1/MutatingAdmissionPolicy"

// TestTheChartIsKustomize: each component renders to the same objects, field by field.
func TestTheChartIsKustomize(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		resources, components []string
		values                string
	}{
		"default":        {resources: []string{"queues"}},
		"no queue":       {values: "queues: []"},
		"job namespace":  {resources: []string{"job-namespace"}, values: "queues: []\njobNamespaces: [{name: default}]"},
		"guard":          {resources: []string{"guard"}, values: "queues: []\nguard: {enabled: true}"},
		"older guard":    {resources: []string{"guard/validating"}, values: "queues: []\nguard: {enabled: true, mutating: false}"},
		"secure metrics": {components: []string{"metrics-secure"}, values: "queues: []\nmetrics: {secure: true}"},
		"monitoring":     {resources: []string{"monitoring"}, values: "queues: []\nmonitoring: {enabled: true}"},
		"confined":       {components: []string{"confined"}, values: "queues: []\nwatchNamespaces: [default]"},
		"fast":           {resources: []string{"fast"}, values: "queues: []\nfast: {enabled: true}"},
		"dashboard":      {resources: []string{"dashboard"}, values: "queues: []\ndashboard: {enabled: true}"},
		"network policy": {components: []string{"network-policy"}, values: "queues: []\nnetworkPolicy: {enabled: true, apiServer: [192.0.2.1/32]}"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			kustomized := byName(t, kustomize(t, tc.resources, tc.components))
			// Helm makes the namespace of a release, by --create-namespace.
			delete(kustomized, "Namespace /"+namespace)
			rendered := must(t)(helm(t, "template", release, chartFolder(), "--include-crds", "--api-versions", mutatingPolicies, "--values", write(t, "values.yaml", tc.values)))
			chart := byName(t, rendered)
			for key, object := range chart {
				if strings.HasPrefix(key, "Spark") { // Helm is not to delete it
					unstructured.RemoveNestedField(object, "metadata", "annotations")
				}
			}
			for key := range kustomized {
				if diff := cmp.Diff(kustomized[key], chart[key]); diff != "" {
					t.Errorf("%s differs (-config +chart):\n%s", key, diff)
				}
				delete(chart, key)
			}
			for key := range chart {
				t.Errorf("%s is in the chart only", key)
			}
		})
	}
}

// TestNamespaceSelector: an operator of the namespaces with a label has no rights across the cluster on what is in namespaces;
// those in namespaces that the chart does not know are for others to bind.
func TestNamespaceSelector(t *testing.T) {
	t.Parallel()
	const values = "queues: []\nnamespaceSelector: example.org/spark=enabled\njobNamespaces: [{name: team-a, create: true, labels: {example.org/spark: enabled}}]"
	chart := byName(t, must(t)(helm(t, "template", release, chartFolder(), "--values", write(t, "values.yaml", values))))
	for key := range chart {
		if strings.HasPrefix(key, "ClusterRoleBinding") && (strings.HasSuffix(key, "sparkgate-applications") || strings.HasSuffix(key, "sparkgate-workloads")) {
			t.Errorf("%s is created", key)
		}
	}
	for _, name := range []string{"sparkgate-applications", "sparkgate-workloads"} {
		if chart["RoleBinding team-a/"+name] == nil {
			t.Errorf("the operator is not bound to %s in team-a", name)
		}
	}
	containers, _, err := unstructured.NestedSlice(chart["Deployment "+namespace+"/sparkgate"], "spec", "template", "spec", "containers")
	if err != nil || len(containers) != 1 {
		t.Fatalf("%d containers, %v", len(containers), err)
	}
	if args := fmt.Sprint(containers[0].(map[string]any)["args"]); !strings.Contains(args, "--namespace-selector=example.org/spark=enabled") {
		t.Errorf("flags %s", args)
	}
}

// TestDashboardFlags: the page gets the address of the history server, and a price list that it understands; other prices start it anew.
func TestDashboardFlags(t *testing.T) {
	t.Parallel()
	template := func(t *testing.T, values string) (pod map[string]any, prices string) {
		t.Helper()
		values = "queues: []\ndashboard: {enabled: true, " + values + "}"
		chart := byName(t, must(t)(helm(t, "template", release, chartFolder(), "--values", write(t, "values.yaml", values))))
		pod, _, err := unstructured.NestedMap(chart["Deployment "+namespace+"/sparkgate-dashboard"], "spec", "template")
		if err != nil {
			t.Fatal(err)
		}
		prices, _, _ = unstructured.NestedString(chart["ConfigMap "+namespace+"/sparkgate-dashboard-prices"], "data", "prices.yaml")
		return pod, prices
	}
	const history = "https://history.example.org/history/{{applicationID}}/jobs"
	pod, text := template(t, `historyServerURL: "`+history+`", prices: {currency: EUR, default: {coreHour: 0.04, gibHour: 1e-7}, queues: {gpu: {gpuHour: 2.5}}}`)
	prices, err := usage.ParsePrices([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if of := prices.Queues["gpu"]; prices.Currency != "EUR" || *prices.Default.GiBHour != 1e-7 || *of.GPUHour != 2.5 {
		t.Errorf("prices %s", text)
	}
	said := fmt.Sprint(pod)
	for _, want := range []string{"--history-server-url=" + history, "--prices=/etc/sparkgate/prices/prices.yaml", "mountPath:/etc/sparkgate/prices", "name:sparkgate-dashboard-prices"} {
		if !strings.Contains(said, want) {
			t.Errorf("no %s in %s", want, said)
		}
	}
	if other, _ := template(t, `prices: {default: {coreHour: 0.05}}`); cmp.Diff(other["metadata"], pod["metadata"]) == "" {
		t.Error("pods with other prices are not started anew")
	}
	for _, wrong := range []string{
		"historyServerURL: history", "prices: {currency: EUR}", "prices: {default: {}}", "prices: {default: {cores: 1}}", "prices: {default: {coreHour: -1}}", "prices: {queues: {gpu: {gpuHour: 2, x: 1}}}",
	} {
		if _, err := helm(t, "template", release, chartFolder(), "--values", write(t, "values.yaml", "dashboard: {"+wrong+"}")); err == nil {
			t.Errorf("%s is taken", wrong)
		}
	}
}

// kustomize builds config/default with others.
func kustomize(t *testing.T, resources, components []string) string {
	t.Helper()
	dir := t.TempDir()
	list := func(title string, names []string) string {
		text := title + ":\n"
		for _, name := range names {
			relative, err := filepath.Rel(dir, filepath.Join(env.Root(), "config", name))
			if err != nil {
				t.Fatal(err)
			}
			text += "- " + relative + "\n"
		}
		return text
	}
	text := list("resources", append([]string{"default"}, resources...))
	if len(components) > 0 {
		text += list("components", components)
	}
	writeTo(t, filepath.Join(dir, "kustomization.yaml"), text)
	return must(t)(env.Kubectl(t, "kustomize", dir))
}

// byName returns the objects of a stream of YAML by kind, namespace and name.
func byName(t *testing.T, text string) map[string]map[string]any {
	t.Helper()
	objects := map[string]map[string]any{}
	reader := yaml.NewYAMLReader(bufio.NewReader(strings.NewReader(text)))
	for {
		doc, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return objects
		}
		if err != nil {
			t.Fatal(err)
		}
		o := &unstructured.Unstructured{}
		if err := yaml.Unmarshal(doc, &o.Object); err != nil {
			t.Fatal(err)
		}
		if len(o.Object) == 0 {
			continue
		}
		key := o.GetKind() + " " + o.GetNamespace() + "/" + o.GetName()
		if objects[key] != nil {
			t.Errorf("%s is there twice", key)
		}
		objects[key] = o.Object
	}
}

// TestEveryValueIsUsed: what is set arrives, and the API server takes all of it.
func TestEveryValueIsUsed(t *testing.T) {
	t.Parallel()
	rendered := must(t)(helm(t, "template", release, chartFolder(), "--api-versions", mutatingPolicies, "--values", write(t, "values.yaml", everything)))
	for _, want := range []string{
		"image: \"registry.example.com/sparkgate:1\"", "imagePullPolicy: Always", "- name: \"registry\"", "replicas: 2", "--log-level=debug", "--log-encoding=console",
		"--metrics-secure", "--concurrent=32", "--stage-events=false", "--reference-timeout=1m30s", "--ui-hosts=a.example.org,{{name}}.b.example.org",
		"value: \"1GiB\"", "priorityClassName: \"system-cluster-critical\"", "pool: system", "key: system", "nodeAffinity:", "team: platform",
		"example.org/a: b", "emptyDir: {}", "mountPath: /log", "cidr: fd00::1/128", "team: monitoring", "name: \"team-a\"\n  annotations:", "parent: root",
		"replicas: 3", "secretName: \"page\"", "values:\n        - team-a\n        - default\n",
		"eks.amazonaws.com/role-arn: arn:aws:iam::111122223333:role/team-a\nimagePullSecrets:\n- name: \"jobs-registry\"\n", "name: \"engineers\"", "prometheus.io/scrape: \"false\"",
		"memory: 2Gi", "value: \"1800MiB\"", "team: dashboards", "sidecar.istio.io/inject: \"false\"", "type: NodePort", "service.serversscheme: https",
		"host: \"spark.example.org\"", "ingressClassName: \"nginx\"", "backend-protocol: HTTPS", "secretName: \"spark-tls\"", "kubernetes.io/metadata.name: kube-system",
		"topologyKey: topology.kubernetes.io/zone", "maxUnavailable: 1", "runAsUser: 1234", "runAsGroup: 1234", "fsGroup: 5678", "name: GODEBUG",
		"name: company-ca", "mountPath: /etc/ssl/certs",
	} {
		if !strings.Contains(rendered, want) {
			t.Errorf("no %s in:\n%s", want, rendered)
		}
	}
	digest := "sha256:" + strings.Repeat("0", 64)
	if rendered = must(t)(helm(t, "template", release, chartFolder(), "--set", "image.digest="+digest)); !strings.Contains(rendered, "sparkgate/sparkgate@"+digest) {
		t.Errorf("no digest in:\n%s", rendered)
	}
}

// TestMemoryLimitIsText: the environment of a container has texts only, also where the schema allows what YAML takes for something else.
func TestMemoryLimitIsText(t *testing.T) {
	t.Parallel()
	for _, limit := range []string{"off", "1073741824", "1GiB"} {
		rendered := must(t)(helm(t, "template", release, chartFolder(), "--set-string", "goMemoryLimit="+limit))
		containers, _, err := unstructured.NestedSlice(byName(t, rendered)["Deployment "+namespace+"/sparkgate"], "spec", "template", "spec", "containers")
		if err != nil || len(containers) != 1 {
			t.Fatalf("%d containers, %v", len(containers), err)
		}
		env, _, err := unstructured.NestedSlice(containers[0].(map[string]any), "env")
		if want := map[string]any{"name": "GOMEMLIMIT", "value": limit}; err != nil || !slices.ContainsFunc(env, func(v any) bool { return cmp.Equal(v, any(want)) }) {
			t.Errorf("no %v in %v, %v", want, env, err)
		}
	}
}

// TestNamesThatAreNumbers: the names of namespaces, queues and Secrets may be what YAML takes for numbers.
func TestNamesThatAreNumbers(t *testing.T) {
	t.Parallel()
	const values = `
imagePullSecrets: ["2024"]
priorityClassName: "2024"
watchNamespaces: ["2024"]
jobNamespaces: [{name: "2024", create: true}]
queues: [{name: "2024", spec: {unlimited: true}}]
dashboard: {enabled: true, tlsSecret: "2024"}
`
	rendered := must(t)(helm(t, "template", release, chartFolder(), "--values", write(t, "values.yaml", values)))
	if number := regexp.MustCompile(`(?m)^.*[:-] 2024$`).FindString(rendered); number != "" {
		t.Errorf("a number: %s", number)
	}
}

// TestAsADependency: another chart may have this one as a dependency, and switch it on and off in the usual way.
func TestAsADependency(t *testing.T) {
	t.Parallel()
	parent := t.TempDir()
	if err := os.CopyFS(filepath.Join(parent, "charts", "sparkgate"), os.DirFS(chartFolder())); err != nil {
		t.Fatal(err)
	}
	chart := "apiVersion: v2\nname: platform\nversion: 1.0.0\ndependencies: [{name: sparkgate, version: \">=0.0.0-0\", condition: sparkgate.enabled}]\n"
	if err := os.WriteFile(filepath.Join(parent, "Chart.yaml"), []byte(chart), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, on := range []bool{true, false} {
		rendered := must(t)(helm(t, "template", release, parent, "--set", fmt.Sprintf("sparkgate.enabled=%t", on)))
		if _, found := byName(t, rendered)["Deployment "+namespace+"/sparkgate"]; found != on {
			t.Errorf("enabled %t: the operator is there: %t", on, found)
		}
	}
}

// TestRefusedValues: the schema names the value and says what is allowed, before anything is changed.
func TestRefusedValues(t *testing.T) {
	t.Parallel()
	for values, want := range map[string]string{
		"replica: 2":                                                    "additional properties 'replica' not allowed",
		"replicas: two":                                                 "at '/replicas': got string, want integer",
		"log: {level: warn}":                                            "at '/log/level': value must be one of 'trace', 'debug', 'info', 'error'",
		"flags: {refrence-timeout: 1m}":                                 "at '/flags': additional properties 'refrence-timeout' not allowed",
		"flags: {reference-timeout: 60}":                                "at '/flags/reference-timeout': got number, want string",
		"flags: {health-addr: 0}":                                       "at '/flags': additional properties 'health-addr' not allowed",
		"jobNamespaces: [{create: true}]":                               "at '/jobNamespaces/0': missing property 'name'",
		"jobNamespaces: [team-a]":                                       "at '/jobNamespaces/0': got string, want object",
		"queues: [{name: Default, spec: {}}]":                           "at '/queues/0/name': 'Default' does not match pattern",
		"networkPolicy: {enabled: true}":                                "at '/networkPolicy/apiServer': minItems: got 0, want 1",
		"podLabels: {app.kubernetes.io/name: a}":                        "invalid propertyName 'app.kubernetes.io/name'",
		"commonLabels: {app.kubernetes.io/part-of: a}":                  "invalid propertyName 'app.kubernetes.io/part-of'",
		"podDisruptionBudget: {selector: {}}":                           "at '/podDisruptionBudget': additional properties 'selector' not allowed",
		"topologySpreadConstraints: [{maxSkew: 1}]":                     "at '/topologySpreadConstraints/0': missing properties 'topologyKey', 'whenUnsatisfiable'",
		"runAsUser: 0":                                                  "at '/runAsUser': minimum: got 0, want 1",
		"env: [{name: GOGC, value: \"1\"}]":                             "at '/env/0/name'",
		"networkPolicy: {apiServer: [kubernetes]}":                      "at '/networkPolicy/apiServer/0': 'kubernetes' does not match pattern",
		"image: {digest: latest}":                                       "at '/image/digest': 'latest' does not match pattern",
		"resources: {request: {cpu: 1}}":                                "at '/resources': additional properties 'request' not allowed",
		"goMemoryLimit: 450Mi":                                          "at '/goMemoryLimit': '450Mi' does not match pattern",
		"guard: {enabled: \"true\"}":                                    "at '/guard/enabled': got string, want boolean",
		"fast: {enabled: true}\nnamespaceSelector: a=b":                 "set fast.enabled=false, and apply config/fast with that selector",
		"watchNamespaces: [a]\nnamespaceSelector: a=b":                  "leave one of them empty",
		"flags: {ui-hosts: [\"*.spark.example.org\"]}":                  "at '/flags/ui-hosts/0': '*.spark.example.org' does not match pattern",
		"namespaceSelector: ==":                                         "at '/namespaceSelector': '==' does not match pattern",
		"dashboard: {ingress: {host: spark.example.org}}":               "there is no page without dashboard.enabled: set it to true",
		"jobNamespaces: [{name: a}, {name: b}, {name: a}]":              "jobNamespaces has a twice",
		"jobNamespaces: [{name: " + namespace + "}]":                    "the namespace of the operator",
		"dashboard: {enabled: true, tlsSecret: \"\"}":                   "at '/dashboard/tlsSecret': minLength: got 0, want 1",
		"volumes: [{name: a, emptyDir: {}}]\nvolumeMounts: [{name: a}]": "at '/volumeMounts/0': missing property 'mountPath'",
	} {
		t.Run(values, func(t *testing.T) {
			t.Parallel()
			if _, err := helm(t, "template", release, chartFolder(), "--values", write(t, "values.yaml", values)); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("got %v, want %s", err, want)
			}
		})
	}
}
