// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package validate

import "testing"

func TestLabels(t *testing.T) {
	t.Parallel()
	const key = ": use letters, digits, '-', '_' and '.', optionally after a domain and '/'"
	const value = ": use at most 63 letters, digits, '-', '_' and '.'"
	const token = " has a token, which Spark replaces in the labels of spec.driver.labels and spec.executor.labels only: write it out"
	table{
		"Spark's": {"driver: {labels: {spark-role: boss}}", []string{
			`spec.driver.labels[spark-role]: the label "spark-role" is reserved by Spark: use another key`,
		}},
		"Spark's, by property": {"sparkConf: {spark.kubernetes.executor.label.spark-app-selector: x}", []string{
			`spec.sparkConf[spark.kubernetes.executor.label.spark-app-selector]: the label "spark-app-selector" is reserved by Spark: use another key`,
		}},
		"Spark's, in a template": {"driver: {template: {metadata: {labels: {spark-version: '4'}}}}", []string{
			`spec.driver.template.metadata.labels[spark-version]: the label "spark-version" is reserved by Spark: use another key`,
		}},
		"of executors": {"executor: {labels: {spark-exec-id: '1'}}", []string{
			`spec.executor.labels[spark-exec-id]: the label "spark-exec-id" is reserved by Spark: use another key`,
		}},
		"Sparkgate's": {"executor: {labels: {sparkgate.io/run: '9'}}", []string{
			`spec.executor.labels[sparkgate.io/run]: the label "sparkgate.io/run" is reserved by Sparkgate: use another key`,
		}},
		"of the Service": {"sparkConf: {spark.kubernetes.driver.service.label.spark-app-selector: x}", []string{
			`spec.sparkConf[spark.kubernetes.driver.service.label.spark-app-selector]: the label "spark-app-selector" is reserved by Spark: use another key`,
		}},
		"a key that is none":   {"driver: {labels: {'a b': c}}", []string{`spec.driver.labels[a b]: invalid label key "a b"` + key}},
		"a value that is none": {"driver: {labels: {a: 'b c'}}", []string{`spec.driver.labels[a]: invalid label value "b c"` + value}},
		"a value too long with its token": {"driver: {labels: {a: 'xxxxxxxxxxxxxxxxxxxxxxxxxx{{APP_ID}}'}}", []string{
			`spec.driver.labels[a]: invalid label value "xxxxxxxxxxxxxxxxxxxxxxxxxx{{APP_ID}}"` + value,
		}},
		"tokens": {"driver: {labels: {a: 'x{{APP_ID}}-{{EXECUTOR_ID}}x'}}\nexecutor: {labels: {a: '{{APP_ID}}-{{EXECUTOR_ID}}'}}", nil},
		"a token that stands for nothing in the driver": {"driver: {labels: {a: '{{APP_ID}}-{{EXECUTOR_ID}}'}}", []string{
			`spec.driver.labels[a]: invalid label value "{{APP_ID}}-{{EXECUTOR_ID}}"` + value,
		}},
		"tokens of another program": {"executor: {labels: {a: '{{NAME}}'}}", []string{`spec.executor.labels[a]: invalid label value "{{NAME}}"` + value}},
		"tokens where Spark replaces none": {`
driver: {template: {metadata: {labels: {a: "{{APP_ID}}"}}}, nodeSelector: {b: "{{APP_ID}}"}}
executor: {template: {metadata: {labels: {c: "{{EXECUTOR_ID}}"}, annotations: {d: "{{APP_ID}}"}}, spec: {nodeSelector: {e: "{{EXECUTOR_ID}}"}}}}
sparkConf:
  spark.kubernetes.node.selector.f: "{{APP_ID}}"
  spark.kubernetes.driver.service.label.g: "{{APP_ID}}"
  spark.kubernetes.driver.volumes.persistentVolumeClaim.data.label.h: "{{APP_ID}}"
  spark.kubernetes.driver.volumes.persistentVolumeClaim.data.mount.path: /data
  spark.kubernetes.driver.volumes.persistentVolumeClaim.data.options.claimName: data`, []string{
			`spec.driver.nodeSelector[b]: value "{{APP_ID}}"` + token, `spec.driver.template.metadata.labels[a]: value "{{APP_ID}}"` + token,
			`spec.executor.template.metadata.labels[c]: value "{{EXECUTOR_ID}}"` + token, `spec.executor.template.spec.nodeSelector[e]: value "{{EXECUTOR_ID}}"` + token,
			`spec.sparkConf[spark.kubernetes.driver.volumes.persistentVolumeClaim.data.label.h]: value "{{APP_ID}}"` + token,
			`spec.sparkConf[spark.kubernetes.node.selector.f]: value "{{APP_ID}}"` + token,
			`spec.sparkConf[spark.kubernetes.driver.service.label.g]: value "{{APP_ID}}"` + token,
		}},
		"no value": {"driver: {labels: {a: ''}}", nil},
		"nodes": {"driver: {nodeSelector: {a: 'b c'}, template: {spec: {nodeSelector: {'d e': f}}}}\nsparkConf: {spark.kubernetes.node.selector.g: 'h i'}", []string{
			`spec.driver.nodeSelector[a]: invalid label value "b c"` + value,
			`spec.driver.template.spec.nodeSelector[d e]: invalid label key "d e"` + key,
			`spec.sparkConf[spark.kubernetes.node.selector.g]: invalid label value "h i"` + value,
		}},
		"nodes may have any key": {"driver: {nodeSelector: {spark-role: x}}", nil},
		"annotations": {"driver: {annotations: {'a b': c}, template: {metadata: {annotations: {'d e': f}}}}", []string{
			`spec.driver.annotations[a b]: invalid annotation key "a b": use letters, digits, '-', '_' and '.', optionally after a domain and '/'`,
			`spec.driver.template.metadata.annotations[d e]: invalid annotation key "d e": use letters, digits, '-', '_' and '.', optionally after a domain and '/'`,
		}},
	}.run(t)
}

