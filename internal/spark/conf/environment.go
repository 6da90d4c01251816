// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package conf

import "github.com/sparkgate/sparkgate/api/v1alpha1"

// refuseHiddenVariables makes the variables of the typed fields win over those of properties: Spark adds these behind
// them, and the last one of a name counts. A property of sparkConf that contradicts a field is a mistake, as with other
// fields; one from a file is left out.
func refuseHiddenVariables(merged Properties, spec *v1alpha1.SparkApplicationSpec) []Finding {
	var findings []Finding
	for _, role := range []struct {
		field         string
		env           []v1alpha1.EnvVar
		plain, secret string
	}{
		{"spec.driver.env", spec.Driver.Env, DriverEnvPrefix, Driver.Key("secretKeyRef.")},
		{"spec.executor.env", spec.Executor.Env, ExecutorEnvPrefix, Executor.Key("secretKeyRef.")},
	} {
		for _, variable := range role.env {
			field := At(role.field, variable.Name)
			if value, set := merged.Lookup(role.plain + variable.Name); set && (variable.ValueFrom != nil || variable.Value != value) {
				findings = append(findings, refuseHidden(merged, role.plain+variable.Name, field)...)
			}
			findings = append(findings, refuseHidden(merged, role.secret+variable.Name, field)...)
		}
	}
	return findings
}

// refuseHidden takes out a property that would hide the variable of a field, or reports it.
func refuseHidden(merged Properties, key, field string) []Finding {
	if property := merged[key]; property.Origin.Source == SparkConf {
		return []Finding{{Field: field, Message: "the variable is also set by " + property.Origin.Field + ", which would hide it: remove one of the two"}}
	}
	delete(merged, key)
	return nil
}
