// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package render

// metadataStep adds what spark-submit does not: the owner, and annotations for people and for the cluster's autoscaler.
// Moving a driver means losing the run, so that the autoscaler may not empty its node; executors may be moved.
func metadataStep(b *build) error {
	pod := b.driver.pod
	pod.Namespace = b.in.App.Namespace
	pod.OwnerReferences = ownerReferences(b.in.App)
	for name, value := range map[string]string{
		"kubectl.kubernetes.io/default-container":        b.driver.container.Name,
		"cluster-autoscaler.kubernetes.io/safe-to-evict": "false",
	} {
		if _, chosen := pod.Annotations[name]; !chosen {
			b.driver.annotate(map[string]string{name: value})
		}
	}
	return nil
}
