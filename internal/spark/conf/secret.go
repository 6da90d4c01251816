// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package conf

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/base/redact"
)

// Reasons why a property cannot come from a Secret.
const (
	beforeSecrets = "the operator reads this property before it reads Secrets, or builds pods from it: set it in sparkConf"
	inPods        = "Spark writes its value into the pods of executors, where others may read it: "
)

// notFromSecret are the properties that cannot come from a Secret, each with the reason and what to do instead. A key
// that ends with a dot is a prefix. The first match counts.
var notFromSecret = []struct{ key, reason string }{
	{ExecutorEnvPrefix, inPods + "set executor.env with valueFrom"},
	{DriverEnvPrefix, "its value would stand in the pod of the driver: set driver.env with valueFrom"},
	{"spark.authenticate.secret", inPods + "remove it, so that Spark generates one, or mount the Secret and set spark.authenticate.secret.file in sparkConf"},
	{redaction, "it says what Spark hides: set it in sparkConf"},
	{"spark.kubernetes.", beforeSecrets},
	{"spark.driver.", beforeSecrets},
	{"spark.executor.", beforeSecrets},
	{"spark.app.", beforeSecrets},
	{"spark.submit.", beforeSecrets},
	{"spark.dynamicAllocation.", beforeSecrets},
	{"spark.decommission.", beforeSecrets},
	{"spark.storage.decommission.", beforeSecrets},
	{"spark.memory.", beforeSecrets},
	{"spark.task.", beforeSecrets},
	{"spark.blockManager.", beforeSecrets},
	{"spark.pyspark.", beforeSecrets},
	{"spark.ui.", beforeSecrets},
	{"spark.kerberos.", beforeSecrets},
	{"spark.metrics.conf.*.sink.prometheusServlet.", beforeSecrets},
	{"spark.metrics.conf.driver.sink.prometheusServlet.", beforeSecrets},
	{"spark.metrics.conf.*.sink.jmx.", beforeSecrets},
	{Jars, beforeSecrets},
	{Files, beforeSecrets},
	{Archives, beforeSecrets},
	{Packages, beforeSecrets},
	{PackageExcl, beforeSecrets},
	{LocalDir, beforeSecrets},
	{ConnectPort, beforeSecrets},
}

// RefusedFromSecret returns why a property cannot come from a Secret; "" if it can.
func RefusedFromSecret(key string) string {
	if remedy, ok := owned[key]; ok {
		return "the operator owns this property: " + remedy
	}
	if !strings.HasPrefix(key, prefix) || key == prefix {
		return "the key is not a property of Spark: use a key that begins with spark."
	}
	key = presentName(key)
	for _, e := range notFromSecret {
		if key == e.key || strings.HasSuffix(e.key, ".") && strings.HasPrefix(key, e.key) {
			return e.reason
		}
	}
	if startsExecutors(key) {
		return inPods + "set it in sparkConf if they may"
	}
	return ""
}

// startsExecutors reports whether executors need a property before they can reach the driver. Spark writes such
// properties into their pods, as Java options in clear text (SparkConf.isExecutorStartupConf; those for SSL from 4.0
// on).
func startsExecutors(key string) bool {
	for _, begin := range []string{"spark.auth", "spark.rpc", "spark.network", "spark.port."} {
		if strings.HasPrefix(key, begin) {
			return true
		}
	}
	return strings.HasPrefix(key, "spark.ssl") && !strings.Contains(key, "Password") || strings.HasSuffix(key, ".port")
}

// addSecrets adds the properties of spec.sparkConfFrom with the value Masked. Their real values are filled in only when
// the properties file is written.
func addSecrets(merged Properties, spec *v1alpha1.SparkApplicationSpec, typed Properties) []Finding {
	var findings []Finding
	for _, source := range spec.SparkConfFrom {
		key, field := source.Name, FieldOfSecret(source.Name)
		_, inSparkConf := spec.SparkConf[key]
		property, inField := typed[key]
		var message string
		switch reason := RefusedFromSecret(key); {
		case reason != "":
			message = "the property " + redact.Visible(key) + " cannot be taken from a Secret: " + reason
		case inSparkConf:
			message = "the property is already set by " + fieldOfKey(key) + "; remove one"
		case inField:
			message = "the property is already set by " + property.Origin.Field + "; remove one"
		default:
			merged.Set(key, Masked, Origin{Source: Secret, Field: field})
			continue
		}
		findings = append(findings, Finding{Field: field, Message: message})
	}
	return findings
}

// FieldOfSecret returns the path of a property in spec.sparkConfFrom.
func FieldOfSecret(key string) string { return At("spec.sparkConfFrom", key) }

// Revealed returns a copy of the properties with the real values of those that come from Secrets. It is only for the
// file that the driver reads. A property that is not in values stays masked.
func (p Properties) Revealed(values map[string]string) Properties {
	if len(values) == 0 {
		return p
	}
	revealed := maps.Clone(p)
	for key, value := range values {
		if property, ok := revealed[key]; ok && property.Origin.Source == Secret {
			revealed.Set(key, value, property.Origin)
		}
	}
	return revealed
}

// redaction is the prefix of the properties that say what Spark hides.
const redaction = "spark.redaction."

// redactionRegex is Spark's default for what it hides in its listings, from 4.0 on. It includes the default of 3.5.
const redactionRegex = `(?i)secret|password|token|access[.]?key|credential`

// redacts matches the keys that every supported version of Spark hides by default.
var redacts = regexp.MustCompile(`(?i)secret|password|token|access[.]?key`)

// hideSecrets makes Spark hide the properties that come from Secrets in its web interface and event log, unless the
// user has set RedactionRegex.
func hideSecrets(p Properties) {
	if _, chosen := p[RedactionRegex]; chosen {
		return
	}
	var more []string
	for key, property := range p {
		if property.Origin.Source == Secret && !redacts.MatchString(key) {
			more = append(more, regexp.QuoteMeta(key))
		}
	}
	if len(more) > 0 {
		slices.Sort(more)
		p.Put(RedactionRegex, redactionRegex+"|"+strings.Join(more, "|"))
	}
}
