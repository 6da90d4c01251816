// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package conf

import (
	"regexp"
	"strings"
)

// owned are the keys that only the operator may set, each with what to do instead.
var owned = map[string]string{
	Master:               "remove it: drivers always use the cluster that they run in",
	DriverMaster:         "remove it: drivers always use the cluster that they run in; only local[…] is allowed, for a driver without executors",
	DeployMode:           "remove it: drivers always run in a pod",
	Namespace:            "remove it: the job runs in the namespace of the application",
	AppID:                "remove it: the id is derived from application, run and attempt",
	DriverPodName:        "set spec.driver.podName instead",
	DriverTemplateFile:   "set spec.driver.template instead",
	ExecutorTemplateFile: "set spec.executor.template instead",
	DriverHost:           "remove it: executors reach the driver by its Service",
	DriverBindAddress:    "remove it: the driver binds to the address of its pod",
	SubmitInDriver:       "remove it",
	ResourceType:         "remove it and set spec.type",
	"spark.kubernetes.driver.pod.featureSteps":   "remove it: classes that change pods cannot be run here; set spec.driver.template instead",
	"spark.kubernetes.executor.pod.featureSteps": "remove it: classes that change pods cannot be run here; set spec.executor.template instead",
	volcanoPrefix + "podGroupTemplateFile":       volcanoGate,
	volcanoPrefix + "podGroupTemplateJson":       volcanoGate,
}

// volcanoPrefix is for properties that Spark's own step for Volcano reads, volcanoStep the end of that step's name, and
// volcanoGate what to do instead.
const (
	volcanoPrefix = "spark.kubernetes.scheduler.volcano."
	volcanoStep   = ".VolcanoFeatureStep"
	volcanoGate   = "remove it and set spec.queue.gate to Volcano, which creates a PodGroup in the queue of spec.queue.name"
)

// submissionPrefix is the prefix of the credentials with which spark-submit itself calls the API server.
const submissionPrefix = "spark.kubernetes.authenticate.submission."

// localMaster matches the values of DriverMaster with which the driver runs the tasks itself, in so many threads: local,
// local[4], local[*], or local[4,2], which has a task tried twice (SparkMasterRegex). Spark takes any other value that
// begins with local for one thread.
var localMaster = regexp.MustCompile(`^local(\[(\*|[1-9][0-9]{0,8})(\s*,\s*[1-9][0-9]{0,8})?\])?$`)

// IsLocal reports whether a value of DriverMaster has the driver run the tasks itself, without executors.
func IsLocal(master string) bool { return strings.HasPrefix(master, "local") }

// refusedKey returns why users may not set a key to a value; "" if they may.
func refusedKey(key, value string) string {
	remedy, ok := owned[key]
	switch {
	case key == DriverMaster && localMaster.MatchString(value):
		return ""
	case key == DriverMaster && IsLocal(value):
		return "value " + Quote(key, value) + " does not say how many threads the driver has for tasks: write local[4] for four, or local[*] for one per core"
	case ok:
		if strings.HasSuffix(key, ".featureSteps") && strings.HasSuffix(value, volcanoStep) {
			remedy = volcanoGate
		}
		return "value " + Quote(key, value) + " cannot be set because the operator owns this property: " + remedy
	case strings.HasPrefix(key, submissionPrefix):
		return "credentials of spark-submit have no use here: remove it; the operator creates the driver itself"
	case key == PodsAllocator && value != "direct":
		return "value " + Quote(key, value) + " is not supported: remove it; executors are created directly"
	case !strings.HasPrefix(key, prefix):
		return "the key is not a property of Spark: use a key that begins with spark. (Hadoop's properties go to spec.hadoopConf)"
	}
	return ""
}
