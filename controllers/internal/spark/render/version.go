// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package render

import "strings"

// client is what differs between the minor versions of Spark's client, as far as this package builds it.
type client struct {
	// connectPort: driver container and Service name the port of Spark Connect.
	connectPort bool
	// labelTokens: {{APP_ID}} and {{EXECUTOR_ID}} are replaced in labels, not in annotations alone.
	labelTokens bool
	// imageTokens: {{SPARK_VERSION}} is replaced in the name of the image.
	imageTokens bool
	// minOverhead: the least memory overhead can be set by a property.
	minOverhead bool
	// mountSubPathExpr and volumeOptions: options of volumes that came later than the others.
	mountSubPathExpr bool
	hostPathType     bool
	// refusesBareSizes: a size of a volume without a unit is an error.
	refusesBareSizes bool
	// excludedSteps: spark.kubernetes.driver.pod.excludedFeatureSteps is honoured.
	excludedSteps bool
}

// clients are the versions that this package builds for, by major.minor. A version belongs here once recordings of its client hold.
var clients = map[string]client{
	"4.1": {
		connectPort:      true,
		labelTokens:      true,
		imageTokens:      true,
		minOverhead:      true,
		mountSubPathExpr: true,
		hostPathType:     true,
		refusesBareSizes: true,
		excludedSteps:    true,
	},
}

// latest is the version by which newer ones are built.
const latest = "4.1"

// SupportedVersion says whether drivers of a Spark version can be built, and names the minor versions that can.
func SupportedVersion(sparkVersion string) (bool, string) {
	_, ok := clients[minorOf(sparkVersion)]
	return ok, latest
}

// clientOf returns the rules of a version; those of the latest one for a version that is not known.
func clientOf(sparkVersion string) client {
	if rules, ok := clients[minorOf(sparkVersion)]; ok {
		return rules
	}
	return clients[latest]
}

// minorOf cuts a version down to major.minor.
func minorOf(sparkVersion string) string {
	major, rest, _ := strings.Cut(sparkVersion, ".")
	minor, _, _ := strings.Cut(rest, ".")
	return major + "." + minor
}
