// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package expose

import (
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/spark/server"
)

// service returns the Service of spec.driverService, nil if there is none. It has the name of the application
// and selects the driver of the current attempt. While the next attempt waits, it selects no pod.
func (b build) service() any {
	wanted := server.Complete(b.App).Spec.DriverService
	if wanted == nil || !b.Started {
		return nil
	}
	service := &corev1.Service{ObjectMeta: b.meta(b.App.Name)}
	service.Spec = corev1.ServiceSpec{ClusterIP: corev1.ClusterIPNone, Selector: b.driverLabels()}
	if wanted.Type == v1alpha1.ClusterIPService {
		service.Spec.ClusterIP = "" // the API server chooses it
	}
	for _, port := range wanted.Ports {
		service.Spec.Ports = append(service.Spec.Ports, corev1.ServicePort{
			Name: port.Name, Port: port.Port, TargetPort: intstr.FromInt32(port.Port), Protocol: corev1.ProtocolTCP,
			AppProtocol: port.AppProtocol,
		})
	}
	return service
}

// budget returns a PodDisruptionBudget that keeps the driver from being evicted, nil if there is none. It uses
// minAvailable, because maxUnavailable works only for pods of controllers that can be scaled (Kubernetes, "Specifying a
// Disruption Budget", on pods of other controllers).
func (b build) budget() any {
	if b.App.Spec.PodDisruptionBudget != v1alpha1.DisruptionDriver || !b.Live {
		return nil
	}
	return &policyv1.PodDisruptionBudget{
		ObjectMeta: b.meta(b.names.DriverBudget()),
		Spec: policyv1.PodDisruptionBudgetSpec{
			MinAvailable: ptr.To(intstr.FromInt32(1)),
			Selector:     &metav1.LabelSelector{MatchLabels: b.driverLabels()},
		},
	}
}
