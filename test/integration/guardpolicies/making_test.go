// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package guardpolicies

import (
	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/test/integration/env"
)

// making: pods that are to come into being without the gate.
func making() []attempt {
	return []attempt{
		{what: "a raw `spark-submit`, or a notebook: a driver pod of no application", outcome: isGated, says: "label `spark-role`", try: changed(nil)},
		{what: "an executor from the user's own pod template, without the gate", outcome: isGated, says: "label `spark-role`", try: executor(nil)},
		{
			what: "an executor without labels `sparkgate.io/*`, because the program left them out", outcome: isGated,
			says: "label `spark-role`; charged as an application of its own", try: ownExecutor(func(p, _ *corev1.Pod) {}),
		},
		{what: "label `spark-role` left out", outcome: isGated, says: "label `spark-app-selector`", try: changed(func(p *corev1.Pod) { delete(p.Labels, "spark-role") })},
		{
			what: "misspelled labels, owned by a driver", outcome: isGated, says: "an owner of kind Pod",
			try: executor(func(p, _ *corev1.Pod) {
				p.Labels, p.Spec.Containers[0].Name = map[string]string{"spark-rolle": "executor"}, "main"
			}),
		},
		{
			what: "misspelled labels, no owner", outcome: isGated, says: "the name of Spark's container",
			try: changed(func(p *corev1.Pod) {
				p.Labels, p.Spec.Containers[0].Env = map[string]string{"spark-rolle": "driver"}, nil
			}),
		},
		{
			what: "labels and name of the container changed", outcome: isGated, says: "a variable that starts Spark in its image, such as `SPARK_DRIVER_URL`",
			try: changed(func(p *corev1.Pod) { p.Labels, p.Spec.Containers[0].Name = nil, "main" }),
		},
		{
			what: "Spark as an init container that never ends", outcome: isGated, says: "the name of Spark's container",
			try: changed(func(p *corev1.Pod) {
				p.Labels, p.Spec.InitContainers = nil, p.Spec.Containers
				p.Spec.Containers = plainPod("x").Spec.Containers
			}),
		},
		{
			what: "another scheduling gate instead of ours", outcome: isGated, says: "both gates hold it",
			try: changed(func(p *corev1.Pod) { p.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "example.org/mine"}} }),
		},
		{
			what: "`nodeName` set from the beginning", outcome: isRefused, by: env.ByServer, says: "cannot be set until all schedulingGates have been cleared",
			try: changed(func(p *corev1.Pod) { p.Spec.NodeName = "node-1" }),
		},
		{
			what: "another `schedulerName`", outcome: isGated, says: "no scheduler can bind it",
			try: changed(func(p *corev1.Pod) { p.Spec.SchedulerName = "volcano" }),
		},
		{
			what: "a high priority", outcome: isGated, says: "priority only orders pods that may be scheduled",
			try: func(tn *tenant) (*corev1.Pod, error) {
				class := &schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: tn.namespace}, Value: 1000000}
				create(tn.t, env.Client(), class)
				return changed(func(p *corev1.Pod) { p.Spec.PriorityClassName = class.Name })(tn)
			},
		},
		{what: "the pod template of a Deployment or ReplicaSet", outcome: isGated, says: "label `spark-role`", try: through("replicaset-controller", "apps/v1", "ReplicaSet")},
		{what: "the pod template of a StatefulSet", outcome: isGated, says: "label `spark-role`", try: through("statefulset-controller", "apps/v1", "StatefulSet")},
		{what: "the pod template of a Job or CronJob", outcome: isGated, says: "label `spark-role`", try: through("job-controller", "batch/v1", "Job")},
		{
			what: "a manifest in Git, applied by an administrator's account", outcome: isGated, says: "label `spark-role`",
			try: func(tn *tenant) (*corev1.Pod, error) {
				p := tn.pod(driverPod("submit"))
				return p, env.Client().Create(tn.t.Context(), p)
			},
		},
		{
			what: "… that names a SparkApplication as the owner", outcome: isGated, says: "only requests with the operator's field manager are exempt",
			try: func(tn *tenant) (*corev1.Pod, error) {
				p := tn.pod(driverPod("submit"))
				p.OwnerReferences = []metav1.OwnerReference{ofApplication("pi")}
				return p, env.Client().Create(tn.t.Context(), p, client.FieldOwner("kustomize-controller"))
			},
		},
		{
			what: "a driver created by hand that names a SparkApplication as its owner", outcome: isGated, says: "its creator does not have the right `release`",
			try: changed(func(p *corev1.Pod) { p.OwnerReferences = []metav1.OwnerReference{ofApplication("pi")} }),
		},
		{
			what: "small requests, high usage", outcome: isGated, says: "it is charged what it requests: tie limits to requests with a LimitRange",
			try: changed(func(p *corev1.Pod) {
				r := &p.Spec.Containers[0].Resources
				r.Requests, r.Limits = list("1m"), list("64")
			}),
		},
		{
			what: "a pod that cannot be recognized as Spark: no label, name, variable or owner of it", outcome: isAllowed,
			says: "a ResourceQuota counts it, the queue does not",
			try:  func(tn *tenant) (*corev1.Pod, error) { return made(tn, plainPod("main")) },
		},
		{
			what: "a standalone Spark cluster: a StatefulSet with Spark's image", outcome: isAllowed,
			says: "a ResourceQuota counts it, the queue does not",
			try: func(tn *tenant) (*corev1.Pod, error) {
				p := tn.pod(plainPod("worker-0"))
				return p, tn.controller("statefulset-controller").Create(tn.t.Context(), p)
			},
		},
	}
}

