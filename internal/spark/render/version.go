// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package render

import (
	"slices"
	"strconv"
	"strings"
)

// Supported are the minor versions of Spark for which drivers can be built, oldest first. A version may be listed once
// the recordings of its client pass.
var Supported = []string{"3.5", "4.0", "4.1", "4.2", "4.3"}

// client has the differences between the minor versions of Spark's client that matter to this package.
type client struct {
	// labelTokens: {{APP_ID}} and {{EXECUTOR_ID}} are replaced in labels as well, not only in annotations.
	labelTokens bool
	// minOverhead: a property can set the minimum memory overhead.
	minOverhead bool
	// volumeOptions: the options mount.subPathExpr, type of a hostPath, and labels and annotations of a claim are
	// honoured.
	volumeOptions bool
	// podClaims: claims that are created are ReadWriteOncePod instead of ReadWriteOnce, unless a property says
	// otherwise.
	podClaims bool
	// refusesBareSizes: the size of a volume must have a unit.
	refusesBareSizes bool

	// connectPort: driver container and Service have the port of Spark Connect.
	connectPort bool
	// imageTokens: {{SPARK_VERSION}} is replaced in the image name.
	imageTokens bool
	// gracePeriod: a property sets the grace period of executors and overrides their template.
	gracePeriod bool
	// excludedSteps: spark.kubernetes.driver.pod.excludedFeatureSteps is honoured.
	excludedSteps bool

	// connectProtocol: the Service declares gRPC for the port of Spark Connect.
	connectProtocol bool
	// allocationMaximum: a property limits how many executor pods a driver creates during its life.
	allocationMaximum bool
	// binaryUnits: memory sizes may have the units of Kubernetes, as in 1Gi.
	binaryUnits bool
	// resizePolicy: Spark says how cpu and memory of executors are resized, whatever their template says.
	resizePolicy bool
	// networkPolicy: a NetworkPolicy lets only pods of the same application connect to executors.
	networkPolicy bool

	// privileges: a property decides whether processes of the container may gain privileges, and overrides the
	// template.
	privileges bool
	// notReadyAddresses: a property decides whether the Service resolves to a driver that is not ready.
	notReadyAddresses bool
	// proxyIsUser: SPARK_USER is the user to impersonate, if there is one.
	proxyIsUser bool
	// partsOfCores: a task may occupy a part of a core.
	partsOfCores bool
}

// clientOf returns the rules of a version. The comments name the class of Spark that shows the change. A version that
// is too new to be known has the rules of the newest one.
func clientOf(sparkVersion string) client {
	since40, since41 := atLeast(sparkVersion, 4, 0), atLeast(sparkVersion, 4, 1)
	since42, since43 := atLeast(sparkVersion, 4, 2), atLeast(sparkVersion, 4, 3)
	return client{
		labelTokens:      since40, // KubernetesDriverConf.labels
		minOverhead:      since40, // BasicDriverFeatureStep, BasicExecutorFeatureStep (SPARK-47208)
		volumeOptions:    since40, // KubernetesVolumeUtils, MountVolumesFeatureStep (SPARK-49731)
		podClaims:        since40, // MountVolumesFeatureStep
		refusesBareSizes: since40, // KubernetesVolumeUtils

		connectPort:       since41, // BasicDriverFeatureStep, DriverServiceFeatureStep
		imageTokens:       since41, // KubernetesDriverConf.image
		gracePeriod:       since41, // BasicExecutorFeatureStep
		excludedSteps:     since41, // KubernetesDriverBuilder
		allocationMaximum: since41, // ExecutorPodsAllocator

		connectProtocol: since42, // DriverServiceFeatureStep
		binaryUnits:     since42, // JavaUtils.byteStringAs
		networkPolicy:   since42, // NetworkPolicyFeatureStep (SPARK-55653)
		resizePolicy:    since42, // BasicExecutorFeatureStep (SPARK-55431)

		privileges:        since43, // BasicDriverFeatureStep, BasicExecutorFeatureStep
		notReadyAddresses: since43, // DriverServiceFeatureStep
		proxyIsUser:       since43, // BasicDriverFeatureStep
		partsOfCores:      since43, // CPUS_PER_TASK
	}
}

// SupportedVersion reports whether drivers can be built for a Spark version.
func SupportedVersion(sparkVersion string) bool {
	major, minor := NumbersOf(sparkVersion)
	return slices.Contains(Supported, strconv.Itoa(major)+"."+strconv.Itoa(minor))
}

// ReplacesLabelTokens reports whether a Spark version replaces tokens in labels.
func ReplacesLabelTokens(sparkVersion string) bool { return clientOf(sparkVersion).labelTokens }

// ReplacesImageTokens reports whether a Spark version replaces tokens in the image name.
func ReplacesImageTokens(sparkVersion string) bool { return clientOf(sparkVersion).imageTokens }

// HonoursMinOverhead reports whether a property can set the minimum memory overhead in a Spark version.
func HonoursMinOverhead(sparkVersion string) bool { return clientOf(sparkVersion).minOverhead }

// TakesBinaryUnits reports whether a Spark version understands memory sizes such as 1Gi.
func TakesBinaryUnits(sparkVersion string) bool { return clientOf(sparkVersion).binaryUnits }

// BoundsExecutorPods reports whether a Spark version has a property that limits how many executor pods a driver creates
// during its life.
func BoundsExecutorPods(sparkVersion string) bool { return clientOf(sparkVersion).allocationMaximum }

// SetsGracePeriod reports whether a Spark version sets the grace period of executors from a property, which overrides
// their template.
func SetsGracePeriod(sparkVersion string) bool { return clientOf(sparkVersion).gracePeriod }

// SetsPrivileges reports whether a Spark version sets from a property whether processes may gain privileges, which
// overrides the template.
func SetsPrivileges(sparkVersion string) bool { return clientOf(sparkVersion).privileges }

// SetsResizePolicy reports whether a Spark version says how executors are resized, besides what their template says.
func SetsResizePolicy(sparkVersion string) bool { return clientOf(sparkVersion).resizePolicy }

// TakesPartsOfCores reports whether tasks of a Spark version may occupy a part of a core.
func TakesPartsOfCores(sparkVersion string) bool { return clientOf(sparkVersion).partsOfCores }

// atLeast reports whether a version is that minor version or a newer one.
func atLeast(sparkVersion string, major, minor int) bool {
	gotMajor, gotMinor := NumbersOf(sparkVersion)
	return gotMajor > major || gotMajor == major && gotMinor >= minor
}

// NumbersOf returns major and minor of a version; -1 for a part that is not a number.
func NumbersOf(sparkVersion string) (major, minor int) {
	first, rest, _ := strings.Cut(sparkVersion, ".")
	second, _, _ := strings.Cut(rest, ".")
	return number(first), number(second)
}

func number(text string) int {
	if n, err := strconv.Atoi(text); err == nil {
		return n
	}
	return -1
}
