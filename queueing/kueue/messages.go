// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package kueue

import (
	"regexp"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kueuev1 "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"github.com/sparkgate/sparkgate/queueing"
)

// Kueue says why a Workload waits in messages for people (kueue v0.19, pkg/scheduler, pkg/scheduler/flavorassigner).
// They are shown to people, and read here for two things only: figures that move by themselves are taken out, because
// each change would be a write; and the wait gets one of the reasons that there are. A sentence that is not known is
// shown as it is, as a wait for quota or for Kueue.

// movingParts are the parts of Kueue's messages that change although nothing changes for the waiting Workload, with
// their replacements.
var movingParts = []struct {
	pattern *regexp.Regexp
	becomes string
}{
	{regexp.MustCompile(`, [^ ,;]+ more needed`), ""},
	{regexp.MustCompile(`the (preemption|migration) of \d+ workload\(s\)`), "the $1 of other Workloads"},
	{regexp.MustCompile(`Preempting \d+ workload\(s\)`), "Preempting other Workloads"},
	{regexp.MustCompile(`(doesn't allow to fit any|allows to fit only \d+ out) of`), "doesn't allow to fit all of"},
	{regexp.MustCompile(`Total nodes: \d+; excluded: `), "Nodes are excluded by "},
	{regexp.MustCompile(`\b((?:nodeSelector|affinity|topologyDomain|schedulerLibraryNoFit)|(?:taint|resource) "[^"]*"): \d+`), "$1"},
}

const preempting = "Pending the preemption of"

// maxMessage bounds what is shown of a message, in bytes.
const maxMessage = 700

// stabilise returns a message of Kueue without figures that move.
func stabilise(message string) string {
	for _, m := range movingParts {
		message = m.pattern.ReplaceAllString(message, m.becomes)
	}
	if len(message) > maxMessage {
		message = strings.ToValidUTF8(message[:maxMessage], "") + "…"
	}
	return strings.TrimSuffix(message, ".")
}

// mentionsPreemption reports whether Kueue is preempting other Workloads for this one.
func mentionsPreemption(message string) bool { return strings.Contains(message, preempting) }

// reasonFromMessage returns the reason of a wait for quota, from Kueue's condition QuotaReserved=False.
func reasonFromMessage(c *metav1.Condition) string {
	says := func(part string) bool { return strings.Contains(c.Message, part) }
	switch {
	case says("workload namespace doesn't match ClusterQueue selector"):
		return queueing.ReasonNamespaceNotAllowed
	case says("insufficient unused quota"), says(preempting), says("doesn't allow to fit any of"), says("allows to fit only"):
		return queueing.ReasonWaitingForQuota
	case says("> maximum capacity"):
		return queueing.ReasonExceedsQuota
	case says("untolerated taint"), says("doesn't match node affinity"):
		return queueing.ReasonFlavorMismatch
	case c.Reason == kueuev1.WorkloadInadmissible:
		return queueing.ReasonWaitingForGate
	}
	return queueing.ReasonWaitingForQuota
}