func TestEnvironment(t *testing.T) {
	t.Parallel()
	const message = ": use letters, digits, '-', '_' and '.'"
	table{
		"dots and dashes": {"driver: {env: [{name: a.b-c_D, value: x}]}", nil},
		"a field":         {"driver: {env: [{name: 'A B', value: x}]}", []string{`spec.driver.env[A B]: invalid environment variable name "A B"` + message}},
		"properties": {`
sparkConf:
  spark.kubernetes.driverEnv.A%B: x
  spark.executorEnv.1A: x
  spark.kubernetes.driver.secretKeyRef.C D: "s:k"`, []string{
			`spec.sparkConf[spark.kubernetes.driverEnv.A%B]: invalid environment variable name "A%B"` + message,
			`spec.sparkConf[spark.executorEnv.1A]: invalid environment variable name "1A"` + message,
			`spec.sparkConf[spark.kubernetes.driver.secretKeyRef.C D]: invalid environment variable name "C D"` + message,
		}},
		"keys of Secrets": {"sparkConf: {spark.kubernetes.executor.secretKeyRef.A: 'login', spark.kubernetes.executor.secretKeyRef.B: 'login:key'}", []string{
			`spec.sparkConf[spark.kubernetes.executor.secretKeyRef.A]: value (hidden) does not name a key of a Secret: set <name of the Secret>:<key>`,
		}},
	}.run(t)
}