// ofApplication names an application as the owner.
func ofApplication(name string) metav1.OwnerReference {
	yes := true
	return metav1.OwnerReference{
		APIVersion: "sparkgate.io/v1alpha1", Kind: "SparkApplication", Name: name, UID: types.UID("uid-of-" + name), Controller: &yes,
	}
}

func list(cpu string) corev1.ResourceList {
	return corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu)}
}

// made returns a pod that the tenant makes.
func made(tn *tenant, p *corev1.Pod) (*corev1.Pod, error) {
	return tn.pod(p), tn.user().Create(tn.t.Context(), p)
}

// changed creates a driver pod that differs from that of spark-submit.
func changed(change func(*corev1.Pod)) func(*tenant) (*corev1.Pod, error) {
	return func(tn *tenant) (*corev1.Pod, error) {
		p := driverPod("submit")
		if change != nil {
			change(p)
		}
		return made(tn, p)
	}
}

// executor lets the program of a raw driver make an executor.
func executor(change func(executor, driver *corev1.Pod)) func(*tenant) (*corev1.Pod, error) {
	return func(tn *tenant) (*corev1.Pod, error) {
		return executorBy(tn, tn.released(driverPod("submit")), change)
	}
}

// ownExecutor lets the program of an application's driver make an executor.
func ownExecutor(change func(executor, driver *corev1.Pod)) func(*tenant) (*corev1.Pod, error) {
	return func(tn *tenant) (*corev1.Pod, error) { return executorBy(tn, tn.own("pi"), change) }
}

func executorBy(tn *tenant, driver *corev1.Pod, change func(executor, driver *corev1.Pod)) (*corev1.Pod, error) {
	p := executorPod(driver, "executor")
	if change != nil {
		change(p, driver)
	}
	return p, tn.program(driver).Create(tn.t.Context(), p)
}

// through creates a Spark pod as a controller of the cluster would, from a template of the tenant's.
func through(controller, version, kind string) func(*tenant) (*corev1.Pod, error) {
	return func(tn *tenant) (*corev1.Pod, error) {
		p := tn.pod(driverPod("from-template"))
		yes := true
		p.OwnerReferences = []metav1.OwnerReference{{APIVersion: version, Kind: kind, Name: "own", UID: "some-uid", Controller: &yes}}
		return p, tn.controller(controller).Create(tn.t.Context(), p)
	}
}
