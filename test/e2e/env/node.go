// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package env

import (
	"context"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// NodeAddress returns the address of the node. Pods reach what a test listens on there.
func NodeAddress(t *testing.T) string {
	t.Helper()
	nodes := &corev1.NodeList{}
	if err := cluster.client.List(t.Context(), nodes); err != nil {
		t.Fatal(err)
	}
	for i := range nodes.Items {
		for _, address := range nodes.Items[i].Status.Addresses {
			if address.Type == corev1.NodeInternalIP {
				return address.Address
			}
		}
	}
	t.Fatal("no node has an address")
	return ""
}

// HostVolume creates a volume of class s.Name from a folder of the node, for the claims of the namespace. The local
// cluster does not provision volumes.
func (s *Namespace) HostVolume(name, dir string, mode corev1.PersistentVolumeAccessMode) {
	s.t.Helper()
	volume := &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: s.Name + "-" + name},
		Spec: corev1.PersistentVolumeSpec{
			Capacity:                      corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")},
			AccessModes:                   []corev1.PersistentVolumeAccessMode{mode},
			StorageClassName:              s.Name,
			PersistentVolumeReclaimPolicy: corev1.PersistentVolumeReclaimRetain,
			PersistentVolumeSource:        corev1.PersistentVolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: dir}},
		},
	}
	if err := cluster.client.Create(s.t.Context(), volume); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		if err := cluster.client.Delete(context.Background(), volume); err != nil {
			s.t.Error(err)
		}
	})
}
