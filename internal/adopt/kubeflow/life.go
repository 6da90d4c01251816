// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package kubeflow

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/spark/conf"
)

// forever is a duration that stands for no limit where ours has one by default.
const forever = "87600h"

// life translates when the job runs, runs again and is deleted, and how many executors it has.
func life(t *translator) {
	for field, value := range map[string]any{
		"podSecurity": v1alpha1.PodSecurityNone, "onTemplateChange": v1alpha1.TemplateChangeRestart,
		"retention":            map[string]any{"policy": v1alpha1.RetentionAlways, "duration": forever},
		"timeouts.driverStart": "24h", "timeouts.executorStart": "24h",
	} {
		t.write(field, value)
	}
	restarts(t)
	executors(t)
	a := &t.theirs
	if a.TimeToLiveSeconds != nil {
		t.set("ttlAfterFinished", seconds(*a.TimeToLiveSeconds), "timeToLiveSeconds")
	}
	if a.DriverPodDisruptionBudget {
		t.set("podDisruptionBudget", v1alpha1.DisruptionDriver, "driverPodDisruptionBudget")
	}
	podName(t)
}

// seconds returns a number of seconds as a duration.
func seconds(n int64) string { return (time.Duration(n) * time.Second).String() }

// podName sets the name of the driver pod, which people and programs know.
func podName(t *translator) {
	name := t.theirs.SparkConf[conf.DriverPodName]
	delete(t.theirs.SparkConf, conf.DriverPodName)
	if own := t.theirs.Driver.PodName; own != "" {
		name = own
	}
	if t.scheduled {
		if name != "" {
			t.note("driver.podName", "left out: each run has a driver of its own, whose name contains that of the run")
		}
		return
	}
	if name == "" && t.app.Name != "" {
		name = t.app.Name + "-driver"
		if len(name) > 63 {
			t.note("driver.podName", "the driver pod is not named %s, which is longer than 63 characters: sparkctl get says how it is named", name)
			return
		}
	}
	if name != "" {
		t.set("driver.podName", name, "driver.podName")
	}
}

// restarts translates the restart policy. Their counters are never reset.
func restarts(t *translator) {
	p := &t.theirs.RestartPolicy
	interval := int64(5)
	if p.OnFailureRetryInterval != nil {
		interval = *p.OnFailureRetryInterval
	}
	retries := int64(p.OnFailureRetries)
	kind := v1alpha1.RestartNever
	policy := map[string]any{}
	switch {
	case p.Type == "Always":
		kind = v1alpha1.RestartAlways
		policy = map[string]any{"maxAttempts": math.MaxInt32, "backoff": map[string]any{"initial": seconds(interval)}}
		t.set("readyWhen", v1alpha1.ReadyWhenRunning, "restartPolicy.type")
		t.note("restartPolicy.type", "value \"Always\": the job also runs again after it has succeeded, as there; here it is Ready while it runs (readyWhen: Running), "+
			"and the pause between attempts grows to 5m. Write OnFailure if that is not meant")
	case p.Type == "OnFailure" && retries > 0:
		kind = v1alpha1.RestartOnFailure
		policy = map[string]any{"maxAttempts": retries + 1, "resetAfter": forever,
			"backoff": map[string]any{"initial": seconds(interval), "factor": 2, "max": seconds(interval * retries)}}
		if retries > 3 && interval > 0 {
			t.note("restartPolicy.onFailureRetryInterval", "the pause doubles up to %s; there it grows by %s each time", seconds(interval*retries), seconds(interval))
		}
	case p.Type == "OnFailure":
		t.note("restartPolicy.type", "becomes Never: without onFailureRetries, nothing is tried again there either")
	case p.Type != "" && p.Type != "Never":
		t.refuse("restartPolicy.type", "value %q: write Never, OnFailure or Always", p.Type)
	}
	policy["type"] = kind
	t.set("restartPolicy", policy, "restartPolicy")
}

