// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package podsets

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/spark/render"
	"github.com/sparkgate/sparkgate/internal/testing/randtest"
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/amounts"
)

// hostileList returns amounts with which an attacker would make sums wrap; small ones mostly.
func hostileList(r *rand.Rand) corev1.ResourceList {
	texts := []string{
		"9223372036854775807", "9223372036854775808", "18446744073709551616", "4611686018427387904", "9007199254740992", "9007199254740993",
		"-1", "-8Gi", "-9223372036854775808", "1e16", "1e19", "1e40", "8Pi", "4Pi", "7Ei", "1n", "-1n",
	}
	list := corev1.ResourceList{}
	for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory, "nvidia.com/gpu"} {
		switch r.IntN(8) {
		case 0:
			list[name] = resource.MustParse(texts[r.IntN(len(texts))])
		case 1, 2, 3:
			list[name] = *resource.NewQuantity(r.Int64N(1<<20), resource.DecimalSI)
		}
	}
	return list
}

func hostileRequirements(r *rand.Rand) corev1.ResourceRequirements {
	return corev1.ResourceRequirements{Requests: hostileList(r), Limits: hostileList(r)}
}

// harden adds what a template may have beside Spark's container.
func harden(r *rand.Rand, pod *corev1.Pod) {
	for i := range r.IntN(3) {
		pod.Spec.Containers = append(pod.Spec.Containers, corev1.Container{Name: fmt.Sprint("side", i), Resources: hostileRequirements(r)})
	}
	for i := range r.IntN(3) {
		c := corev1.Container{Name: fmt.Sprint("init", i), Resources: hostileRequirements(r)}
		if r.IntN(2) == 0 {
			c.RestartPolicy = ptr.To(corev1.ContainerRestartPolicyAlways)
		}
		pod.Spec.InitContainers = append(pod.Spec.InitContainers, c)
	}
	switch r.IntN(6) {
	case 0:
		pod.Spec.Resources = ptr.To(hostileRequirements(r))
	case 1:
		pod.Spec.Overhead = hostileList(r)
	case 2:
		pod.Spec.RuntimeClassName = ptr.To("kata")
	}
}

func hostileEnvironment(r *rand.Rand) Environment {
	e := Environment{RuntimeClasses: map[string]corev1.ResourceList{"kata": hostileList(r)}}
	for i := range r.IntN(3) {
		e.LimitRanges = append(e.LimitRanges, corev1.LimitRange{
			ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("range", i)},
			Spec: corev1.LimitRangeSpec{Limits: []corev1.LimitRangeItem{
				{Type: corev1.LimitTypeContainer, Default: hostileList(r), DefaultRequest: hostileList(r)},
			}},
		})
	}
	return e
}

