// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package conf

import (
	"strconv"
	"strings"
	"time"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// fields collects the properties that correspond to typed fields.
type fields struct{ properties Properties }

// text sets a property unless the field is empty.
func (f fields) text(key, field, value string) {
	if value != "" {
		f.properties.Set(key, value, Origin{Source: TypedField, Field: field})
	}
}

// number sets a property unless the field is nil.
func (f fields) number(key, field string, value *int32) {
	if value != nil {
		f.text(key, field, strconv.FormatInt(int64(*value), 10))
	}
}

// list sets a property to the comma-separated values unless there are none.
func (f fields) list(key, field string, values []string) {
	f.text(key, field, strings.Join(values, ","))
}

// each sets a property for every entry of a map, even if its value is empty.
func (f fields) each(prefix, field string, values map[string]string) {
	for name, value := range values {
		f.properties.Set(prefix+name, value, Origin{Source: TypedField, Field: At(field, name)})
	}
}

// typedProperties returns the properties that correspond to the typed fields of a spec. Fields without a property of
// Spark, such as volumes and tolerations, are missing; package render puts them into the pods.
func typedProperties(spec *v1alpha1.SparkApplicationSpec) Properties {
	f := fields{properties: Properties{}}
	f.text(Image, "spec.image", spec.Image)
	f.text(ImagePullPolicy, "spec.imagePullPolicy", string(spec.ImagePullPolicy))
	f.list(ImagePullSecrets, "spec.imagePullSecrets", spec.ImagePullSecrets)
	f.text(MemoryOverheadFactor, "spec.memoryOverheadFactor", spec.MemoryOverheadFactor)
	f.text(HadoopConfigMap, "spec.hadoopConfigMap", spec.HadoopConfigMap)
	f.each(HadoopPrefix, "spec.hadoopConf", spec.HadoopConf)
	f.dependencies(spec.Deps)
	f.role(Driver, "spec.driver", &spec.Driver.PodRole)
	f.text(DriverServiceAccount, "spec.driver.serviceAccountName", spec.Driver.ServiceAccountName)
	f.role(Executor, "spec.executor", &spec.Executor.PodRole)
	f.number(ExecutorInstances, "spec.executor.instances", spec.Executor.Instances)
	if remove := spec.Executor.DeleteOnTermination; remove != nil {
		f.text(ExecutorDeleteOnTermination, "spec.executor.deleteOnTermination", strconv.FormatBool(*remove))
	}
	f.dynamicAllocation(spec.DynamicAllocation)
	f.monitoring(spec)
	return f.properties
}

// dependencies sets the lists of libraries and files.
func (f fields) dependencies(deps *v1alpha1.Dependencies) {
	if deps == nil {
		return
	}
	f.list(Jars, "spec.deps.jars", deps.Jars)
	f.list(Files, "spec.deps.files", deps.Files)
	f.list(PyFiles, "spec.deps.pyFiles", deps.PyFiles)
	f.list(Archives, "spec.deps.archives", deps.Archives)
	f.list(Packages, "spec.deps.packages", deps.Packages)
	f.list(PackageExcl, "spec.deps.excludePackages", deps.ExcludePackages)
	f.list(Repositories, "spec.deps.repositories", deps.Repositories)
}

// role sets the properties that driver and executor have in common.
func (f fields) role(role Role, path string, pod *v1alpha1.PodRole) {
	spark := "spark." + string(role) + "."
	f.text(role.Key("container.image"), path+".image", pod.Image)
	f.number(spark+"cores", path+".cores", pod.Cores)
	f.text(role.Key("request.cores"), path+".coreRequest", pod.CoreRequest)
	f.text(role.Key("limit.cores"), path+".coreLimit", pod.CoreLimit)
	f.text(spark+"memory", path+".memory", pod.Memory)
	f.text(spark+"memoryOverhead", path+".memoryOverhead", pod.MemoryOverhead)
	f.text(spark+"extraJavaOptions", path+".javaOptions", pod.JavaOptions)
	f.each(role.Key("label."), path+".labels", pod.Labels)
	f.each(role.Key("annotation."), path+".annotations", pod.Annotations)
	f.each(role.Key("node.selector."), path+".nodeSelector", pod.NodeSelector)
}

// dynamicAllocation sets the bounds of dynamic allocation.
func (f fields) dynamicAllocation(d *v1alpha1.DynamicAllocation) {
	if d == nil {
		return
	}
	const path = "spec.dynamicAllocation."
	f.text(DynamicAllocationEnabled, path+"enabled", strconv.FormatBool(d.Enabled))
	f.number(DynamicAllocationInitial, path+"initialExecutors", d.InitialExecutors)
	f.number(DynamicAllocationMin, path+"minExecutors", d.MinExecutors)
	f.number(DynamicAllocationMax, path+"maxExecutors", d.MaxExecutors)
	if timeout := d.ShuffleTrackingTimeout; timeout != nil {
		f.text(ShuffleTrackingTimeout, path+"shuffleTrackingTimeout", SparkDuration(timeout.Duration))
	}
}

// SparkDuration formats a duration in Spark's notation, in seconds or, if these would lose something, in milliseconds,
// rounded down.
func SparkDuration(d time.Duration) string {
	if d%time.Second == 0 {
		return strconv.FormatInt(int64(d/time.Second), 10) + "s"
	}
	return strconv.FormatInt(d.Milliseconds(), 10) + "ms"
}
