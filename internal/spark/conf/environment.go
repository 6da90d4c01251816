// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package conf

import "github.com/sparkgate/sparkgate/api/v1alpha1"

// refuseHiddenVariables makes the variables of the typed fields win over those that properties set. Spark adds the
// latter after the former, and the last variable with a name is the effective one. A property of sparkConf that
// contradicts a field is an error, as with other fields; one from another source is removed.
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

// refuseHidden removes a property that would hide the variable of a field, or returns an error if it is set in
// sparkConf.
func refuseHidden(merged Properties, key, field string) []Finding {
	if property := merged[key]; property.Origin.Source == SparkConf {
		return []Finding{{Field: field, Message: "the variable is already set by " + property.Origin.Field + ", which would hide it; remove one"}}
	}
	delete(merged, key)
	return nil
}
