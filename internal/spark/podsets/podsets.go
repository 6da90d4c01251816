// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package podsets

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/base/finding"
	"github.com/sparkgate/sparkgate/internal/spark/conf"
	"github.com/sparkgate/sparkgate/internal/spark/render"
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/amounts"
)

// Environment is what namespace and cluster add to pods. Each field may be empty.
type Environment struct {
	// LimitRanges are those of the namespace. Their defaults fill in missing requests and limits, and their bounds can
	// forbid pods.
	LimitRanges []corev1.LimitRange
	// RuntimeClasses are the overheads of runtime classes by name.
	RuntimeClasses map[string]corev1.ResourceList
}

// errUnbounded is the error for dynamic allocation without an upper bound, which no queue could hold.
var errUnbounded = errors.New(conf.DynamicAllocationMax + " is not set, so that the number of executors has no bound: " +
	"set dynamicAllocation.maxExecutors")

// BaseSets returns the pod sets for gates that reserve only the base gang, and leave the executors of dynamic
// allocation above it to a scheduler.
func BaseSets(app *v1alpha1.SparkApplication, objects render.Objects, env Environment) ([]queueing.PodSet, error) {
	// PodSets counts only the base gang if other executors wait behind a scheduling gate.
	objects.Gated = true
	return PodSets(app, objects, env)
}

// PodSets returns the pod sets of an attempt, "driver" and "executor", from objects that were built without a grant; only
// the first if the driver has no executors. Under dynamic allocation their number is the base gang if the others wait
// behind a scheduling gate, or are workers, which the operator creates itself, else the maximum. An error names the property that is invalid.
func PodSets(app *v1alpha1.SparkApplication, objects render.Objects, env Environment) ([]queueing.PodSet, error) {
	gang, err := objects.Properties.Executors()
	if err != nil {
		return nil, err
	}
	count, err := countOf(objects, gang)
	if err != nil {
		return nil, err
	}
	driverSet, executorSet, err := env.both(objects, gang.Most > 0)
	if err != nil {
		return nil, err
	}
	driverSet.Count, executorSet.Count = 1, count
	bound := conf.ExecutorInstances
	if gang.Dynamic && !objects.Gated {
		bound = conf.DynamicAllocationMax
	}
	if err := countable(objects.Properties.Field(bound), driverSet, executorSet); err != nil {
		return nil, err
	}
	if queue := app.Spec.Queue; queue != nil {
		applyQueueReference(queue, objects.Gated || !gang.Dynamic, &driverSet, &executorSet)
	}
	if gang.Most == 0 {
		return []queueing.PodSet{driverSet}, nil
	}
	return []queueing.PodSet{driverSet, executorSet}, nil
}

// countOf returns how many executors are asked for.
func countOf(objects render.Objects, gang conf.Gang) (int32, error) {
	switch {
	case objects.Gated || objects.Workers:
		return gang.Base, nil
	case gang.Dynamic && gang.Most == math.MaxInt32:
		return 0, errUnbounded
	}
	return gang.Most, nil
}

// applyQueueReference copies the wishes of the application about its queue into the pod sets. minExecutors applies only
// if the number of executors at the start is fixed.
func applyQueueReference(queue *v1alpha1.QueueReference, fixed bool, driver, executor *queueing.PodSet) {
	if queue.MinExecutors != nil && fixed && *queue.MinExecutors < executor.Count {
		executor.MinCount = *queue.MinExecutors
	}
	if queue.Flavors != nil {
		driver.Flavors, executor.Flavors = queue.Flavors.Driver, queue.Flavors.Executor
	}
}

// Templates returns the pod templates, as pods will be created, by the name of their pod set. Gates use them to
// describe pods to another system.
func Templates(objects render.Objects) (map[string]*corev1.PodTemplateSpec, error) {
	executor, err := ExecutorPod(objects)
	if err != nil {
		return nil, err
	}
	templates := map[string]*corev1.PodTemplateSpec{}
	for name, pod := range map[string]*corev1.Pod{v1alpha1.DriverPodSet: objects.Pod, v1alpha1.ExecutorPodSet: executor} {
		templates[name] = &corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: pod.Labels, Annotations: pod.Annotations}, Spec: pod.Spec}
	}
	return templates, nil
}

// Wanted returns the number of executors that have to be ready for the application to count as ready: those that Spark
// creates before a job needs any. It may be 0, although the base gang has at least one executor.
func Wanted(p conf.Properties) (int32, error) {
	gang, err := p.Executors()
	return gang.Initial, err
}

// both returns the pod sets of the driver and, if there are any, the executors, without their counts.
func (e Environment) both(objects render.Objects, executors bool) (driver, executor queueing.PodSet, err error) {
	driver, err = e.podSet(v1alpha1.DriverPodSet, sized{"spec.driver", objects.Pod, len(objects.Pod.Spec.Containers) - 1})
	if err != nil || !executors {
		return driver, executor, err
	}
	pod, err := ExecutorPod(objects)
	if err == nil {
		executor, err = e.podSet(v1alpha1.ExecutorPodSet, sized{"spec.executor", pod, 0})
	}
	return driver, executor, err
}

// podSet returns the pod set of pods like that of a role.
func (e Environment) podSet(name string, of sized) (queueing.PodSet, error) {
	requests, err := e.Requests(of.pod)
	var outside *EnvironmentError
	if errors.As(err, &outside) {
		return queueing.PodSet{}, err
	}
	if err != nil {
		return queueing.PodSet{}, mistake(of.path, err.Error())
	}
	spec := &of.pod.Spec
	set := queueing.PodSet{Name: name, Requests: requests, Tolerations: spec.Tolerations, NodeSelector: queueing.NodeLabels(spec)}
	return set, e.checkBounds(of)
}

// countable returns an error if driver and executors together request more than can be counted. Gates for other systems
// leave the multiplication to these, where it could overflow. field is the one that sets the number of executors.
func countable(field string, driver, executor queueing.PodSet) error {
	if executor.Count < 0 {
		return mistake(field, fmt.Sprintf("value %d is a negative number of executors: set a whole number above zero", executor.Count))
	}
	for _, name := range slices.Sorted(maps.Keys(executor.Requests)) {
		each := executor.Requests[name]
		if each == 0 || int64(executor.Count) <= (amounts.Max-driver.Requests[name])/each {
			continue
		}
		one, most := amounts.Quantity(name, each), amounts.Quantity(name, amounts.Max)
		return mistake(field, fmt.Sprintf("value %d is too much: executors that request %s %s each are above %s together, the most that is counted: "+
			"set fewer executors, or smaller ones", executor.Count, name, one.String(), most.String()))
	}
	return nil
}

// mistake returns an error about a field of the spec.
func mistake(field, message string) error {
	return &render.FindingError{Finding: finding.Finding{Field: field, Message: message}}
}