func TestSizesFromElsewhere(t *testing.T) {
	t.Parallel()
	const variable, option = ", which its pod and the requested quota do not follow: remove it, and set ", " sets a property of Spark by which pods are created and quota is requested: set it in spec.sparkConf"
	table{
		"variables of the driver": {`
driver:
  env: [{name: SPARK_EXECUTOR_MEMORY, value: 8g}]
  template: {spec: {containers: [{env: [{name: A, value: b}, {name: SPARK_MEM, value: 4g}]}]}}
sparkConf: {spark.kubernetes.driverEnv.SPARK_EXECUTOR_CORES: "4", spark.kubernetes.driver.secretKeyRef.SPARK_DRIVER_MEMORY: 'a:b'}`, []string{
			`spec.sparkConf[spark.kubernetes.driver.secretKeyRef.SPARK_DRIVER_MEMORY]: the driver takes this variable for spark.driver.memory` + variable + `spec.driver.memory`,
			`spec.sparkConf[spark.kubernetes.driverEnv.SPARK_EXECUTOR_CORES]: the driver takes this variable for spark.executor.cores` + variable + `spec.executor.cores`,
			`spec.driver.env[SPARK_EXECUTOR_MEMORY]: the driver takes this variable for spark.executor.memory` + variable + `spec.executor.memory`,
			`spec.driver.template.spec.containers[0].env[1]: the driver takes this variable for spark.driver.memory` + variable + `spec.driver.memory`,
		}},
		"variables behind what is set": {`
driver: {memory: 2g, env: [{name: SPARK_DRIVER_MEMORY, value: 8g}, {name: SPARK_EXECUTOR_MEMORY, value: 8g}]}
sparkConf: {spark.executor.memory: 2g}`, nil},
		"variables of executors, which Spark sets itself": {"executor: {env: [{name: SPARK_EXECUTOR_MEMORY, value: 8g}]}", nil},
		"options of the driver": {"driver: {javaOptions: '-Da=b \"-Dspark.executor.instances=50\" -Dspark.executor.memory=8g'}", []string{
			`spec.driver.javaOptions: value "-Dspark.executor.instances=50"` + option,
		}},
		"options that a platform gives drivers": {"sparkConf: {spark.driver.defaultJavaOptions: '-Dspark.dynamicAllocation.enabled=true'}", []string{
			`spec.sparkConf[spark.driver.defaultJavaOptions]: value "-Dspark.dynamicAllocation.enabled=true"` + option,
		}},
		"options behind what is set, and others": {"driver: {javaOptions: '-Dspark.executor.instances=50 -Dspark.yarn.app.container.log.dir=/tmp'}\nexecutor: {instances: 2}", nil},
	}.run(t)
}

