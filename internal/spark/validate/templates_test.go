// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTemplates(t *testing.T) {
	t.Parallel()
	table{
		"a field misspelt": {"driver: {template: {spec: {containers: [{imagee: x}]}}}", []string{
			`spec.driver.template.spec.containers[0].imagee: unknown field "imagee": write image, or remove it`,
		}},
		"a variable from nowhere": {"driver: {env: [{name: A, valueFrom: {secretRef: {name: s}}}]}", []string{
			`spec.driver.env[0].valueFrom.secretRef: unknown field "secretRef": remove it, or move it to where it belongs`,
		}},
		"variables of a ConfigMap misspelt": {"executor: {envFrom: [{configMap: {name: c}}]}", []string{
			`spec.executor.envFrom[0].configMap: unknown field "configMap": remove it, or move it to where it belongs`,
		}},
		"a secret that was not filled in": {"sparkConf: {spark.my.password: REPLACED-TAKE-FROM-SECRET}", []string{
			`spec.sparkConf[spark.my.password]: "REPLACED-TAKE-FROM-SECRET" is the placeholder for a secret: remove it, and take the property from a ` +
				"Secret with spec.sparkConfFrom",
		}},
		"both roles": {"driver: {template: {specc: {}}}\nexecutor: {template: {metadata: {label: {}}}}", []string{
			`spec.driver.template.specc: unknown field "specc": write spec, or remove it`,
			`spec.executor.template.metadata.label: unknown field "label": write labels, or remove it`,
		}},
		"a container's security on the pod": {"executor: {template: {spec: {securityContext: {capabilities: {drop: [ALL]}}}}}", []string{
			`spec.executor.template.spec.securityContext.capabilities: unknown field "capabilities": remove it, or move it to where it belongs`,
		}},
		"a wrong kind": {"driver: {template: {spec: {containers: [{name: x, env: [{name: A, value: 1}]}]}}}", []string{
			`spec.driver.template.spec.containers[0].env[0].value: expected a string (in quotes), found an integer: 1`,
		}},
		"a volume": {"driver: {volumes: [{name: a, emptyDir: {}}, {name: b, emptyDirr: {}}]}", []string{
			`spec.driver.volumes[1].emptyDirr: unknown field "emptyDirr": write emptyDir, or remove it`,
		}},
		"a mount": {"executor: {volumes: [{name: a}], volumeMounts: [{name: a, mountpath: /a}]}", []string{
			`spec.executor.volumeMounts[0].mountpath: unknown field "mountpath": write mountPath, or remove it`,
			`spec.executor.volumeMounts[0].mountPath: the folder is missing: set one`,
		}},
		"an affinity": {"executor: {affinity: {nodeAfinity: {}}}", []string{
			`spec.executor.affinity.nodeAfinity: unknown field "nodeAfinity": write nodeAffinity, or remove it`,
		}},
		"two affinities": {"driver: {affinity: {}, template: {spec: {affinity: {nodeAffinity: {}}}}}", []string{
			`spec.driver.affinity: the template already has an affinity; remove one`,
		}},
	}.run(t)
}

