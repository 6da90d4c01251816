// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package kueue

import (
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kueuev1 "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"github.com/sparkgate/sparkgate/queueing"
)

// Kueue explains in messages for users why a Workload waits (kueue v0.19, pkg/scheduler, pkg/scheduler/flavorassigner).
// They are shown to users, and interpreted here for two purposes only: to remove numbers that change on their own,
// because each change would be a write, and to choose one of our reasons for the wait. An unknown message is shown as
// it is, as a wait for quota or for Kueue.

// movingParts are the parts of Kueue's messages that change although nothing changes for the waiting Workload, and
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

// givenBack is the prefix of the message of condition QuotaReserved after a Workload has released its quota, until
// Kueue writes a new message.
const givenBack = "The quota was given back: "

// queueBlocks matches what Kueue says about a Workload whose queue admits nothing. The message stays after the queue
// admits again, until Kueue evaluates the Workload, which it defers while an equivalent one is waiting.
var queueBlocks = regexp.MustCompile(`^(LocalQueue|ClusterQueue) \S+ (doesn't exist|not found|is inactive|is stopped|is terminating or missing)$`)

// pending are Kueue's messages for a Workload that it has not evaluated, or not since something has changed: that is all
// they say.
var pending = []string{
	"Workload is pending evaluation in the scheduling queue",
	"AdmissionGatedBy cleared, waiting for quota reservation",
	"The workload is deactivated",
}

// saysWhy reports whether a condition QuotaReserved=False explains why a Workload has no quota although its queues
// admit, which means that Kueue has evaluated it since.
func saysWhy(c *metav1.Condition) bool {
	return c != nil && c.Message != "" && !strings.HasPrefix(c.Message, givenBack) && !queueBlocks.MatchString(c.Message) && !slices.Contains(pending, c.Message)
}

// preempting is what Kueue says while it preempts other Workloads for one.
const preempting = "Pending the preemption of"

// maxMessage bounds the length of a message that is shown, in bytes.
const maxMessage = 700

// stabilise returns a message of Kueue without numbers that change on their own.
func stabilise(message string) string {
	for _, m := range movingParts {
		message = m.pattern.ReplaceAllString(message, m.becomes)
	}
	if len(message) > maxMessage {
		message = strings.ToValidUTF8(message[:maxMessage], "") + "…"
	}
	return strings.TrimSuffix(message, ".")
}

// otherReasons are Kueue's reasons for a wait that is not for quota. Some of them are new in Kueue's next version.
var otherReasons = []string{
	kueuev1.WorkloadInadmissible, kueuev1.WorkloadAdmissionGated, "Waiting", kueuev1.WorkloadQuotaReservedReasonWaitingForPodsReady,
	kueuev1.WorkloadQuotaReservedReasonMisconfigured, kueuev1.WorkloadQuotaReservedReasonPendingEvaluation,
}

// reasonFromMessage returns the reason of a wait for quota, judging by Kueue's condition QuotaReserved=False.
func reasonFromMessage(c *metav1.Condition, asked []queueing.PodSet) string {
	says := func(part string) bool { return strings.Contains(c.Message, part) }
	switch {
	case says("workload namespace doesn't match ClusterQueue selector"):
		return queueing.ReasonNamespaceNotAllowed
	case says(preempting):
		return queueing.ReasonWaitingForQuota
	case neverFits(c.Message, asked):
		return queueing.ReasonExceedsQuota
	case mayFit(c.Message), says("> maximum capacity"):
		return queueing.ReasonWaitingForQuota
	case says("untolerated taint"), says("doesn't match node affinity"):
		return queueing.ReasonFlavorMismatch
	case slices.Contains(otherReasons, c.Reason):
		return queueing.ReasonWaitingForGate
	}
	return queueing.ReasonWaitingForQuota
}

// podSetPart begins Kueue's text about one pod set. Kueue tries the pod sets one by one, and stops at the first that
// fits nowhere.
const podSetPart = "couldn't assign flavors to pod set "

// neverFits reports whether Kueue says about some pod set that it fits into no flavor even if nothing else were
// running.
func neverFits(message string, asked []queueing.PodSet) bool {
	return slices.ContainsFunc(strings.Split(message, podSetPart)[1:], func(part string) bool {
		name, found, _ := strings.Cut(part, ":")
		i := slices.IndexFunc(asked, func(p queueing.PodSet) bool { return p.Name == name })
		switch {
		case mayFit(found):
			return false
		case strings.Contains(found, " unavailable in ClusterQueue"):
			return true
		}
		return strings.Contains(found, "> maximum capacity") && (i < 0 || !leastMayFit(found, asked[i]))
	})
}

// mayFit reports whether Kueue says about some flavor that it is only full for now.
func mayFit(message string) bool {
	return slices.ContainsFunc([]string{"insufficient unused quota", "doesn't allow to fit any of", "allows to fit only"}, func(part string) bool {
		return strings.Contains(message, part)
	})
}

// aboveCapacity matches what Kueue says about a flavor that is too small for all pods of a set, in addition to those of
// earlier sets.
var aboveCapacity = regexp.MustCompile(`podsets requests \(([^)]+)\) \+ current podset request \(([^)]+)\) > maximum capacity \(([^)]+)\)`)

// leastMayFit reports whether some flavor that is too small for all pods of a set is large enough for the smallest
// number of them. Kueue mentions all pods even where it has tried fewer.
func leastMayFit(message string, p queueing.PodSet) bool {
	return p.Least() < p.Count && slices.ContainsFunc(aboveCapacity.FindAllStringSubmatch(message, -1), func(found []string) bool {
		var amounts [3]float64
		for i, text := range found[1:] {
			q, err := resource.ParseQuantity(text)
			if err != nil {
				return false
			}
			amounts[i] = float64(q.MilliValue())
		}
		return amounts[0]+amounts[1]*float64(p.Least())/float64(p.Count) <= amounts[2]
	})
}