// executors writes out how many executors there are, and what dynamic allocation does by default there.
func executors(t *translator) {
	a := &t.theirs
	d := a.DynamicAllocation
	dynamic := d != nil && d.Enabled
	if a.Executor.Instances == nil && a.SparkConf[conf.ExecutorInstances] == "" && !dynamic {
		t.write("executor.instances", 1)
	}
	if !dynamic {
		delete(t.made, "dynamicAllocation") // it has no effect, and sparkConf counts
		return
	}
	shuffleTracking(t)
	if d.MaxExecutors == nil && a.SparkConf[conf.DynamicAllocationMax] == "" {
		said := t.saidOf("dynamicAllocation", "maxExecutors")
		if said == nil {
			t.refuse("dynamicAllocation.maxExecutors", "it is missing, so that the quota that the job needs would have no limit: set it, "+
				"or write it into the annotation %s", SpecAnnotation)
			return
		}
		t.write("dynamicAllocation.maxExecutors", said)
	}
}

// shuffleTracking translates its fields. It is on by default there.
func shuffleTracking(t *translator) {
	d := t.theirs.DynamicAllocation
	track := d.ShuffleTrackingEnabled
	t.property(conf.ShuffleTrackingEnabled, fmt.Sprint(track == nil || *track), "dynamicAllocation.shuffleTrackingEnabled")
	if d.ShuffleTrackingTimeout != nil {
		t.set("dynamicAllocation.shuffleTrackingTimeout", (time.Duration(*d.ShuffleTrackingTimeout) * time.Millisecond).String(), "dynamicAllocation.shuffleTrackingTimeout")
	}
}

// queue translates batchScheduler and the label by which Kueue finds its jobs.
func queue(t *translator) {
	a := &t.theirs
	options := a.BatchSchedulerOptions
	gate := map[string]v1alpha1.GateType{"volcano": v1alpha1.GateVolcano, "yunikorn": v1alpha1.GateYuniKorn}[a.BatchScheduler]
	kueue := t.app.Labels[v1alpha1.KueueQueueLabel]
	switch {
	case gate != "":
		t.set("queue.gate", gate, "batchScheduler")
		if options.Queue != "" {
			t.set("queue.name", options.Queue, "batchSchedulerOptions.queue")
		}
		if options.PriorityClassName != "" {
			t.set("queue.priorityClassName", options.PriorityClassName, "batchSchedulerOptions.priorityClassName")
		}
		return
	case kueue != "":
		t.write("queue", map[string]any{"gate": v1alpha1.GateKueue, "name": kueue})
		t.origins[t.base+".queue"] = "metadata.labels[" + v1alpha1.KueueQueueLabel + "]"
	}
	if a.BatchScheduler != "" {
		t.note("batchScheduler", "value %q becomes schedulerName of the pods, without a pod group: write queue.gate to start the job as a whole", a.BatchScheduler)
	}
	if options.Queue != "" || options.PriorityClassName != "" {
		t.note("batchSchedulerOptions", "left out: it is for batchScheduler volcano or yunikorn. Write queue.name and queue.priorityClassName for a queue of ours")
	}
	for _, r := range t.roles() {
		scheduler, from := a.BatchScheduler, "batchScheduler"
		if scheduler == "" {
			scheduler, from = r.SchedulerName, r.name+".schedulerName"
		}
		if scheduler != "" {
			r.pod(from)["schedulerName"] = scheduler
			t.madeFrom(r.name+".template.spec.schedulerName", from)
		}
	}
}

// access translates how the web interface and ports of the driver are reached.
func access(t *translator) {
	a := &t.theirs
	if annotations := a.SparkUIOptions.ServiceAnnotations; len(annotations) > 0 {
		t.set("ui.serviceMetadata.annotations", annotations, "sparkUIOptions.serviceAnnotations")
		t.note("sparkUIOptions.serviceAnnotations", "the flag --ui-annotations of the operator has to allow them; the Service is not named NAME-ui-svc")
	}
	var ports []map[string]any
	for _, o := range a.DriverIngressOptions {
		name := strings.ToLower(o.ServicePortName)
		if name == "" || len(name) > 15 {
			name = fmt.Sprintf("port-%d", o.ServicePort)
		}
		ports = append(ports, map[string]any{"name": name, "port": o.ServicePort})
		t.note("driverIngressOptions", "port %d is in the Service with the name of the application (driverService), not in NAME-driver-%d. There is no Ingress: "+
			"write one for %q with that Service", o.ServicePort, o.ServicePort, o.IngressURLFormat)
	}
	if len(ports) > 0 {
		t.set("driverService", map[string]any{"type": v1alpha1.ClusterIPService, "ports": ports}, "driverIngressOptions")
	}
}