func TestExecutors(t *testing.T) {
	t.Parallel()
	const bound = "spec.dynamicAllocation.maxExecutors: value is absent, so the number of executors has no bound and no queue could hold the job: set dynamicAllocation.maxExecutors"
	table{
		"dynamic without a bound":              {"dynamicAllocation: {enabled: true}", []string{bound}},
		"dynamic without a bound, by property": {"sparkConf: {spark.dynamicAllocation.enabled: 'true'}", []string{bound}},
		"a driver without executors":           {"sparkConf: {spark.kubernetes.driver.master: 'local[2]'}\nexecutor: {instances: 5}\nqueue: {minExecutors: 3}", nil},
		"none, in unknown words": {"sparkConf: {spark.kubernetes.driver.master: 'local://ci:hunter2@x'}", []string{
			`spec.sparkConf[spark.kubernetes.driver.master]: value "local://(hidden)@x" does not say how many threads the driver has for tasks: ` +
				`write local[4] for four, or local[*] for one per core`,
		}},
		"none, with a number that Spark refuses": {"sparkConf: {spark.kubernetes.driver.master: local, spark.executor.instances: '0'}", []string{
			`spec.sparkConf[spark.executor.instances]: value "0" is below 1: set a whole number above zero`,
		}},
		"none and dynamic": {"sparkConf: {spark.kubernetes.driver.master: 'local[2]'}\ndynamicAllocation: {enabled: true, maxExecutors: 2}", []string{
			`spec.dynamicAllocation.enabled: value true asks for executors, but the driver has none with "local[2]" in ` +
				`spec.sparkConf[spark.kubernetes.driver.master]: remove one of the two`,
		}},
		"none and dynamic by property": {"sparkConf: {spark.kubernetes.driver.master: 'local[2]', spark.dynamicAllocation.enabled: 'true'}", []string{
			`spec.sparkConf[spark.dynamicAllocation.enabled]: value true asks for executors, but the driver has none with "local[2]" in ` +
				`spec.sparkConf[spark.kubernetes.driver.master]: remove one of the two`,
		}},
		"switched off": {"dynamicAllocation: {enabled: false, minExecutors: 9, maxExecutors: 1}", nil},
		"minimum above maximum": {"dynamicAllocation: {enabled: true, minExecutors: 9, maxExecutors: 2}", []string{
			`spec.dynamicAllocation.minExecutors: value 9 is above 2 of spec.dynamicAllocation.maxExecutors: lower it, or raise the other`,
		}},
		"start above maximum": {"dynamicAllocation: {enabled: true, initialExecutors: 9, maxExecutors: 2}", []string{
			`spec.dynamicAllocation.initialExecutors: value 9 is above 2 of spec.dynamicAllocation.maxExecutors: lower it, or raise the other`,
		}},
		"instances above maximum": {"executor: {instances: 9}\ndynamicAllocation: {enabled: true, maxExecutors: 2}", []string{
			`spec.executor.instances: value 9 is above 2 of spec.dynamicAllocation.maxExecutors: lower it, or raise the other`,
		}},
		"a maximum of nothing": {"sparkConf: {spark.dynamicAllocation.enabled: 'true', spark.dynamicAllocation.maxExecutors: '0'}", []string{
			`spec.sparkConf[spark.dynamicAllocation.maxExecutors]: value "0" is below 1: set a whole number above zero`,
		}},
		"a minimum below zero": {"dynamicAllocation: {enabled: true, minExecutors: -1, maxExecutors: 2}", []string{
			`spec.dynamicAllocation.minExecutors: value "-1" is below 0: set a whole number that is not negative`,
		}},
		"tasks that do not fit": {"executor: {cores: 2}\nsparkConf: {spark.task.cpus: '4'}", []string{
			`spec.sparkConf[spark.task.cpus]: value 4 is above the 2 cores of an executor: lower it, or raise spec.executor.cores`,
		}},
		"a part of a core for each task": {"sparkVersion: 4.3.0\nexecutor: {cores: 2}\nsparkConf: {spark.task.cpus: '0.5'}", nil},
		"more than one core, in decimal": {"sparkVersion: 4.3.0\nexecutor: {cores: 1}\nsparkConf: {spark.task.cpus: ' 1.25 '}", []string{
			`spec.sparkConf[spark.task.cpus]: value 1.25 is above the 1 cores of an executor: lower it, or raise spec.executor.cores`,
		}},
		"a part of a core, of a version that knows none": {"sparkVersion: 4.2.1\nsparkConf: {spark.task.cpus: '0.5'}", []string{
			`spec.sparkConf[spark.task.cpus]: value "0.5" is not a whole number: set a number such as 2`,
		}},
		"no core for a task": {"sparkConf: {spark.task.cpus: '0'}", []string{
			`spec.sparkConf[spark.task.cpus]: value "0" is below 1: set a whole number above zero`,
		}},
		"no core for a task, in decimal": {"sparkVersion: 4.3.0\nsparkConf: {spark.task.cpus: '0.0'}", []string{
			`spec.sparkConf[spark.task.cpus]: value "0.0" is not above zero: set a number of cores such as 0.5 or 2`,
		}},
		"too little of a core": {"sparkVersion: 4.3.0\nsparkConf: {spark.task.cpus: '1e-999999999'}", []string{
			`spec.sparkConf[spark.task.cpus]: value "1e-999999999" is not above zero: set a number of cores such as 0.5 or 2`,
		}},
		"too many decimal places": {"sparkVersion: 4.3.0\nsparkConf: {spark.task.cpus: '0.3333333333'}", []string{
			`spec.sparkConf[spark.task.cpus]: value "0.3333333333" has more than nine decimal places: round it`,
		}},
		"no number of cores": {"sparkVersion: 4.3.0\nsparkConf: {spark.task.cpus: '0.5d'}", []string{
			`spec.sparkConf[spark.task.cpus]: value "0.5d" is not a number of cores: set one such as 0.5 or 2`,
		}},
		"fewer pods than executors": {"executor: {instances: 5}\nsparkConf: {spark.kubernetes.allocation.maximum: '4'}", []string{
			`spec.sparkConf[spark.kubernetes.allocation.maximum]: value 4 has to be above the 5 executors that the job starts with, ` +
				`because Spark creates fewer pods than that in the whole run: remove it, or raise it`,
		}},
		"as many pods as executors, of which Spark does not create the last": {"executor: {instances: 5}\nsparkConf: {spark.kubernetes.allocation.maximum: '5'}", []string{
			`spec.sparkConf[spark.kubernetes.allocation.maximum]: value 5 has to be above the 5 executors that the job starts with, ` +
				`because Spark creates fewer pods than that in the whole run: remove it, or raise it`,
		}},
		"one pod more than executors": {"executor: {instances: 5}\nsparkConf: {spark.kubernetes.allocation.maximum: '6'}", nil},
		"no pods": {"sparkConf: {spark.kubernetes.allocation.maximum: '0'}", []string{
			`spec.sparkConf[spark.kubernetes.allocation.maximum]: value "0" is below 1: set a whole number above zero`,
		}},
		"fewer pods in a version that does not count them": {
			"sparkVersion: 4.0.1\nexecutor: {instances: 5}\nsparkConf: {spark.kubernetes.allocation.maximum: '4'}", nil,
		},
		"the queue's minimum": {"queue: {minExecutors: 3}", []string{
			`spec.queue.minExecutors: value 3 is above the 2 executors of the job: lower it, or raise spec.executor.instances`,
		}},
		"the queue's minimum under dynamic allocation": {"queue: {minExecutors: 1}\ndynamicAllocation: {enabled: true, maxExecutors: 2}", nil},
		"the queue's minimum above what dynamic allocation may have": {"queue: {minExecutors: 3}\ndynamicAllocation: {enabled: true, maxExecutors: 2}", []string{
			`spec.queue.minExecutors: value 3 is above 2 of spec.dynamicAllocation.maxExecutors: lower it, or raise the other`,
		}},
		"nothing keeps shuffled data": {
			"dynamicAllocation: {enabled: true, maxExecutors: 2}\nsparkConf: {spark.dynamicAllocation.shuffleTracking.enabled: 'false'}", []string{
				`spec.sparkConf[spark.dynamicAllocation.shuffleTracking.enabled]: value false leaves dynamic allocation without a way to keep ` +
					`shuffle data when executors are removed, and Spark exits at once: remove it, or set spark.decommission.enabled to true in spec.sparkConf`,
			}},
		"executors that go hand shuffled data over": {"dynamicAllocation: {enabled: true, maxExecutors: 2}\n" +
			"sparkConf: {spark.dynamicAllocation.shuffleTracking.enabled: 'false', spark.decommission.enabled: 'true'}", nil},
		"executors that go hand nothing over": {
			"dynamicAllocation: {enabled: true, maxExecutors: 2}\nsparkConf: {spark.dynamicAllocation.shuffleTracking.enabled: 'false', " +
				"spark.decommission.enabled: 'true', spark.storage.decommission.shuffleBlocks.enabled: 'false'}", []string{
				`spec.sparkConf[spark.dynamicAllocation.shuffleTracking.enabled]: value false leaves dynamic allocation without a way to keep ` +
					`shuffle data when executors are removed, and Spark exits at once: remove it, or set spark.decommission.enabled to true in spec.sparkConf`,
			}},
		"a service that is off keeps no shuffled data": {
			"dynamicAllocation: {enabled: true, maxExecutors: 2}\nsparkConf: {spark.dynamicAllocation.shuffleTracking.enabled: 'false', spark.shuffle.service.enabled: 'false'}", []string{
				`spec.sparkConf[spark.dynamicAllocation.shuffleTracking.enabled]: value false leaves dynamic allocation without a way to keep ` +
					`shuffle data when executors are removed, and Spark exits at once: remove it, or set spark.decommission.enabled to true in spec.sparkConf`,
			}},
		"a plugin keeps shuffled data": {"dynamicAllocation: {enabled: true, maxExecutors: 2}\n" +
			"sparkConf: {spark.dynamicAllocation.shuffleTracking.enabled: 'false', spark.shuffle.sort.io.plugin.class: com.example.Plugin}", nil},
	}.run(t)
}

