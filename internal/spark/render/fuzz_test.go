// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package render

import (
	"encoding/json"
	"reflect"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/spark/strictdecode"
)

// FuzzTemplate: whatever a template is, it is an error, or it is in the pods: nothing of it is changed but what Spark or Sparkgate own. What the
// executors start from is read back as it was written.
func FuzzTemplate(f *testing.F) {
	for _, seed := range []string{
		`{}`, `{"metadata": {"labels": {"a": "b", "spark-role": "x"}, "annotations": {"c": "d"}}}`,
		`{"spec": {"containers": [{"name": "side", "image": "x"}, {"name": "spark-kubernetes-driver", "env": [{"name": "A", "value": "1"}], "args": ["x"]}]}}`,
		`{"spec": {"containers": [{"image": "x", "volumeMounts": [{"name": "v", "mountPath": "/v"}]}], "volumes": [{"name": "v", "emptyDir": {}}], "nodeSelector": {"a": "b"}}}`,
		`{"spec": {"initContainers": [{"name": "i"}], "tolerations": [{"key": "k"}], "restartPolicy": "Always", "schedulerName": "s", "hostNetwork": true}}`,
		`{"spec": {"containers": [{"resources": {"limits": {"a/b": 1}}, "securityContext": {"privileged": true}}], "securityContext": {"runAsUser": 7}}}`,
	} {
		f.Add([]byte(seed), true)
		f.Add([]byte(seed), false)
	}
	f.Fuzz(func(t *testing.T, template []byte, restrict bool) {
		if len(template) == 0 {
			return // no template at all
		}
		in := inputOf(t, nil)
		in.App.Spec.PodSecurity = v1alpha1.PodSecurityNone
		if restrict {
			in.App.Spec.PodSecurity = v1alpha1.PodSecurityRestricted
		}
		in.App.Spec.Driver.Template = &runtime.RawExtension{Raw: template}
		in.App.Spec.Executor.Template = &runtime.RawExtension{Raw: template}
		objects, err := Build(in)
		if err != nil {
			return
		}
		var want corev1.PodTemplateSpec
		if mistakes := strictdecode.Decode(template, "", &want); len(mistakes) > 0 {
			t.Fatalf("%q has mistakes and is rendered: %v", template, mistakes)
		}
		for _, pod := range []*corev1.Pod{objects.Pod, objects.ExecutorTemplate} {
			checkKept(t, want.DeepCopy(), pod, restrict)
		}
		var again corev1.Pod
		if err := json.Unmarshal([]byte(objects.ConfigMap.Data[templateKey]), &again); err != nil {
			t.Fatal(err)
		}
		if !sameJSON(t, again, *objects.ExecutorTemplate) {
			t.Errorf("%q: the template of the executors is read back as something else", template)
		}
	})
}

// checkKept looks for what the template says in a pod.
func checkKept(t *testing.T, want *corev1.PodTemplateSpec, pod *corev1.Pod, restrict bool) {
	t.Helper()
	for _, family := range []struct{ want, got map[string]string }{
		{want.Labels, pod.Labels}, {want.Annotations, pod.Annotations}, {want.Spec.NodeSelector, pod.Spec.NodeSelector},
	} {
		for key := range family.want {
			if _, ok := family.got[key]; !ok {
				t.Errorf("the key %q is lost", key)
			}
		}
	}
	if n := len(want.Spec.Volumes); !equality.Semantic.DeepEqual(want.Spec.Volumes, pod.Spec.Volumes[:n]) && n > 0 {
		t.Error("volumes are changed")
	}
	if n := len(want.Spec.Tolerations); n > 0 && !equality.Semantic.DeepEqual(want.Spec.Tolerations, pod.Spec.Tolerations[:n]) {
		t.Error("tolerations are changed")
	}
	if restrict {
		return // empty fields of the others are filled
	}
	if !equality.Semantic.DeepEqual(want.Spec.InitContainers, pod.Spec.InitContainers) {
		t.Error("init containers are changed")
	}
	if got := len(pod.Spec.Containers); got != max(len(want.Spec.Containers), 1) {
		t.Errorf("of %d containers there are %d", len(want.Spec.Containers), got)
	}
	for _, fields := range [][2]any{
		{want.Spec.HostNetwork, pod.Spec.HostNetwork}, {want.Spec.PriorityClassName, pod.Spec.PriorityClassName}, {want.Spec.Affinity, pod.Spec.Affinity},
		{want.Spec.SecurityContext, pod.Spec.SecurityContext}, {want.Spec.TerminationGracePeriodSeconds, pod.Spec.TerminationGracePeriodSeconds},
	} {
		if !reflect.DeepEqual(fields[0], fields[1]) {
			t.Errorf("%v became %v", fields[0], fields[1])
		}
	}
}

// sameJSON reports whether two values are written in the same way, without their status.
func sameJSON(t *testing.T, a, b corev1.Pod) bool {
	t.Helper()
	a.Status, b.Status = corev1.PodStatus{}, corev1.PodStatus{}
	first, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	second, err := json.Marshal(b)
	if err != nil {
		t.Fatal(err)
	}
	return string(first) == string(second)
}
