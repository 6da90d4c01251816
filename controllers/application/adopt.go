// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"context"
	"fmt"
	"maps"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/spark/demand"
	"github.com/sparkgate/sparkgate/queueing/convert"
)

// adopt accepts an object of the wanted name if it is this application's own, of this attempt, and as it was to be made. One that is not as it was
// to be made is replaced: owner and labels can be written by anybody who may make such objects in the namespace.
func (p *pass) adopt(ctx context.Context, obj client.Object) error {
	existing, ok := obj.DeepCopyObject().(client.Object)
	if !ok {
		return fmt.Errorf("%s is not an API object", describe(obj))
	}
	if err := p.Live.Get(ctx, client.ObjectKeyFromObject(obj), existing); err != nil {
		return fmt.Errorf("read %s: %w", describe(obj), err)
	}
	switch {
	case !ownedBy(existing, p.app), isPod(obj) && existing.GetLabels()[v1alpha1.SparkRoleLabel] != v1alpha1.SparkRoleDriver:
		p.obstacle = fmt.Sprintf("%s already exists and belongs to another owner; delete it, or choose another name for the application or in spec.driver.podName", describe(obj))
	case !ofAttempt(existing, p.app.Status.Run, p.app.Status.Attempt):
		p.obstacle = fmt.Sprintf("%s of an earlier attempt is not gone yet", describe(obj))
	case !asWanted(existing, obj):
		return p.replace(ctx, existing, obj)
	}
	return nil
}

// asWanted reports whether an object has the content that it was to be made with. What the API server has added does not count. A driver pod
// is judged by the lifecycle, when the watch has shown it: it may run already.
func asWanted(existing, wanted client.Object) bool {
	switch wanted := wanted.(type) {
	case *corev1.ConfigMap:
		has, ok := existing.(*corev1.ConfigMap)
		return ok && sameFiles(has, wanted)
	case *corev1.Secret:
		has, ok := existing.(*corev1.Secret)
		return ok && sameSecret(has, wanted)
	case *corev1.Service:
		has, ok := existing.(*corev1.Service)
		return ok && equality.Semantic.DeepDerivative(wanted.Spec, has.Spec) && maps.Equal(wanted.Spec.Selector, has.Spec.Selector)
	case *networkingv1.NetworkPolicy:
		has, ok := existing.(*networkingv1.NetworkPolicy)
		return ok && sameRules(&has.Spec, &wanted.Spec)
	case *corev1.PersistentVolumeClaim:
		has, ok := existing.(*corev1.PersistentVolumeClaim)
		return ok && equality.Semantic.DeepDerivative(wanted.Spec, has.Spec)
	}
	return true
}

func sameFiles(has, wanted *corev1.ConfigMap) bool {
	return maps.Equal(has.Data, wanted.Data) && len(has.BinaryData) == 0 && equality.Semantic.DeepEqual(has.Immutable, wanted.Immutable)
}

func sameSecret(has, wanted *corev1.Secret) bool {
	same := maps.EqualFunc(has.Data, wanted.StringData, func(a []byte, b string) bool { return string(a) == b })
	return same && equality.Semantic.DeepEqual(has.Immutable, wanted.Immutable)
}

func sameRules(has, wanted *networkingv1.NetworkPolicySpec) bool {
	return equality.Semantic.DeepDerivative(*wanted, *has) && len(wanted.Ingress) == len(has.Ingress) && len(wanted.Egress) == len(has.Egress)
}

func isPod(obj client.Object) bool {
	_, is := obj.(*corev1.Pod)
	return is
}

// replace deletes exactly the object that was seen and makes it as it is to be. One that does not go, or comes back at once, is an obstacle.
func (p *pass) replace(ctx context.Context, existing, wanted client.Object) error {
	uid := existing.GetUID()
	err := p.Client.Delete(ctx, existing, client.Preconditions{UID: &uid})
	if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) {
		return fmt.Errorf("delete %s, which has another content: %w", describe(existing), err)
	}
	err = p.Client.Create(ctx, wanted, client.FieldOwner(v1alpha1.FieldOwner))
	switch {
	case apierrors.IsAlreadyExists(err):
		p.obstacle = fmt.Sprintf("%s already exists with other content than the attempt needs, and was not created by the operator; find out what creates it, and delete it",
			describe(wanted))
		return nil
	case err != nil:
		return fmt.Errorf("create %s: %w", describe(wanted), err)
	}
	return nil
}

// made remembers a driver pod as it was made, unless it requests more than was granted: a LimitRange or RuntimeClass may have changed that the
// caches have not shown. What others put into the pod beside our containers is theirs.
func (p *pass) made(obj client.Object) {
	pod, ok := obj.(*corev1.Pod)
	if !ok || p.app.Status.Grant == nil {
		return
	}
	own := pod.DeepCopy()
	own.Spec.Containers, own.Spec.InitContainers = only(own.Spec.Containers, p.sent), only(own.Spec.InitContainers, p.sent)
	requests, err := demand.Environment{}.Requests(own)
	if err != nil {
		return // what cannot be counted is not what was granted
	}
	for _, set := range convert.FromAPI(p.app.Status.Grant).PodSets {
		if set.Name != v1alpha1.DriverPodSet {
			continue
		}
		for name, asks := range requests {
			if asks > set.Requests[name] {
				return
			}
		}
	}
	p.expectations.recordDriver(p.app, attempt{p.app.Status.Run, p.app.Status.Attempt}, pod.UID)
}

// only returns the containers with these names.
func only(containers []corev1.Container, names map[string]bool) []corev1.Container {
	var own []corev1.Container
	for i := range containers {
		if names[containers[i].Name] {
			own = append(own, containers[i])
		}
	}
	return own
}

// containersOf returns the names of the containers of a pod.
func containersOf(pod *corev1.Pod) map[string]bool {
	names := map[string]bool{}
	for _, containers := range [][]corev1.Container{pod.Spec.InitContainers, pod.Spec.Containers} {
		for i := range containers {
			names[containers[i].Name] = true
		}
	}
	return names
}