func TestLimits(t *testing.T) {
	t.Parallel()
	table{
		"equal":        {"driver: {cores: 2, coreLimit: '2'}", nil},
		"below a part": {"driver: {cores: 2, coreRequest: 100m, coreLimit: 200m}", nil},
		"below the request": {"driver: {coreRequest: '2', coreLimit: 1500m}", []string{
			`spec.driver.coreLimit: value "1500m" is below the request of 2 cores (spec.driver.coreRequest): raise it, or lower the request`,
		}},
		"below the cores": {"executor: {cores: 4, coreLimit: '2'}", []string{
			`spec.executor.coreLimit: value "2" is below the request of 4 cores (spec.executor.cores): raise it, or lower the request`,
		}},
		"below Spark's default": {"executor: {coreLimit: 500m}", []string{
			`spec.executor.coreLimit: value "500m" is below the request of 1 cores (spec.sparkConf[spark.executor.cores]): raise it, or lower the request`,
		}},
	}.run(t)
}

func TestAccelerators(t *testing.T) {
	t.Parallel()
	table{
		"field and property agree": {`
driver: {gpu: {name: nvidia.com/gpu, quantity: 1}}
sparkConf: {spark.driver.resource.gpu.amount: "1", spark.driver.resource.gpu.vendor: nvidia.com}`, nil},
		"field and property differ": {`
executor: {gpu: {name: nvidia.com/gpu, quantity: 1}}
sparkConf: {spark.executor.resource.gpu.amount: "2", spark.executor.resource.gpu.vendor: nvidia.com}`, []string{
			`spec.executor.gpu.quantity: value 1 contradicts 2 of spark.executor.resource in spec.sparkConf; remove one`,
		}},
		"field and property of other things": {`
driver: {gpu: {name: nvidia.com/gpu, quantity: 1}}
sparkConf: {spark.driver.resource.fpga.amount: "2", spark.driver.resource.fpga.vendor: intel.com}`, nil},
		"none": {"driver: {gpu: {name: nvidia.com/gpu, quantity: 0}}", []string{
			`spec.driver.gpu.quantity: value 0 is below 1: set a whole number above zero`,
		}},
		"no vendor": {"driver: {gpu: {name: nvidia.com/gpu, quantity: 1}}\nsparkConf: {spark.driver.resource.gpu.amount: '1'}", []string{
			`spec.sparkConf[spark.driver.resource.gpu.amount]: value "1" has no vendor: set spark.driver.resource.gpu.vendor, such as nvidia.com`,
		}},
		"no vendor for executors": {"sparkConf: {spark.executor.resource.gpu.amount: '1'}", []string{
			`spec.sparkConf[spark.executor.resource.gpu.amount]: value "1" has no vendor: set spark.executor.resource.gpu.vendor, such as nvidia.com`,
		}},
	}.run(t)
}