func TestContainers(t *testing.T) {
	t.Parallel()
	table{
		"no containers": {"driver: {template: {spec: {}}}", nil},
		"Spark's among others": {
			"driver: {template: {spec: {containers: [{name: a}, {name: spark-kubernetes-driver}]}}}", nil,
		},
		"the first has no name": {"driver: {template: {spec: {containers: [{}, {name: a}]}}}", nil},
		"another has no name": {"driver: {template: {spec: {containers: [{name: a}, {}]}}}", []string{
			`spec.driver.template.spec.containers[1].name: the name is missing: every container but Spark's needs one`,
		}},
		"Spark's name twice": {
			"driver: {template: {spec: {containers: [{name: spark-kubernetes-driver}, {name: spark-kubernetes-driver}]}}}", []string{
				`spec.driver.template.spec.containers[1].name: name "spark-kubernetes-driver" is already used by ` +
					`spec.driver.template.spec.containers[0]; choose another`,
			},
		},
		"Spark's name for an init container": {
			"executor: {template: {spec: {containers: [{name: main}], initContainers: [{name: spark-kubernetes-executor}]}}}", []string{
				`spec.executor.template.spec.initContainers[0].name: value "spark-kubernetes-executor" is the name of Spark's own container, ` +
					`but another container is Spark's here: rename it`,
			},
		},
		"the other role's name": {
			"driver: {template: {spec: {containers: [{name: main}, {name: spark-kubernetes-executor}]}}}", []string{
				`spec.driver.template.spec.containers[1].name: value "spark-kubernetes-executor" is the name of Spark's own container, ` +
					`but another container is Spark's here: rename it`,
			},
		},
		"the property names another": {
			"driver: {template: {spec: {containers: [{name: spark-kubernetes-driver}, {name: main}]}}}\n" +
				"sparkConf: {spark.kubernetes.driver.podTemplateContainerName: main}", []string{
				`spec.driver.template.spec.containers[0].name: value "spark-kubernetes-driver" is the name of Spark's own container, ` +
					`but another container is Spark's here: rename it`,
			},
		},
		"two of one name": {"driver: {template: {spec: {containers: [{name: a}, {name: b}, {name: b}]}}}", []string{
			`spec.driver.template.spec.containers[2].name: name "b" is already used by spec.driver.template.spec.containers[1]; choose another`,
		}},
		"an init container of that name": {"driver: {template: {spec: {containers: [{name: a}], initContainers: [{name: a}]}}}", []string{
			`spec.driver.template.spec.initContainers[0].name: name "a" is already used by spec.driver.template.spec.containers[0]; choose another`,
		}},
	}.run(t)
}

func TestAdditionsToSparksContainer(t *testing.T) {
	t.Parallel()
	table{
		"ports of Spark's names": {"driver: {template: {spec: {containers: [{ports: [{name: debug, containerPort: 5005}, {name: spark-ui, containerPort: 4041}]}]}}}\n" +
			"executor: {template: {spec: {containers: [{ports: [{name: blockmanager, containerPort: 7000}, {name: spark-ui, containerPort: 4041}]}]}}}", []string{
			`spec.driver.template.spec.containers[0].ports[1].name: value "spark-ui" is the name of a port that Spark adds: remove the port, or rename it`,
			`spec.executor.template.spec.containers[0].ports[0].name: value "blockmanager" is the name of a port that Spark adds: remove the port, or rename it`,
		}},
		"ports of other containers": {"executor: {template: {spec: {containers: [{}, {name: a, image: b, ports: [{name: blockmanager, containerPort: 7000}]}]}}}", nil},
		"a port that the version does not add": {
			"sparkVersion: 4.0.5\ndriver: {template: {spec: {containers: [{ports: [{name: spark-connect, containerPort: 15002}]}]}}}", nil,
		},
		"a resize policy": {"sparkVersion: 4.2.1\nexecutor: {template: {spec: {containers: [{resizePolicy: [{resourceName: cpu, restartPolicy: NotRequired}]}]}}}", []string{
			`spec.executor.template.spec.containers[0].resizePolicy: Spark 4.2.1 adds a policy for cpu and memory, both NotRequired, and Kubernetes refuses two: remove it`,
		}},
		"a resize policy that is the only one": {"sparkVersion: 4.1.4\n" +
			"executor: {template: {spec: {containers: [{resizePolicy: [{resourceName: cpu, restartPolicy: NotRequired}]}]}}}", nil},
		"a resize policy of the driver": {"sparkVersion: 4.3.0\n" +
			"driver: {template: {spec: {containers: [{resizePolicy: [{resourceName: cpu, restartPolicy: NotRequired}]}]}}}", nil},
	}.run(t)
}

func TestSizeOfSparksContainer(t *testing.T) {
	t.Parallel()
	table{
		"cpu and memory": {
			"driver: {template: {spec: {containers: [{name: a, resources: {requests: {cpu: 1, memory: 1Gi}, limits: {cpu: 2, memory: 2Gi}}}]}}}",
			[]string{
				`spec.driver.template.spec.containers[0].resources.requests.cpu: value "1" would be overwritten by Spark: set spec.driver.coreRequest instead`,
				`spec.driver.template.spec.containers[0].resources.requests.memory: value "1Gi" would be overwritten by Spark: ` +
					`set spec.driver.memory and spec.driver.memoryOverhead instead`,
				`spec.driver.template.spec.containers[0].resources.limits.cpu: value "2" would be overwritten by Spark: set spec.driver.coreLimit instead`,
				`spec.driver.template.spec.containers[0].resources.limits.memory: value "2Gi" would be overwritten by Spark: ` +
					`set spec.driver.memory and spec.driver.memoryOverhead instead`,
			},
		},
		"of executors, not the first": {
			"executor: {template: {spec: {containers: [{name: a}, {name: spark-kubernetes-executor, resources: {limits: {cpu: 2}}}]}}}",
			[]string{
				`spec.executor.template.spec.containers[1].resources.limits.cpu: value "2" would be overwritten by Spark: set spec.executor.coreLimit instead`,
			},
		},
		"of a sidecar":    {"driver: {template: {spec: {containers: [{name: a}, {name: b, resources: {limits: {cpu: 2, memory: 1Gi}}}]}}}", nil},
		"of other things": {"driver: {template: {spec: {containers: [{name: a, resources: {limits: {ephemeral-storage: 2Gi}}}]}}}", nil},
	}.run(t)
}

