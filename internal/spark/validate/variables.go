// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/sparkgate/sparkgate/internal/spark/conf"
)

// sizeVariables are the variables that the driver's start takes for a size where its property is not set, with the
// property and the field of it: those of executors in SparkSubmitArguments, those of the heap in SparkSubmitCommandBuilder.
var sizeVariables = map[string]struct{ property, field string }{
	"SPARK_DRIVER_MEMORY":   {conf.DriverMemory, "spec.driver.memory"},
	"SPARK_MEM":             {conf.DriverMemory, "spec.driver.memory"},
	"SPARK_EXECUTOR_MEMORY": {conf.ExecutorMemory, "spec.executor.memory"},
	"SPARK_EXECUTOR_CORES":  {conf.ExecutorCores, "spec.executor.cores"},
}

// checkSizeVariables reports variables of the driver that would change sizes by which its pod is created already, or for
// whose executors quota is requested.
func checkSizeVariables(s *subject) []Finding {
	var findings []Finding
	places := driverVariables(s)
	for _, name := range slices.Sorted(maps.Keys(sizeVariables)) {
		size, place := sizeVariables[name], places[name]
		if _, set := s.properties.Lookup(size.property); set || place == "" {
			continue
		}
		findings = append(findings, invalid(place, "the driver takes this variable for %s, which its pod and the requested quota do not follow: remove it, and set %s",
			size.property, size.field))
	}
	return findings
}

// driverVariables returns where each variable of the driver is set, by its name.
func driverVariables(s *subject) map[string]string {
	places, driver := map[string]string{}, s.roles[0]
	if driver.spark >= 0 {
		for i, variable := range driver.parts.Template.Spec.Containers[driver.spark].Env {
			places[variable.Name] = fmt.Sprintf("%s.env[%d]", driver.containerPath(driver.spark), i)
		}
	}
	for _, variable := range driver.Fields.Env {
		places[variable.Name] = conf.At(driver.Path+".env", variable.Name)
	}
	for _, family := range []string{conf.DriverEnvPrefix, conf.Driver.Key("secretKeyRef.")} {
		for _, property := range s.properties.WithPrefix(family) {
			places[property.Name] = property.Origin.Field
		}
	}
	return places
}

// sizes are properties that decide how many executors there are and how large, sizeFamilies the beginnings of others, and
// of those by which pods are created.
var (
	sizes = []string{
		conf.ExecutorInstances, conf.ExecutorCores, conf.ExecutorMemory, conf.ExecutorMemoryOverhead, conf.ExecutorMinOverhead, conf.ExecutorOverheadFactor,
		conf.ExecutorPySparkMemory,
	}
	sizeFamilies = []string{conf.ExecutorResourcePrefix, "spark.dynamicAllocation.", "spark.memory.offHeap.", "spark.kubernetes."}
)

// hiddenSize returns the first option of the driver's Java that sets such a property, empty if none does: the driver would
// take it, because the property is not set otherwise.
func hiddenSize(p conf.Properties, options string) string {
	for _, option := range sparkOption.FindAllString(options, -1) {
		option = strings.Trim(option, " \t\r\n'\"")
		key, _, _ := strings.Cut(strings.TrimPrefix(option, "-D"), "=")
		begins := func(family string) bool { return strings.HasPrefix(key, family) }
		if _, set := p.Lookup(key); !set && (slices.Contains(sizes, key) || slices.ContainsFunc(sizeFamilies, begins)) {
			return option
		}
	}
	return ""
}
