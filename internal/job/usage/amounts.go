// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package usage

import (
	"math"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/queueing/amounts"
)

// Amounts are cores, GiB of memory and accelerators, or these multiplied by seconds or hours; the name of a variable
// says which. They are never negative.
type Amounts struct {
	CPU    float64 `json:"cpu"`
	Memory float64 `json:"memory"`
	GPU    float64 `json:"gpu"`
}

const (
	milli = 1000
	gib   = 1 << 30
	// mibPerGiB converts GiB into the unit of the status.
	mibPerGiB = 1024
	// maxAmount is the largest amount that is written; a float64 represents it exactly.
	maxAmount = 1 << 62
)

// Plus returns the sum.
func (a Amounts) Plus(b Amounts) Amounts {
	return Amounts{a.CPU + b.CPU, a.Memory + b.Memory, a.GPU + b.GPU}
}

// Minus returns the difference; 0 where it would be negative.
func (a Amounts) Minus(b Amounts) Amounts {
	return Amounts{max(0, a.CPU-b.CPU), max(0, a.Memory-b.Memory), max(0, a.GPU-b.GPU)}
}

// Times returns the amounts multiplied by a factor; a negative factor counts as 0.
func (a Amounts) Times(factor float64) Amounts {
	factor = max(0, factor)
	return Amounts{a.CPU * factor, a.Memory * factor, a.GPU * factor}
}

// FromStatus converts the amounts of a status, in seconds. Negative ones count as 0.
func FromStatus(s v1alpha1.ResourceSeconds) Amounts {
	return Amounts{
		CPU:    float64(max(0, s.MilliCPUSeconds)) / milli,
		Memory: float64(max(0, s.MemoryMiBSeconds)) / mibPerGiB,
		GPU:    float64(max(0, s.MilliGPUSeconds)) / milli,
	}
}

// Status converts the amounts into those of a status, rounded to its units.
func (a Amounts) Status() v1alpha1.ResourceSeconds {
	return v1alpha1.ResourceSeconds{
		MilliCPUSeconds:  whole(a.CPU * milli),
		MemoryMiBSeconds: whole(a.Memory * mibPerGiB),
		MilliGPUSeconds:  whole(a.GPU * milli),
	}
}

func whole(amount float64) int64 { return int64(math.Round(min(max(0, amount), maxAmount))) }

// Of returns the amounts of requests. Out-of-range quantities are clamped as package amounts does it.
func Of(requests map[corev1.ResourceName]resource.Quantity) Amounts {
	var a Amounts
	for name, quantity := range requests {
		amount := float64(amounts.Clamp(string(name), quantity))
		switch {
		case name == corev1.ResourceCPU:
			a.CPU += amount / milli
		case name == corev1.ResourceMemory:
			a.Memory += amount / gib
		case IsGPU(string(name)):
			a.GPU += amount
		}
	}
	return a
}

// OfGrant returns the amounts that a grant holds; zero for nil.
func OfGrant(grant *v1alpha1.Grant) Amounts {
	var a Amounts
	if grant == nil {
		return a
	}
	for i := range grant.PodSets {
		a = a.Plus(Of(grant.PodSets[i].Requests).Times(float64(grant.PodSets[i].Count)))
	}
	return a
}

// IsGPU reports whether an extended resource is an accelerator, or a part of one: nvidia.com/gpu, amd.com/gpu,
// nvidia.com/mig-1g.5gb, gpu.intel.com/i915. Each one counts as 1.
func IsGPU(resource string) bool {
	_, kind, extended := strings.Cut(resource, "/")
	return extended && (strings.Contains(resource, "gpu") || strings.HasPrefix(kind, "mig-"))
}
