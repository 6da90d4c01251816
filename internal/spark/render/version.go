// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package render

import (
	"slices"
	"strconv"
	"strings"
)

// Supported are the minor versions of Spark that drivers are built for, oldest first. A version belongs here once
// recordings of its client hold.
var Supported = []string{"3.5", "4.0", "4.1", "4.2", "4.3"}

// client is what differs between the minor versions of Spark's client, as far as this package builds it.
type client struct {
	// labelTokens: {{APP_ID}} and {{EXECUTOR_ID}} are replaced in labels, not in annotations alone.
	labelTokens bool
	// minOverhead: the least memory overhead can be set by a property.
	minOverhead bool
	// volumeOptions: mount.subPathExpr, the type of a hostPath, labels and annotations of a claim are honoured.
	volumeOptions bool
	// podClaims: claims that are created are for one pod, not for one node, unless a property says so.
	podClaims bool
	// refusesBareSizes: a size of a volume without a unit is an error.
	refusesBareSizes bool

	// connectPort: driver container and Service name the port of Spark Connect.
	connectPort bool
	// imageTokens: {{SPARK_VERSION}} is replaced in the name of the image.
	imageTokens bool
	// gracePeriod: a property says how long executors have to end, whatever their template says.
	gracePeriod bool
	// excludedSteps: spark.kubernetes.driver.pod.excludedFeatureSteps is honoured.
	excludedSteps bool

	// connectProtocol: the Service says that the port of Spark Connect speaks gRPC.
	connectProtocol bool
	// allocationMaximum: a property bounds how many executor pods a driver creates in its whole life.
	allocationMaximum bool
	// binaryUnits: sizes of memory may be written as Kubernetes does, such as 1Gi.
	binaryUnits bool
	// networkPolicy: executors take connections from pods of their application only.
	networkPolicy bool

	// privileges: a property says whether processes of the container may gain privileges, whatever the template says.
	privileges bool
	// notReadyAddresses: a property says whether the Service names a driver that is not ready.
	notReadyAddresses bool
	// proxyIsUser: SPARK_USER is the user to impersonate, if there is one.
	proxyIsUser bool
}

// clientOf returns the rules of a version: which minor version brought what, and the class of Spark that shows it. A
// version that is too new to be known is built like the latest one.
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

		privileges:        since43, // BasicDriverFeatureStep, BasicExecutorFeatureStep
		notReadyAddresses: since43, // DriverServiceFeatureStep
		proxyIsUser:       since43, // BasicDriverFeatureStep
	}
}

// SupportedVersion reports whether drivers of a Spark version can be built.
func SupportedVersion(sparkVersion string) bool {
	major, minor := numbersOf(sparkVersion)
	return slices.Contains(Supported, strconv.Itoa(major)+"."+strconv.Itoa(minor))
}

// ReplacesLabelTokens reports whether a Spark version replaces tokens in labels.
func ReplacesLabelTokens(sparkVersion string) bool { return clientOf(sparkVersion).labelTokens }

// ReplacesImageTokens reports whether a Spark version replaces tokens in the name of the image.
func ReplacesImageTokens(sparkVersion string) bool { return clientOf(sparkVersion).imageTokens }

// HonoursMinOverhead reports whether a Spark version lets a property set the least memory overhead.
func HonoursMinOverhead(sparkVersion string) bool { return clientOf(sparkVersion).minOverhead }

// TakesBinaryUnits reports whether a Spark version knows sizes of memory such as 1Gi.
func TakesBinaryUnits(sparkVersion string) bool { return clientOf(sparkVersion).binaryUnits }

// BoundsExecutorPods reports whether a Spark version has a property that bounds how many executor pods a driver creates
// in its whole life.
func BoundsExecutorPods(sparkVersion string) bool { return clientOf(sparkVersion).allocationMaximum }

// SetsGracePeriod reports whether a Spark version decides by a property how long executors have to end, whatever their
// template says.
func SetsGracePeriod(sparkVersion string) bool { return clientOf(sparkVersion).gracePeriod }

// SetsPrivileges reports whether a Spark version decides by a property whether processes may gain privileges, whatever
// a template says.
func SetsPrivileges(sparkVersion string) bool { return clientOf(sparkVersion).privileges }

// atLeast reports whether a version is as new as a minor version, or newer.
func atLeast(sparkVersion string, major, minor int) bool {
	gotMajor, gotMinor := numbersOf(sparkVersion)
	return gotMajor > major || gotMajor == major && gotMinor >= minor
}

// numbersOf cuts a version down to major and minor; what is not a number counts as -1.
func numbersOf(sparkVersion string) (major, minor int) {
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