func TestTemplateMetadata(t *testing.T) {
	t.Parallel()
	table{
		"the same namespace": {"driver: {template: {metadata: {namespace: jobs}}}", nil},
		"another namespace": {"driver: {template: {metadata: {namespace: other}}}", []string{
			`spec.driver.template.metadata.namespace: value "other" is another namespace than the application's: remove it`,
		}},
		"an owner": {"executor: {template: {metadata: {ownerReferences: [{name: x, kind: Pod, apiVersion: v1, uid: u}]}}}", []string{
			`spec.executor.template.metadata.ownerReferences: the owner of the pods is set by the operator and by Spark: remove it`,
		}},
		"finalizers": {"executor: {template: {metadata: {finalizers: [a/b, c/d]}}}", []string{
			`spec.executor.template.metadata.finalizers: value "a/b,c/d" would keep pods and their quota after the end of the job: remove it`,
		}},
		"an account":        {"driver: {template: {spec: {serviceAccountName: spark}}}", nil},
		"the same accounts": {"driver: {serviceAccountName: spark, template: {spec: {serviceAccountName: spark}}}", nil},
	}.run(t)
}

func TestHooksOfExecutors(t *testing.T) {
	t.Parallel()
	const on, off = "sparkConf: {spark.decommission.enabled: 'true'}\n", "sparkConf: {spark.decommission.enabled: 'false'}\n"
	const hooks = "executor: {template: {spec: {containers: [{name: logs}, {name: spark-kubernetes-executor, lifecycle: {postStart: {exec: {command: [x]}}}}]}}}\n"
	table{
		"no decommissioning":           {hooks, nil},
		"decommissioning switched off": {hooks + off, nil},
		"decommissioning": {hooks + on, []string{
			"spec.executor.template.spec.containers[1].lifecycle: all hooks would be replaced by Spark, because spark.decommission.enabled is true: " +
				"remove them and have a script of the image do what they do, named by spark.kubernetes.decommission.script, which Spark runs instead of /opt/decom.sh; " +
				"or set spark.decommission.enabled to false",
		}},
		"of a sidecar":  {"executor: {template: {spec: {containers: [{name: a}, {name: b, lifecycle: {preStop: {exec: {command: [x]}}}}]}}}\n" + on, nil},
		"of the driver": {"driver: {template: {spec: {containers: [{name: a, lifecycle: {preStop: {exec: {command: [x]}}}}]}}}\n" + on, nil},
		"none":          {"executor: {template: {spec: {containers: [{name: a, lifecycle: {}}]}}}\n" + on, nil},
	}.run(t)
}

func TestGracePeriodOfExecutors(t *testing.T) {
	t.Parallel()
	const template = "executor: {template: {spec: {terminationGracePeriodSeconds: 90}}}\n"
	property := func(value string) spec {
		return spec("sparkConf: {spark.kubernetes.executor.terminationGracePeriodSeconds: '" + value + "'}\n")
	}
	const unread = `spec.sparkConf[spark.kubernetes.executor.terminationGracePeriodSeconds]: value "long" is not a duration: ` +
		"set a whole number followed by s, min or h, such as 30s"
	table{
		"in the template":           {template, nil},
		"by property":               {property("long"), []string{unread}},
		"by property, before 4.1":   {"sparkVersion: 4.0.5\n" + property("long"), nil},
		"the same":                  {template + property("90"), nil},
		"the same, in another unit": {template + property("90000ms"), nil},
		"another one": {template + property("2min"), []string{`spec.executor.template.spec.terminationGracePeriodSeconds: ` +
			`value 90 contradicts "2min" of spec.sparkConf[spark.kubernetes.executor.terminationGracePeriodSeconds]; remove one`}},
		"another one, before 4.1": {"sparkVersion: 4.0.5\n" + template + property("2min"), nil},
		"one that Spark does not take": {"executor: {template: {spec: {terminationGracePeriodSeconds: -1}}}", []string{
			`spec.executor.template.spec.terminationGracePeriodSeconds: value -1 is below 0, which Spark 4.1.4 refuses: set a whole number that is not negative`,
		}},
		"of the driver": {"driver: {template: {spec: {terminationGracePeriodSeconds: 90}}}\n" + property("60s"), nil},
	}.run(t)
}

