// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package render

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"github.com/sparkgate/sparkgate/internal/spark/conf"
)

// checkWrongKey compares the property that a ValueError names.
func checkWrongKey(t *testing.T, err error, want string) {
	t.Helper()
	got := ""
	var wrong *conf.ValueError
	if errors.As(err, &wrong) {
		got = wrong.Key
	} else if err != nil {
		t.Fatalf("error %v is no ValueError", err)
	}
	if got != want {
		t.Errorf("wrong property = %q (%v), want %q", got, err, want)
	}
}

// mustMemory reads a quantity.
func mustMemory(t *testing.T, text string) resource.Quantity {
	t.Helper()
	quantity, err := resource.ParseQuantity(text)
	if err != nil {
		t.Fatal(err)
	}
	return quantity
}

// volumeValues puts a prefix before the options of volumes.
func volumeValues(options map[string]string) conf.Properties {
	values := map[string]string{}
	for option, value := range options {
		values["spark.kubernetes.driver.volumes."+option] = value
	}
	return propertiesOf(values)
}

func TestVolumes(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		options map[string]string
		volume  corev1.VolumeSource
		mount   corev1.VolumeMount
	}{
		"a folder of the node": {
			map[string]string{"hostPath.v.mount.path": "/v", "hostPath.v.options.path": "/h", "hostPath.v.mount.readOnly": "true"},
			corev1.VolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: "/h", Type: ptr.To(corev1.HostPathUnset)}},
			corev1.VolumeMount{MountPath: "/v", ReadOnly: true},
		},
		"a folder of the node of a type": {
			map[string]string{"hostPath.v.mount.path": "/v", "hostPath.v.options.path": "/h", "hostPath.v.options.type": "Directory"},
			corev1.VolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: "/h", Type: ptr.To(corev1.HostPathDirectory)}},
			corev1.VolumeMount{MountPath: "/v"},
		},
		"an empty folder": {
			map[string]string{"emptyDir.v.mount.path": "/v"},
			corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}},
			corev1.VolumeMount{MountPath: "/v"},
		},
		"an empty folder in memory": {
			map[string]string{"emptyDir.v.mount.path": "/v", "emptyDir.v.options.medium": "Memory", "emptyDir.v.options.sizeLimit": "1Gi"},
			corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{Medium: "Memory", SizeLimit: ptr.To(resource.MustParse("1Gi"))}},
			corev1.VolumeMount{MountPath: "/v"},
		},
		"a claim, and a folder of it": {
			map[string]string{
				"persistentVolumeClaim.v.mount.path": "/v", "persistentVolumeClaim.v.options.claimName": "c",
				"persistentVolumeClaim.v.mount.subPath": "a/b", "persistentVolumeClaim.v.mount.readOnly": "true",
			},
			corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "c", ReadOnly: true}},
			corev1.VolumeMount{MountPath: "/v", SubPath: "a/b", ReadOnly: true},
		},
		"a folder that follows from a variable": {
			map[string]string{
				"persistentVolumeClaim.v.mount.path": "/v", "persistentVolumeClaim.v.options.claimName": "c",
				"persistentVolumeClaim.v.mount.subPathExpr": "$(STAGE)",
			},
			corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "c"}},
			corev1.VolumeMount{MountPath: "/v", SubPathExpr: "$(STAGE)"},
		},
		"a folder of a file server": {
			map[string]string{"nfs.v.mount.path": "/v", "nfs.v.options.path": "/n", "nfs.v.options.server": "s"},
			corev1.VolumeSource{NFS: &corev1.NFSVolumeSource{Path: "/n", Server: "s"}},
			corev1.VolumeMount{MountPath: "/v"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := volumesOf(clientOf("4.1.4"), volumeValues(test.options), conf.Driver)
			if err != nil {
				t.Fatal(err)
			}
			test.mount.Name = "v"
			want := []mounted{{Volume: corev1.Volume{Name: "v", VolumeSource: test.volume}, Mount: test.mount}}
			if diff := cmp.Diff(want, got, onlyVolumes); diff != "" {
				t.Errorf("volumes (-want +got):\n%s", diff)
			}
		})
	}
}

// onlyVolumes leaves out where a volume comes from.
var onlyVolumes = cmpopts.IgnoreFields(mounted{}, "properties")

