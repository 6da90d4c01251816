// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package podsets

import (
	"maps"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/sparkgate/sparkgate/internal/spark/conf"
	"github.com/sparkgate/sparkgate/internal/spark/render"
)

// ExecutorPod returns an executor pod as Spark will create it from the template, as far as its size and its placement
// are concerned: requests, limits, labels, annotations, scheduler and node selector. Its first container is Spark's.
// Executors for which the program requests another resource profile can differ.
func ExecutorPod(objects render.Objects) (*corev1.Pod, error) {
	pod, p := objects.ExecutorTemplate.DeepCopy(), objects.Properties
	spark := &pod.Spec.Containers[0]
	memory, err := executorMemory(p, !render.HonoursMinOverhead(objects.SparkVersion))
	if err != nil {
		return nil, err
	}
	if objects.Workers {
		memory.Add(render.Mebibytes(render.DaemonMemory))
	}
	cpu, err := render.Cores(p, conf.Executor.Key("request.cores"), conf.ExecutorCores)
	if err != nil {
		return nil, err
	}
	limits := corev1.ResourceList{corev1.ResourceMemory: memory}
	if key := conf.Executor.Key("limit.cores"); p.Get(key, "") != "" {
		if limits[corev1.ResourceCPU], err = render.Cores(p, key, ""); err != nil {
			return nil, err
		}
	}
	accelerators, err := render.Accelerators(p, conf.ExecutorResourcePrefix)
	if err != nil {
		return nil, err
	}
	maps.Copy(limits, accelerators)
	spark.Resources.Requests = with(spark.Resources.Requests, corev1.ResourceList{corev1.ResourceCPU: cpu, corev1.ResourceMemory: memory})
	spark.Resources.Limits = with(spark.Resources.Limits, limits)
	pod.Labels = withProperties(pod.Labels, p, conf.Executor.Key("label."))
	pod.Annotations = withProperties(pod.Annotations, p, conf.Executor.Key("annotation."))
	pod.Spec.SchedulerName = p.First(pod.Spec.SchedulerName, conf.Executor.Key("scheduler.name"), conf.SchedulerName)
	selectNodes(pod, p)
	return pod, nil
}

// withProperties adds the labels or annotations that properties set for executors. Values with the number of the
// executor are left out, because each executor has another one.
func withProperties(values map[string]string, p conf.Properties, prefix string) map[string]string {
	application := strings.NewReplacer("{{APP_ID}}", p.Get(conf.AppID, ""))
	for _, property := range p.WithPrefix(prefix) {
		if strings.Contains(property.Value, "{{EXECUTOR_ID}}") {
			continue
		}
		if values == nil {
			values = map[string]string{}
		}
		values[property.Name] = application.Replace(property.Value)
	}
	return values
}

// selectNodes adds the node selectors in properties. Those of the role win over those for both roles.
func selectNodes(pod *corev1.Pod, p conf.Properties) {
	for _, prefix := range []string{conf.NodeSelectorPrefix, conf.Executor.Key("node.selector.")} {
		for _, property := range p.WithPrefix(prefix) {
			if pod.Spec.NodeSelector == nil {
				pod.Spec.NodeSelector = map[string]string{}
			}
			pod.Spec.NodeSelector[property.Name] = property.Value
		}
	}
}

// executorMemory returns the memory request of an executor: heap, overhead, off-heap memory if it is enabled, and the
// memory of Python workers if it is limited.
func executorMemory(p conf.Properties, leastIsFixed bool) (resource.Quantity, error) {
	memory, err := render.MemoryOf(conf.Executor, p, 0)
	if err != nil {
		return resource.Quantity{}, err
	}
	memory.LeastIsFixed = leastIsFixed
	mib, err := memory.MiB(p)
	if err != nil {
		return resource.Quantity{}, err
	}
	outside, err := OffHeap(p)
	if err != nil {
		return resource.Quantity{}, err
	}
	python, err := pythonMemory(p)
	if err != nil {
		return resource.Quantity{}, err
	}
	return render.Mebibytes(mib + outside + python), nil
}

// OffHeap returns Spark's off-heap memory in MiB, 0 if it is not enabled.
func OffHeap(p conf.Properties) (int64, error) {
	enabled, err := p.Bool(conf.OffHeapEnabled, false)
	if err != nil || !enabled {
		return 0, err
	}
	return p.BytesInMiB(conf.OffHeapSize, 0)
}

// pythonMemory returns the memory limit of Python workers in MiB, 0 if there are none.
func pythonMemory(p conf.Properties) (int64, error) {
	if !strings.EqualFold(p.Get(conf.ResourceType, ""), "python") {
		return 0, nil
	}
	return p.MiB(conf.ExecutorPySparkMemory, 0)
}

// with returns the amounts of both lists; those of b win.
func with(a, b corev1.ResourceList) corev1.ResourceList {
	both := maps.Clone(a)
	if both == nil {
		both = corev1.ResourceList{}
	}
	maps.Copy(both, b)
	return both
}