func TestAccountOfTemplateAndField(t *testing.T) {
	t.Parallel()
	app := spec("driver: {serviceAccountName: spark, template: {spec: {serviceAccountName: other}}}").application(t)
	got := texts(Application(app))
	want := []string{`spec.driver.template.spec.serviceAccountName: value "other" contradicts "spark" of spec.driver.serviceAccountName; remove one`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"pi": true, "2026-report": true, strings.Repeat("a", 63): true,
		"": false, "My_Job": false, "a.b": false, "-a": false, "a-": false, strings.Repeat("a", 64): false, strings.Repeat("a", 253): false,
	} {
		app := spec("").application(t)
		app.Name = name
		got := texts(Application(app))
		if ok := len(got) == 0; ok != want {
			t.Errorf("%q: findings = %v", name, got)
		}
		if !want && !strings.HasPrefix(got[0], `metadata.name: invalid name "`+name+`": `) {
			t.Errorf("%q: finding = %s", name, got[0])
		}
	}
}

func TestNamesOfOtherThings(t *testing.T) {
	t.Parallel()
	const object = ": use lower-case letters, digits, '-' and '.', beginning and ending with a letter or digit"
	table{
		"a restart policy": {"executor: {template: {spec: {restartPolicy: OnFailure}}}\ndriver: {template: {spec: {restartPolicy: Never}}}", []string{
			`spec.executor.template.spec.restartPolicy: value "OnFailure" would be overwritten by Spark: remove it; spec.restartPolicy says what is tried again`,
		}},
		"a pod": {"driver: {podName: My_Driver}", []string{
			`spec.driver.podName: invalid pod name "My_Driver": use at most 63 lower-case letters, digits and '-', beginning and ending with a letter or digit`,
		}},
		"executors": {"sparkConf: {spark.kubernetes.executor.podNamePrefix: Foo_bar}", []string{
			`spec.sparkConf[spark.kubernetes.executor.podNamePrefix]: invalid pod name prefix "Foo_bar": ` +
				`remove it, or use at most 52 lower-case letters, digits and '-'`,
		}},
		"executors, too long": {spec("sparkConf: {spark.kubernetes.executor.podNamePrefix: " + strings.Repeat("a", 53) + "}"), []string{
			`spec.sparkConf[spark.kubernetes.executor.podNamePrefix]: invalid pod name prefix "` + strings.Repeat("a", 53) + `": ` +
				`remove it, or use at most 52 lower-case letters, digits and '-'`,
		}},
		"executors, as long as can be": {spec("sparkConf: {spark.kubernetes.executor.podNamePrefix: " + strings.Repeat("a", 52) + "}"), nil},
		"a ConfigMap":                  {"sparkConfigMap: Conf", []string{`spec.sparkConfigMap: invalid object name "Conf"` + object}},
		"Hadoop's ConfigMap":           {"hadoopConfigMap: a_b", []string{`spec.hadoopConfigMap: invalid object name "a_b"` + object}},
		"Hadoop's, by property": {"sparkConf: {spark.kubernetes.hadoop.configMapName: a_b}", []string{
			`spec.sparkConf[spark.kubernetes.hadoop.configMapName]: invalid object name "a_b"` + object,
		}},
		"an account":       {"driver: {serviceAccountName: Spark}", []string{`spec.driver.serviceAccountName: invalid object name "Spark"` + object}},
		"a pull secret":    {"imagePullSecrets: [ok, '']", []string{`spec.imagePullSecrets[1]: invalid object name ""` + object}},
		"a priority class": {"queue: {priorityClassName: High}", []string{`spec.queue.priorityClassName: invalid object name "High"` + object}},
	}.run(t)
}
