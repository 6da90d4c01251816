// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package pods

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/base/redact"
)

// StartProblem is why a pod does not start, in a wording that does not change while the cause stays the same. The
// kubelet alternates between ErrImagePull and ImagePullBackOff, and the scheduler counts nodes; a status that repeated
// them would be written again and again. The zero value means that nothing is known to be wrong.
type StartProblem struct {
	// Reason is the one of the kubelet or the scheduler.
	Reason string
	// Message is for users.
	Message string
	// Permanent reports that waiting does not help.
	Permanent bool
	// Reference reports that an object which the pod references is missing. It may still be created.
	Reference bool
	// Detail is what the kubelet or scheduler reports now. It changes often, so it is used only in a message that is
	// written once, when the operator gives up.
	Detail string
	// Brief is the message without the reasons of the scheduler, which may change while the pod waits. Empty for other
	// problems.
	Brief string
}

// GivenUp returns the message for the end of the wait, when the pod is deleted. It includes the last report of the
// kubelet or scheduler.
func (p StartProblem) GivenUp() string {
	message := cmp.Or(p.Brief, p.Message)
	for _, follows := range []string{containerFollows, podFollows} {
		if what, ok := strings.CutSuffix(message, follows); ok && p.Reference {
			message = what + "create it before the next attempt or run"
		}
	}
	if p.Detail == "" {
		return message
	}
	return message + "; last reported: " + p.Detail
}

// Remedies for a missing object while the pod waits for it.
const (
	containerFollows = "create it, and the container starts automatically"
	podFollows       = "create it, and the pod starts automatically"
)

// unschedulable follows the role of a pod for which no node is found.
const unschedulable = " pod is unschedulable"

// seeScheduler points users to a reason of the scheduler that is not known. What a scheduler says can count nodes and
// change often, so a message has only the reasons that are known.
const seeScheduler = "kubectl describe pod shows the scheduler's reason"

// missingClaim matches what kube-scheduler reports about a claim that does not exist (plugins VolumeBinding and
// VolumeRestrictions).
var missingClaim = regexp.MustCompile(`persistentvolumeclaim "[^"]+" (?:not found|is being deleted)`)

// nodesUnfit matches what kube-scheduler reports if no node fits, up to what it says about preemption; Volcano reports
// the same in almost the same words. The first group has the reasons, each after its number of nodes. The second group
// is not empty if the message was cut off.
var nodesUnfit = regexp.MustCompile(`^0/\d+ nodes are (?:un)?available: (\d+ .+?)(?:\.(?: |$)|(…)$)`)

// nextReason matches what separates one reason of nodesUnfit from the next.
var nextReason = regexp.MustCompile(`, \d+ `)

// schedulerReasons returns why no node fits, in the scheduler's words without its numbers of nodes; empty if it does
// not say so in known words. Nodes that start or stop answering are left out.
func schedulerReasons(message string) string {
	found := nodesUnfit.FindStringSubmatch(message)
	if found == nil {
		return ""
	}
	all := nextReason.Split(", "+found[1], -1)
	if found[2] != "" {
		all = all[:len(all)-1]
	}
	var reasons []string
	for _, reason := range all {
		if reason != "" && !strings.Contains(reason, "{node.kubernetes.io/") {
			reasons = append(reasons, reason)
		}
	}
	slices.Sort(reasons)
	return strings.Join(slices.Compact(reasons), ", ")
}

// BothUnschedulable reports whether two messages say of pods with the same role that no node fits, for whatever reason.
func BothUnschedulable(a, b string) bool {
	who, _, isA := strings.Cut(a, unschedulable)
	other, _, isB := strings.Cut(b, unschedulable)
	return isA && isB && who == other
}

// unboundClaim is what kube-scheduler reports about a claim without a volume: no StorageClass provides one, or it is
// still being created.
const unboundClaim = "unbound immediate PersistentVolumeClaims"

// WhyNotStarted returns why a driver or executor does not run yet.
func WhyNotStarted(r *Record) StartProblem {
	if r.Role == Executor {
		return whyNotStarted(r, executorTerms)
	}
	return whyNotStarted(r, driverTerms)
}

