// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package guardpolicies

import (
	"path/filepath"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/sparkgate/sparkgate/test/integration/env"
)

const inPlace = "is removed when its queue has quota: leave it in place"

// lifting: pods that wait behind the gate, and are to get past it.
func lifting() []attempt {
	return []attempt{
		{what: "the gate removed with a patch, by the owner of the pod", outcome: isRefused, by: env.ByGuard, says: inPlace, try: waiting(func(tn *tenant, p *corev1.Pod) error {
			return tn.user().Patch(tn.t.Context(), p, ungatePatch)
		})},
		{what: "… by the program in the driver, from an executor", outcome: isRefused, by: env.ByGuard, says: inPlace, try: func(tn *tenant) (*corev1.Pod, error) {
			driver := tn.own("pi")
			p := executorPod(driver, "executor")
			create(tn.t, tn.program(driver), p)
			return p, tn.program(driver).Patch(tn.t.Context(), p, ungatePatch)
		}},
		{what: "… by an update of the whole pod, as `kubectl edit` and `kubectl replace` do", outcome: isRefused, by: env.ByGuard, says: inPlace,
			try: waiting(func(tn *tenant, p *corev1.Pod) error {
				p.Spec.SchedulingGates = nil
				return tn.user().Update(tn.t.Context(), p)
			})},
		{what: "… by a server-side apply that no longer names it", outcome: isRefused, by: env.ByGuard, says: inPlace, try: func(tn *tenant) (*corev1.Pod, error) {
			gate := "spec: {schedulingGates: [{name: sparkgate.io/quota}]}"
			if err := tn.apply(gate); err != nil {
				return nil, err
			}
			return tn.pod(driverPod("applied")), tn.apply("spec: {}")
		}},
		{what: "… and replaced by a gate of another name", outcome: isRefused, by: env.ByServer, says: "only deletion is allowed",
			try: waiting(func(tn *tenant, p *corev1.Pod) error {
				p.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "example.org/mine"}}
				return tn.user().Update(tn.t.Context(), p)
			})},
		{what: "`kubectl replace --force`: deleted and created again without it", outcome: isGated, says: "the new pod is gated as well", try: replaced},
		{what: "… through `pods/ephemeralcontainers`", outcome: isGated, says: "the API server ignores everything else in such a request",
			try: waiting(func(tn *tenant, p *corev1.Pod) error {
				p.Spec.SchedulingGates = nil
				return tn.user().SubResource("ephemeralcontainers").Update(tn.t.Context(), p)
			})},
		{what: "… through `pods/status`", outcome: isGated, says: "the API server ignores everything else in such a request",
			try: waiting(func(tn *tenant, p *corev1.Pod) error {
				p.Spec.SchedulingGates = nil
				return tn.user().Status().Update(tn.t.Context(), p)
			})},
		{what: "bound to a node by hand, or by a scheduler that ignores scheduling gates (`pods/binding`)", outcome: isRefused, by: env.ByServer,
			says: "has non-empty .spec.schedulingGates", try: waiting(func(tn *tenant, p *corev1.Pod) error {
				return tn.user().SubResource("binding").Create(tn.t.Context(), p, bindingOf(p.Name))
			})},
		{what: "… by the older resource `bindings`", outcome: isRefused, by: env.ByServer, says: "has non-empty .spec.schedulingGates",
			try: waiting(func(tn *tenant, p *corev1.Pod) error {
				b := bindingOf(p.Name)
				b.Namespace = p.Namespace
				return tn.user().Create(tn.t.Context(), b)
			})},
		{what: "evicted, and created again", outcome: isGated, says: "the new pod is gated as well", try: func(tn *tenant) (*corev1.Pod, error) {
			p := tn.released(driverPod("evicted"))
			eviction := &policyv1.Eviction{}
			if err := tn.user().SubResource("eviction").Create(tn.t.Context(), p, eviction); err != nil {
				return nil, err
			}
			return made(tn, driverPod("evicted"))
		}},
	}
}

// waiting does something to a driver pod of the tenant's that waits behind the gate.
func waiting(try func(*tenant, *corev1.Pod) error) func(*tenant) (*corev1.Pod, error) {
	return func(tn *tenant) (*corev1.Pod, error) {
		p := tn.pod(driverPod("submit"))
		create(tn.t, tn.user(), p)
		return p, try(tn, p)
	}
}

// apply applies a driver pod with the part that is given, server-side.
func (tn *tenant) apply(part string) error {
	p := tn.pod(driverPod("applied"))
	p.APIVersion, p.Kind = "v1", "Pod"
	data, err := yaml.Marshal(p)
	if err != nil {
		return err
	}
	var whole, more map[string]any
	for text, into := range map[string]*map[string]any{string(data): &whole, part: &more} {
		if err := yaml.Unmarshal([]byte(text), into); err != nil {
			return err
		}
	}
	for key, value := range more["spec"].(map[string]any) {
		whole["spec"].(map[string]any)[key] = value
	}
	if data, err = yaml.Marshal(whole); err != nil {
		return err
	}
	return tn.user().Patch(tn.t.Context(), p, client.RawPatch(types.ApplyPatchType, data), client.FieldOwner("tenant"), client.ForceOwnership)
}

// replaced returns a pod that kubectl has replaced by force.
func replaced(tn *tenant) (*corev1.Pod, error) {
	p := tn.pod(driverPod("replaced"))
	p.APIVersion, p.Kind = "v1", "Pod"
	manifest, err := yaml.Marshal(p)
	if err != nil {
		return nil, err
	}
	create(tn.t, tn.user(), p.DeepCopy())
	_, err = env.KubectlWith(tn.t, string(manifest), "replace", "--force", "--as=tenant", "--cache-dir="+filepath.Join(tn.t.TempDir(), "cache"), "-f", "-")
	return p, err
}
