// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package env

import (
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1 "k8s.io/api/core/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/stories"
)

// PodMemory is the memory request of one pod of Pi: 512m of heap and Spark's minimum overhead of 384m. A driver and two
// executors request 2688Mi.
const PodMemory = "896Mi"

// lightJVM makes a short job cheap: without compiler threads that optimise code which will not run again, without
// collector threads, and without verifying classes once more. The pods stay the same.
const lightJVM = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:-UsePerfData -XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote"

// Change is a change to a manifest.
type Change func(*v1alpha1.SparkApplicationSpec)

// Pi returns the application of the stories, with a little less work: a Python job with two executors.
func Pi(name, queue string, changes ...Change) *v1alpha1.SparkApplication {
	app := stories.Pi("", name, queue)
	app.Spec.Image, app.Spec.Arguments, app.Spec.SparkConf = Image, []string{"1"}, patience()
	app.Spec.Driver.JavaOptions, app.Spec.Executor.JavaOptions = lightJVM, lightJVM
	for _, change := range changes {
		change(&app.Spec)
	}
	return app
}

// patience returns settings for a busy machine. There, the driver's first connection to the API server may take more
// than Spark's 10 s, and the answer to Spark's periodic list of executors may arrive after the watch has shown a new
// one, upon which Spark creates one executor too many.
func patience() map[string]string {
	const milliseconds = "120000"
	return map[string]string{
		"spark.kubernetes.driver.connectionTimeout":    milliseconds,
		"spark.kubernetes.driver.requestTimeout":       milliseconds,
		"spark.kubernetes.executor.apiPollingInterval": "1h",
	}
}

// Sleep keeps driver and executors running for that many seconds.
func Sleep(seconds string) Change { return Program("/opt/spark/examples/sleep.py", seconds) }

// Fail ends with an exit code.
func Fail(code string) Change { return Program("/opt/spark/examples/fail.py", code) }

// Brief returns the shortest possible driver: Spark starts a Python program that ends at once, before any executor. It
// requests the same memory as the others.
func Brief(arguments ...string) Change { return Program("/usr/lib/python3.11/this.py", arguments...) }

// Program runs another Python file of the image.
func Program(path string, arguments ...string) Change {
	return func(spec *v1alpha1.SparkApplicationSpec) {
		spec.MainApplicationFile, spec.Arguments = "local://"+path, arguments
	}
}

// Queue returns a root queue for every namespace.
func Queue(name, cpu, memory string) *v1alpha1.SparkQueue {
	return &v1alpha1.SparkQueue{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: v1alpha1.SparkQueueSpec{
			NamespaceSelector: &metav1.LabelSelector{},
			Flavors: []v1alpha1.FlavorQuota{{Name: v1alpha1.DefaultFlavor, Quotas: []v1alpha1.ResourceQuota{
				{Resource: string(corev1.ResourceCPU), Nominal: resource.MustParse(cpu)},
				{Resource: string(corev1.ResourceMemory), Nominal: resource.MustParse(memory)},
			}}},
		},
	}
}
