// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package load

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// Sample has the operator's writes to submit one application.
type Sample struct {
	target Target
	// finalizer is empty if an admission policy has added it.
	finalizer string
	// statuses are merge patches, in order.
	statuses  []string
	configMap *corev1.ConfigMap
	service   *corev1.Service
	pod       *corev1.Pod
}

// TakeSample derives a sample from the states that an application went through, once the operator has finished with it.
func TakeSample(ctx context.Context, c client.Client, states []*v1alpha1.SparkApplication) (*Sample, error) {
	if len(states) < 2 {
		return nil, errors.New("the operator has not written anything")
	}
	first, last := states[0], states[len(states)-1]
	s := &Sample{target: Target{Namespace: first.Namespace, Name: first.Name, UID: first.UID}}
	for i, after := range states[1:] {
		before := states[i]
		patch, err := client.MergeFromWithOptions(strip(before), client.MergeFromWithOptimisticLock{}).Data(strip(after))
		if err != nil {
			return nil, fmt.Errorf("compare states: %w", err)
		}
		text := strings.ReplaceAll(string(patch), `"resourceVersion":"`+before.ResourceVersion+`"`, `"resourceVersion":"{version}"`)
		if slices.Equal(before.Finalizers, after.Finalizers) {
			s.statuses = append(s.statuses, text)
		} else {
			s.finalizer = text
		}
	}
	if s.finalizer == "" && len(first.Finalizers) == 0 || len(s.statuses) == 0 || last.Status.Driver == nil {
		return nil, fmt.Errorf("the operator has not submitted the application: %+v", last.Status)
	}
	return s, s.objects(ctx, c)
}

// strip removes the fields that clients do not write.
func strip(app *v1alpha1.SparkApplication) *v1alpha1.SparkApplication {
	app = app.DeepCopy()
	app.ManagedFields, app.Generation = nil, 0
	return app
}

// objects reads the objects that were created for the application, and removes the fields that the API server has
// added.
func (s *Sample) objects(ctx context.Context, c client.Client) error {
	in := client.InNamespace(s.target.Namespace)
	maps, services, pods := &corev1.ConfigMapList{}, &corev1.ServiceList{}, &corev1.PodList{}
	for _, list := range []client.ObjectList{maps, services, pods} {
		if err := c.List(ctx, list, in); err != nil {
			return fmt.Errorf("read what the operator has made: %w", err)
		}
	}
	maps.Items = slices.DeleteFunc(maps.Items, func(m corev1.ConfigMap) bool { return len(m.OwnerReferences) == 0 })
	if len(maps.Items) != 1 || len(services.Items) != 1 || len(pods.Items) != 1 {
		return fmt.Errorf("the operator has made %d config maps, %d services and %d pods, not one of each; teach the loop the others",
			len(maps.Items), len(services.Items), len(pods.Items))
	}
	s.configMap, s.service, s.pod = &maps.Items[0], &services.Items[0], &pods.Items[0]
	s.service.Spec.ClusterIPs, s.service.Status = nil, corev1.ServiceStatus{}
	s.pod.Status = corev1.PodStatus{}
	for _, obj := range []client.Object{s.configMap, s.service, s.pod} {
		obj.SetManagedFields(nil)
		obj.SetResourceVersion("")
		obj.SetUID("")
		obj.SetCreationTimestamp(metav1.Time{})
	}
	return nil
}

// render replaces the sample's application with a target.
func (s *Sample) render(text string, t *Target) string {
	return strings.NewReplacer(
		"{version}", t.Version, string(s.target.UID), string(t.UID), s.target.Name, t.Name, s.target.Namespace, t.Namespace,
	).Replace(text)
}

// renderObject copies an object of the sample for a target.
func renderObject[T runtime.Object](s *Sample, obj T, t *Target) (T, error) {
	var out T
	data, err := json.Marshal(obj)
	if err != nil {
		return out, err
	}
	return out, json.Unmarshal([]byte(s.render(string(data), t)), &out)
}