func TestPorts(t *testing.T) {
	t.Parallel()
	const message = "is not a port that Spark opens and executors can find: set a number from 1024 to 65535"
	table{
		"all others": {"sparkConf: {spark.ui.port: '1024', spark.driver.port: '1025', spark.driver.blockManager.port: '1026', spark.connect.grpc.binding.port: '65535'}", nil},
		"those that Spark does not open": {`
sparkConf:
  spark.ui.port: "1023"
  spark.driver.port: "22"
  spark.driver.blockManager.port: "1"
  spark.connect.grpc.binding.port: "443"`, []string{
			`spec.sparkConf[spark.driver.port]: value "22" ` + message,
		}},
		"one that executors do not open": {"sparkConf: {spark.blockManager.port: '80'}", []string{`spec.sparkConf[spark.blockManager.port]: value "80" ` + message}},
		"zero": {"sparkConf: {spark.ui.port: '0'}", []string{
			`spec.sparkConf[spark.ui.port]: value "0" ` + message,
		}},
		"too large": {"sparkConf: {spark.driver.port: '65536'}", []string{
			`spec.sparkConf[spark.driver.port]: value "65536" ` + message,
		}},
		"no number": {"sparkConf: {spark.driver.port: any}", []string{
			`spec.sparkConf[spark.driver.port]: value "any" is not a whole number: set a number such as 2`,
		}},
		"Spark's own for another": {"sparkConf: {spark.ui.port: '7078'}", []string{
			`spec.sparkConf[spark.ui.port]: port 7078 is already used by spark.driver.port; choose another`,
		}},
		"another's own for the first": {"sparkConf: {spark.driver.port: '4040'}", []string{
			`spec.sparkConf[spark.driver.port]: port 4040 is already used by spark.ui.port; choose another`,
		}},
		"twice": {"sparkConf: {spark.driver.port: '1024', spark.ui.port: '1024'}", []string{
			`spec.sparkConf[spark.ui.port]: port 1024 is already used by spark.driver.port; choose another`,
		}},
		"Spark Connect's": {"sparkConf: {spark.ui.port: '15002'}", []string{
			`spec.sparkConf[spark.ui.port]: port 15002 is already used by spark.connect.grpc.binding.port; choose another`,
		}},
		"Spark Connect's, before there is one": {"sparkVersion: 4.0.5\nsparkConf: {spark.ui.port: '15002'}", nil},
		"the common one of block managers":     {"sparkConf: {spark.blockManager.port: '7079'}", nil},
		"any for executors":                    {"sparkConf: {spark.blockManager.port: '0', spark.driver.blockManager.port: '7079'}", nil},
		"any for all block managers": {"sparkConf: {spark.blockManager.port: '0'}", []string{
			`spec.sparkConf[spark.blockManager.port]: value "0" has Spark choose a port that the driver's pod has to name: ` +
				`also set spark.driver.blockManager.port, such as 7079, or set a number from 1024 to 65535`,
		}},
	}.run(t)
}
