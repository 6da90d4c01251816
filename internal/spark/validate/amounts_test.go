// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package validate

import "testing"

// Whatever an application asks for is refused if it cannot be counted, with field, value and remedy.
func TestAmounts(t *testing.T) {
	t.Parallel()
	const bytes, negative = "is above 8Pi, the most that is counted: set less", "is negative: set a quantity of zero or more"
	const cores, pieces = "is above 9007199254740992m, the most that is counted: set less", "is above 9007199254740992, the most that is counted: set less"
	sidecar := func(kind, list string) spec {
		return spec("driver: {template: {spec: {" + kind + ": [{name: spark-kubernetes-driver}, {name: logs, image: x, resources: " + list + "}]}}}")
	}
	table{
		"a sidecar that makes the sum wrap": {sidecar("containers", `{requests: {memory: "9223372036854775807"}}`),
			[]string{`spec.driver.template.spec.containers[1].resources.requests.memory: value "9223372036854775807" ` + bytes}},
		"a negative sidecar": {sidecar("containers", `{requests: {memory: "-8Gi"}}`),
			[]string{`spec.driver.template.spec.containers[1].resources.requests.memory: value "-8Gi" ` + negative}},
		"a negative limit": {sidecar("containers", `{limits: {nvidia.com/gpu: -1}}`),
			[]string{`spec.driver.template.spec.containers[1].resources.limits.nvidia.com/gpu: value "-1" ` + negative}},
		"a number without quotes": {sidecar("containers", `{requests: {ephemeral-storage: 1e17}}`),
			[]string{`spec.driver.template.spec.containers[1].resources.requests.ephemeral-storage: value "100P" ` + bytes}},
		"an init container": {spec(`executor: {template: {spec: {initContainers: [{name: a, resources: {requests: {cpu: 1e16}}}]}}}`),
			[]string{`spec.executor.template.spec.initContainers[0].resources.requests.cpu: value "10P" ` + cores}},
		"the whole pod": {`executor: {template: {spec: {resources: {requests: {memory: -1}}}}}`,
			[]string{`spec.executor.template.spec.resources.requests.memory: value "-1" ` + negative}},
		"overhead": {`executor: {template: {spec: {overhead: {cpu: -1m}}}}`,
			[]string{`spec.executor.template.spec.overhead.cpu: value "-1m" ` + negative}},
		"coreRequest": {`driver: {coreRequest: "1e16"}`, []string{`spec.driver.coreRequest: value "1e16" ` + cores}},
		"coreLimit":   {`executor: {coreLimit: "1e16"}`, []string{`spec.executor.coreLimit: value "1e16" ` + cores}},
		"a negative coreRequest": {`sparkConf: {spark.kubernetes.executor.request.cores: "-1"}`,
			[]string{`spec.sparkConf[spark.kubernetes.executor.request.cores]: value "-1" is not an amount of cores: set a quantity above zero such as 500m or 2`}},
		"memory": {`driver: {memory: 9p}`, []string{`spec.driver.memory: value "9p" ` + bytes}},
		"memory and its share together": {`driver: {memory: 8192t}`,
			[]string{`spec.driver: spec.containers[0].resources.requests.memory: value "9448928051Mi" ` + bytes}},
		"memory of Python":  {`sparkConf: {spark.executor.pyspark.memory: "99999999999999999999"}`, []string{`spec.sparkConf[spark.executor.pyspark.memory]: value "99999999999999999999" ` + bytes}},
		"overhead of Spark": {`executor: {memoryOverhead: 99p}`, []string{`spec.executor.memoryOverhead: value "99p" ` + bytes}},
		"outside the heap":  {`sparkConf: {spark.memory.offHeap.enabled: "true", spark.memory.offHeap.size: 99p}`, []string{`spec.sparkConf[spark.memory.offHeap.size]: value "99p" ` + bytes}},
		"accelerators": {`executor: {gpu: {name: nvidia.com/gpu, quantity: 9223372036854775807}}`, []string{
			`spec.executor.gpu.quantity: value "9223372036854775807" ` + pieces,
			`spec.executor: spec.containers[0].resources.requests.nvidia.com/gpu: value "9223372036854775807" ` + pieces,
		}},
		"negative accelerators": {`sparkConf: {spark.executor.resource.gpu.amount: "-1", spark.executor.resource.gpu.vendor: nvidia.com}`,
			[]string{`spec.sparkConf[spark.executor.resource.gpu.amount]: value "-1" ` + negative}},
		"sum of containers": {sidecar("containers", `{requests: {memory: 8Pi}}`),
			[]string{`spec.driver: memory of the whole pod: value "8589936000Mi" ` + bytes}},
		"too many": {`executor: {instances: 2147483647}`,
			[]string{`spec.executor.instances: value 2147483647 is too much: executors that request memory 1408Mi each are above 8Pi together, the most that is counted: ` +
				`set fewer executors, or smaller ones`}},
		"the most": {`executor: {memory: 6g, memoryOverhead: 2g, instances: 1048575}`, nil},
	}.run(t)
}