// within fails unless every amount is one, and driver and executors together also are.
func within(t *testing.T, sets []queueing.PodSet) {
	t.Helper()
	sums := map[string]*big.Int{}
	for _, p := range sets {
		if p.Count < 0 || p.MinCount < 0 {
			t.Fatalf("%s: %d pods, at least %d", p.Name, p.Count, p.MinCount)
		}
		for name, amount := range p.Requests {
			if amount < 0 || amount > amounts.Max {
				t.Fatalf("%s requests %s %d", p.Name, name, amount)
			}
			if sums[name] == nil {
				sums[name] = new(big.Int)
			}
			sums[name].Add(sums[name], new(big.Int).Mul(big.NewInt(int64(p.Count)), big.NewInt(amount)))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(sums)) {
		if sums[name].Cmp(big.NewInt(amounts.Max)) > 0 {
			t.Fatalf("all together request %s %s", name, sums[name])
		}
	}
}

// atLeast fails if a pod requests less than one of its containers says.
func atLeast(t *testing.T, set queueing.PodSet, pod *corev1.Pod) {
	t.Helper()
	for _, c := range slices.Concat(pod.Spec.Containers, pod.Spec.InitContainers) {
		for name, q := range c.Resources.Requests {
			if amount, err := amounts.Of(string(name), q); err != nil || set.Requests[string(name)] < amount {
				t.Fatalf("%s requests %s %d, and container %s alone %s", set.Name, name, set.Requests[string(name)], c.Name, q.String())
			}
		}
	}
}

// TestHostileDemand: whatever templates, limit ranges, overheads, requests of whole pods and counts say, what is asked for can be counted,
// one by one and together, and is not less than what any container requests; or it is refused, with a value and a remedy.
func TestHostileDemand(t *testing.T) {
	t.Parallel()
	counts := []int32{1, 2, 1000, math.MaxInt32 - 1, math.MaxInt32}
	app, plain := build(t, nil)
	taken := 0
	played := randtest.Each(t, 1500, func(seed uint64) {
		r := rand.New(rand.NewPCG(seed, 7))
		objects := plain
		objects.Pod, objects.ExecutorTemplate = plain.Pod.DeepCopy(), plain.ExecutorTemplate.DeepCopy()
		if r.IntN(4) > 0 {
			_, objects = build(t, func(spec *v1alpha1.SparkApplicationSpec) {
				spec.Executor.Instances = ptr.To(counts[r.IntN(len(counts))])
			})
		}
		env := Environment{}
		if r.IntN(2) == 0 {
			env = hostileEnvironment(r)
		}
		if r.IntN(4) > 0 {
			harden(r, objects.Pod)
		}
		if r.IntN(4) > 0 {
			harden(r, objects.ExecutorTemplate)
		}
		sets, err := PodSets(app, objects, env)
		if err != nil {
			refusal(t, err)
			return
		}
		taken++
		within(t, sets)
		executor, err := ExecutorPod(objects)
		if err != nil {
			t.Fatal(err)
		}
		atLeast(t, sets[0], objects.Pod)
		atLeast(t, sets[1], executor)
	})
	if played > 100 && taken < played/20 {
		t.Errorf("only %d of %d demands were taken: the test plays nothing else than refusals", taken, played)
	}
}

// refusal fails unless an error says where, what and what to do.
func refusal(t *testing.T, err error) {
	t.Helper()
	var outside *EnvironmentError
	if errors.As(err, &outside) && strings.Contains(err.Error(), ": value ") && strings.Contains(err.Error(), ": set ") {
		return
	}
	mistake, ok := err.(*render.FindingError)
	if !ok || !strings.HasPrefix(mistake.Field, "spec.") || !strings.Contains(mistake.Message, "value ") || !strings.Contains(mistake.Message, ": set ") {
		t.Fatalf("the refusal lacks field, value or remedy: %v", err)
	}
}

// What the namespace and the cluster add is refused by their names.
func TestHostileEnvironment(t *testing.T) {
	t.Parallel()
	negative := corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("-8Gi")}
	for name, test := range map[string]struct {
		item  *corev1.LimitRangeItem
		class string
		want  string
	}{
		"a default request": {item: &corev1.LimitRangeItem{Type: corev1.LimitTypeContainer, DefaultRequest: negative},
			want: `LimitRange sizes of the namespace: spec.limits[0].defaultRequest.memory: value "-8Gi" is negative: set a quantity of zero or more`},
		"a default limit": {item: &corev1.LimitRangeItem{Type: corev1.LimitTypeContainer, Default: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("1e16")}},
			want: `LimitRange sizes of the namespace: spec.limits[0].default.cpu: value "10e15" is above 9007199254740992m, the most that is counted: set less`},
		"one of claims": {item: &corev1.LimitRangeItem{Type: corev1.LimitTypePersistentVolumeClaim, Default: negative}},
		"a runtime class": {class: "kata",
			want: `RuntimeClass kata: overhead.podFixed.memory: value "-8Gi" is negative: set a quantity of zero or more`},
		"a runtime class of others": {class: "gvisor"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			app, objects := build(t, nil)
			env := Environment{RuntimeClasses: map[string]corev1.ResourceList{"kata": negative}}
			if test.item != nil {
				env.LimitRanges = []corev1.LimitRange{{ObjectMeta: metav1.ObjectMeta{Name: "sizes"}, Spec: corev1.LimitRangeSpec{Limits: []corev1.LimitRangeItem{*test.item}}}}
			}
			if test.class != "" {
				objects.Pod.Spec.RuntimeClassName = &test.class
			}
			got := ""
			if _, err := PodSets(app, objects, env); err != nil {
				got = err.Error()
			}
			if got != test.want {
				t.Errorf("error:\ngot  %s\nwant %s", got, test.want)
			}
		})
	}
}
