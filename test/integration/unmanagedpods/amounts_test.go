// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package unmanagedpods

import (
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// hostile applications, by what their message names. Without the hostile part each of them would fit on its own.
var hostile = map[string]struct {
	change func(*v1alpha1.SparkApplication)
	words  []string
}{
	"sidecar": {
		change: func(a *v1alpha1.SparkApplication) { a.Spec.Driver.Template = withSidecar("9223372036854775807") },
		words:  []string{"spec.driver.template.spec.containers[1].resources.requests.memory", `"9223372036854775807"`, "above 8Pi", "set less"},
	},
	"negative": {
		change: func(a *v1alpha1.SparkApplication) { a.Spec.Executor.Template = withSidecar("-16374Mi") },
		words:  []string{"spec.executor.template.spec.containers[1].resources.requests.memory", `"-16374Mi"`, "is negative", "set a quantity of zero or more"},
	},
	"cores": {
		change: func(a *v1alpha1.SparkApplication) {
			a.Spec.Driver.CoreRequest = ""
			a.Spec.SparkConf = map[string]string{"spark.kubernetes.driver.request.cores": "1e16"}
		},
		words: []string{"spec.sparkConf[spark.kubernetes.driver.request.cores]", `"1e16"`, "above 9007199254740992m", "set less"},
	},
	"count": {
		change: func(a *v1alpha1.SparkApplication) {
			a.Spec.Executor.Instances, a.Spec.SparkConf = nil, map[string]string{"spark.executor.instances": "100000000"}
		},
		words: []string{"spec.sparkConf[spark.executor.instances]", "100000000", "above 8Pi together", "set fewer executors"},
	},
}

func withSidecar(memory string) *runtime.RawExtension {
	return &runtime.RawExtension{Raw: []byte(`{"spec":{"containers":[{"name":"spark"},{"name":"logs","image":"logs","resources":{"requests":{"memory":"` + memory + `"}}}]}}`)}
}

// TestAmountsThatWrap: what asks for amounts that no integer holds, or for less than nothing, is refused by name, whether it is an application
// or not, and the queue grants no more than it has. What is corrected runs.
func TestAmountsThatWrap(t *testing.T) {
	t.Parallel()
	w := enrol(t, "2Gi")
	operator.Use(t)
	raw := driver(w, "raw")
	raw.Spec.Containers = append(raw.Spec.Containers, corev1.Container{Name: "logs", Image: "logs", Resources: corev1.ResourceRequirements{
		Requests: corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("9223372036854775807")},
	}})
	apply(t, raw)
	small := func(a *v1alpha1.SparkApplication) { a.Spec.Executor.Instances = ptr.To[int32](1) } // 1792Mi
	apps := map[string]*v1alpha1.SparkApplication{}
	for name, h := range hostile {
		apps[name] = w.Apply(name, small, h.change)
	}
	for name, h := range hostile {
		w.Reach(apps[name], "InvalidSpec")
		harness.Eventually(t, apps[name], "told what is wrong", func(a *v1alpha1.SparkApplication) bool {
			ready := ""
			for _, c := range a.Status.Conditions {
				if c.Type == "Ready" {
					ready = c.Message
				}
			}
			for _, word := range h.words {
				if !strings.Contains(ready, word) {
					return false
				}
			}
			return a.Status.Grant == nil
		})
	}
	told(t, raw, "InvalidSpec", "is not admitted", "spec.containers[1].resources.requests.memory", `"9223372036854775807"`, "above 8Pi")
	counted(t, w, counts{})

	// The queue has as much as before, and not more: one fits, a second does not.
	first, second := w.Apply("first", small), w.Apply("second", small)
	running, waiting := eitherRuns(t, w, first, second)
	used(t, w, "1.75Gi/2Gi")
	if live := gatedNow(t, raw); !live {
		t.Error("the pod of no application was let in")
	}
	w.Succeed(running)
	w.Succeed(waiting)
	harness.Change(t, apps["sidecar"], func(a *v1alpha1.SparkApplication) { a.Spec.Driver.Template = nil })
	w.Succeed(apps["sidecar"])
	remove(t, raw)
	w.Unused()
}

// eitherRuns waits until one of two runs, and returns it and the other, which waits.
func eitherRuns(t *testing.T, w *harness.World, a, b *v1alpha1.SparkApplication) (running, waiting *v1alpha1.SparkApplication) {
	t.Helper()
	counted(t, w, counts{applications: [2]int32{1, 1}})
	granted := func(app *v1alpha1.SparkApplication) bool {
		if err := env.Client().Get(t.Context(), client.ObjectKeyFromObject(app), app); err != nil {
			t.Fatal(err)
		}
		return app.Status.Grant != nil
	}
	env.Until(t, "one of them is granted", func() bool { return granted(a) || granted(b) })
	if a.Status.Grant != nil {
		running, waiting = a, b
	} else {
		running, waiting = b, a
	}
	w.Reach(waiting, "Queued")
	return running, waiting
}

// used waits until the queue shows what is used of its memory.
func used(t *testing.T, w *harness.World, want string) {
	t.Helper()
	harness.Eventually(t, w.Queue, fmt.Sprintf("using %s", want), func(q *v1alpha1.SparkQueue) bool { return q.Status.Summary["memory"] == want })
}

func gatedNow(t *testing.T, p *corev1.Pod) bool {
	t.Helper()
	live := &corev1.Pod{}
	if err := env.Client().Get(t.Context(), client.ObjectKeyFromObject(p), live); err != nil {
		t.Fatal(err)
	}
	return gated(live)
}

// TestNegativeLimitRange: what a namespace adds to pods is refused by its name, and looked at again: an application that waits for it to be
// mended needs no other change.
func TestNegativeLimitRange(t *testing.T) {
	t.Parallel()
	w := enrol(t, "3Gi")
	operator.Use(t)
	limits := &corev1.LimitRange{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "sizes"},
		Spec: corev1.LimitRangeSpec{Limits: []corev1.LimitRangeItem{{Type: corev1.LimitTypeContainer, DefaultRequest: corev1.ResourceList{
			corev1.ResourceEphemeralStorage: resource.MustParse("1e16"),
		}}}},
	}
	harness.Create(t, limits)
	app := w.Apply("pi")
	w.Reach(app, "InvalidSpec")
	harness.Eventually(t, app, "told of the limit range", func(a *v1alpha1.SparkApplication) bool {
		for _, c := range a.Status.Conditions {
			if c.Type == "Ready" && strings.Contains(c.Message, "LimitRange sizes of the namespace: spec.limits[0].defaultRequest.ephemeral-storage") {
				return true
			}
		}
		return false
	})
	harness.Change(t, limits, func(l *corev1.LimitRange) {
		l.Spec.Limits[0].DefaultRequest[corev1.ResourceEphemeralStorage] = resource.MustParse("1Mi")
	})
	w.Succeed(app)
	w.Unused()
}