func TestWrongVolumes(t *testing.T) {
	t.Parallel()
	const p = "spark.kubernetes.driver.volumes."
	for name, test := range map[string]struct {
		options map[string]string
		want    string
	}{
		"an unknown kind": {map[string]string{"configMap.v.mount.path": "/v"}, p + "configMap.v.mount.path"},
		"a path out of the volume": {
			map[string]string{"emptyDir.v.mount.path": "/v", "emptyDir.v.mount.subPath": "a/../../b"}, p + "emptyDir.v.mount.subPath",
		},
		"a path of the node in the volume": {
			map[string]string{"emptyDir.v.mount.path": "/v", "emptyDir.v.mount.subPathExpr": "/a/$(B)"}, p + "emptyDir.v.mount.subPathExpr",
		},
		"a medium that is not known": {map[string]string{"emptyDir.v.mount.path": "/v", "emptyDir.v.options.medium": "memory"}, p + "emptyDir.v.options.medium"},
		"no path":                    {map[string]string{"emptyDir.v.options.medium": "Memory"}, p + "emptyDir.v.mount.path"},
		"an empty path":              {map[string]string{"emptyDir.v.mount.path": ""}, p + "emptyDir.v.mount.path"},
		"a key cut short":            {map[string]string{"emptyDir": "x"}, p + "emptyDir..mount.path"},
		"no folder of the node":      {map[string]string{"hostPath.v.mount.path": "/v"}, p + "hostPath.v.options.path"},
		"no claim":                   {map[string]string{"persistentVolumeClaim.v.mount.path": "/v"}, p + "persistentVolumeClaim.v.options.claimName"},
		"no file server":             {map[string]string{"nfs.v.mount.path": "/v", "nfs.v.options.path": "/n"}, p + "nfs.v.options.server"},
		"no path on the server":      {map[string]string{"nfs.v.mount.path": "/v", "nfs.v.options.server": "s"}, p + "nfs.v.options.path"},
		"a switch that is none":      {map[string]string{"emptyDir.v.mount.path": "/v", "emptyDir.v.mount.readOnly": "yes"}, p + "emptyDir.v.mount.readOnly"},
		"both kinds of folders":      {map[string]string{"emptyDir.v.mount.path": "/v", "emptyDir.v.mount.subPath": "a", "emptyDir.v.mount.subPathExpr": "b"}, p + "emptyDir.v.mount.subPathExpr"},
		"a size that is none":        {map[string]string{"emptyDir.v.mount.path": "/v", "emptyDir.v.options.sizeLimit": "big"}, p + "emptyDir.v.options.sizeLimit"},
		"a size without a unit":      {map[string]string{"emptyDir.v.mount.path": "/v", "emptyDir.v.options.sizeLimit": "512"}, p + "emptyDir.v.options.sizeLimit"},
		"a claim without a unit":     {map[string]string{"persistentVolumeClaim.v.mount.path": "/v", "persistentVolumeClaim.v.options.claimName": "c", "persistentVolumeClaim.v.options.sizeLimit": "5"}, p + "persistentVolumeClaim.v.options.sizeLimit"},
		"one path for two":           {map[string]string{"emptyDir.a.mount.path": "/v", "emptyDir.b.mount.path": "/v"}, p + "emptyDir.b.mount.path"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := volumesOf(clientOf("4.1.4"), volumeValues(test.options), conf.Driver)
			checkWrongKey(t, err, test.want)
		})
	}
}

func TestVolumesOfOlderClients(t *testing.T) {
	t.Parallel()
	given := volumeValues(map[string]string{
		"hostPath.v.mount.path": "/v", "hostPath.v.options.path": "/h", "hostPath.v.options.type": "Directory", "hostPath.v.mount.subPathExpr": "$(X)",
	})
	got, err := volumesOf(client{}, given, conf.Driver)
	want := []mounted{{
		Volume: corev1.Volume{Name: "v", VolumeSource: corev1.VolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: "/h", Type: ptr.To(corev1.HostPathUnset)}}},
		Mount:  corev1.VolumeMount{Name: "v", MountPath: "/v"},
	}}
	if diff := cmp.Diff(want, got, onlyVolumes); diff != "" || err != nil {
		t.Errorf("error %v, volumes (-want +got):\n%s", err, diff)
	}
}

func TestVolumesAreSorted(t *testing.T) {
	t.Parallel()
	given := volumeValues(map[string]string{
		"emptyDir.z.mount.path": "/z", "emptyDir.a.mount.path": "/a", "emptyDir.m.mount.path": "/m",
	})
	volumes, err := volumesOf(clientOf("4.1.4"), given, conf.Driver)
	var names []string
	for _, volume := range volumes {
		names = append(names, volume.Volume.Name)
	}
	if diff := cmp.Diff([]string{"a", "m", "z"}, names); diff != "" || err != nil {
		t.Errorf("error %v, names (-want +got):\n%s", err, diff)
	}
}
