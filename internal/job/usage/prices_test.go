// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package usage

import (
	"math"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

type (
	corev1Name = corev1.ResourceName
	quantity   = resource.Quantity
)

var parse = resource.MustParse

func TestPrices(t *testing.T) {
	t.Parallel()
	list, err := ParsePrices([]byte("currency: EUR\ndefault: {coreHour: 0.04, gibHour: 0.005}\nqueues: {gpu: {gpuHour: 2.5}, free: {coreHour: 0, gibHour: 0}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	hours := Amounts{CPU: 100, Memory: 200, GPU: 10}
	for queue, want := range map[string]float64{"other": 5, "gpu": 30, "free": 0} {
		if got := list.of(queue).cost(hours); math.Abs(got-want) > 1e-9 {
			t.Errorf("queue %s: %v, want %v", queue, got, want)
		}
	}
}

// TestInvalidPrices: each mistake is named with its field, its value and the remedy.
func TestInvalidPrices(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ text, want string }{
		"empty":                {"", "default: it has no price; set default.coreHour"},
		"an unknown field":     {"default: {corehours: 1}", "corehours"},
		"a price that is text": {"default: {coreHour: cheap}", "coreHour"},
		"negative":             {"default: {coreHour: -1}", "default.coreHour: -1 is not a price; use a number from 0 to"},
		"of a queue":           {"queues: {gpu: {gpuHour: 1e99}}", "queues.gpu.gpuHour: 1e+99 is not a price"},
		"not a number":         {"default: {gibHour: .nan}", "gibHour"},
		"a long currency":      {"currency: doubloons\ndefault: {coreHour: 1}", `currency: "doubloons" is not a currency; use at most 8 letters`},
		"a control character":  {"currency: \"\\e[1m\"\ndefault: {coreHour: 1}", "is not a currency"},
		"not YAML":             {"{", "invalid price list"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := ParsePrices([]byte(tc.text))
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
		})
	}
}

func TestIsGPU(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"nvidia.com/gpu": true, "amd.com/gpu": true, "nvidia.com/mig-1g.5gb": true, "gpu.intel.com/i915": true, "nvidia.com/gpu.shared": true,
		"cpu": false, "memory": false, "pods": false, "gpu": false, "rdma/hca": false, "example.org/fpga": false,
	} {
		if IsGPU(name) != want {
			t.Errorf("%s: got %v", name, !want)
		}
	}
}

// TestAmountsStayInBounds: no amount of a status or of a spec makes a sum negative or wraps it.
func TestAmountsStayInBounds(t *testing.T) {
	t.Parallel()
	huge := Amounts{CPU: math.MaxFloat64, Memory: 1e30, GPU: 1}
	if got := huge.Status(); got != (v1alpha1.ResourceSeconds{MilliCPUSeconds: 1 << 62, MemoryMiBSeconds: 1 << 62, MilliGPUSeconds: 1000}) {
		t.Errorf("written: %+v", got)
	}
	if got := FromStatus(v1alpha1.ResourceSeconds{MilliCPUSeconds: math.MinInt64, MemoryMiBSeconds: -1}); got != (Amounts{}) {
		t.Errorf("read: %+v", got)
	}
	if got := (Amounts{CPU: 1}).Minus(Amounts{CPU: 2}).Times(-1); got != (Amounts{}) {
		t.Errorf("less than nothing: %+v", got)
	}
}