func whyNotStarted(r *Record, wo terms) StartProblem {
	w := r.Waiting
	p := StartProblem{Reason: w.Reason}
	switch w.Reason {
	case "":
		return p
	case "InvalidImageName":
		p.Permanent = true
		p.Message = fmt.Sprintf("image name %q is not valid (InvalidImageName); correct spec.image", w.Image)
	case "ErrImageNeverPull":
		p.Message = fmt.Sprintf("image %q is not on the node and imagePullPolicy is Never (ErrImageNeverPull); load the image on the nodes, or set spec.imagePullPolicy to IfNotPresent", w.Image)
	case "ErrImagePull", "ImagePullBackOff", "RegistryUnavailable", "SignatureValidationFailed", "ImageInspectError":
		p.Reason = "ImagePullBackOff"
		p.Message = fmt.Sprintf("image %q cannot be pulled (ImagePullBackOff); correct its name or tag, or name a Secret for its registry in spec.imagePullSecrets", w.Image)
		p.Detail = strings.TrimPrefix(w.Message, fmt.Sprintf("Back-off pulling image %q: ", w.Image))
	case corev1.PodReasonUnschedulable:
		p.explainUnschedulable("the "+wo.who+unschedulable, w.Message)
	case corev1.PodReasonSchedulingGated:
		p.Message = remedy("the "+wo.who+" pod waits behind the scheduling gate "+w.Message+", which another system has to remove", ungates(r))
	case "CreateContainerConfigError":
		p.Message = sentence(wo.who+"'s container cannot start", w.Reason, w.Message)
		switch {
		case strings.Contains(w.Message, "runAsNonRoot"):
			p.Permanent = true
			p.Message = remedy(p.Message, "set securityContext.runAsUser in "+wo.template+" to a user other than 0")
		case strings.Contains(w.Message, "not found"), strings.Contains(w.Message, "couldn't find key"):
			p.Reference = true
			p.Message = remedy(p.Message, containerFollows)
		}
	default:
		p.Message = sentence(wo.who+"'s container cannot start", w.Reason, w.Message)
	}
	return p
}

// explainUnschedulable sets the messages for a pod for which no node is found, from what the scheduler reports. what is
// how messages begin.
func (p *StartProblem) explainUnschedulable(what, report string) {
	p.Message, p.Detail = remedy(what, seeScheduler), report
	if claim := missingClaim.FindString(report); claim != "" {
		p.Reference, p.Message = true, remedy(what+": "+claim, podFollows)
		return
	}
	if strings.Contains(report, unboundClaim) {
		p.Message = remedy(what+": a PersistentVolumeClaim that it names has no volume yet", "kubectl describe pvc shows what it waits for")
		return
	}
	p.Brief = what
	if reasons := schedulerReasons(report); reasons != "" {
		p.Message = what + ": " + reasons
	}
}

// foreignGates returns the names of the pod's scheduling gates that other systems have to remove, empty if there are
// none.
func foreignGates(pod *corev1.Pod) string {
	var names []string
	for _, gate := range pod.Spec.SchedulingGates {
		if gate.Name != v1alpha1.QuotaSchedulingGate {
			names = append(names, gate.Name)
		}
	}
	return strings.Join(names, ", ")
}

// ungates returns how to get the scheduling gate of another system removed; empty if that is not known.
func ungates(r *Record) string {
	if !r.KueueSchedulingGated {
		return ""
	}
	return "Kueue's pod integration admits each pod as a job of its own: exclude the namespace in managedJobsNamespaceSelector of Kueue's " +
		"configuration, or use gate " + string(v1alpha1.GateKueue)
}

// WhyPending returns the problem that most of the executors which could start and do not have. It is the zero value if
// none has any. Its message has at most 256 bytes.
func WhyPending(records []*Record) StartProblem {
	count := map[string]int{}
	var first StartProblem
	for _, r := range records {
		if r.Role != Executor || !r.Active() || r.Deleting || r.SchedulingGate != nil || r.Running {
			continue
		}
		p := WhyNotStarted(r)
		if p.Message == "" {
			continue
		}
		p.Message, p.Detail = redact.First(p.Message, maxFailureMessage), ""
		count[p.Message]++
		if n := count[p.Message]; n > count[first.Message] || n == count[first.Message] && p.Message < first.Message {
			first = p
		}
	}
	return first
}
