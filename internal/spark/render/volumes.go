// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package render

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/spark/conf"
)

// volumeProperties are the options of one volume by their names, such as mount.path.
type volumeProperties struct {
	client  client
	p       conf.Properties
	prefix  string
	kind    string
	name    string
	options map[string]string
}

// mountVolumesStep mounts the volumes that properties define.
func mountVolumesStep(b *build) error {
	volumes, err := volumesOf(b.client, b.given, conf.Driver)
	if err != nil {
		return err
	}
	for i, v := range volumes {
		if err := b.addClaim(v, i); err != nil {
			return err
		}
		b.driver.mount(v.Volume, v.Mount)
	}
	return nil
}

// mounted is a volume, its mount, and the properties that define both.
type mounted struct {
	Volume     corev1.Volume
	Mount      corev1.VolumeMount
	properties *volumeProperties
}

// volumesOf returns the volumes of a role, sorted by kind and name. Spark itself has no fixed order.
func volumesOf(c client, p conf.Properties, role conf.Role) ([]mounted, error) {
	var volumes []mounted
	paths := map[string]string{}
	for _, v := range groupVolumes(c, p, role.Key("volumes.")) {
		volume, err := v.read()
		if err != nil {
			return nil, err
		}
		if other, taken := paths[volume.Mount.MountPath]; taken {
			return nil, p.Wrong(v.key("mount.path"), "is already the mount path of volume "+other, "choose another path")
		}
		paths[volume.Mount.MountPath] = v.name
		volumes = append(volumes, volume)
	}
	return volumes, nil
}

// groupVolumes collects the options of each volume: <prefix><kind>.<name>.<option>.
func groupVolumes(c client, p conf.Properties, prefix string) []*volumeProperties {
	var volumes []*volumeProperties
	for _, property := range p.WithPrefix(prefix) {
		const parts = 3
		words := strings.SplitN(property.Name, ".", parts)
		if len(words) < parts {
			words = append(words, "", "")
		}
		same := func(v *volumeProperties) bool { return v.kind == words[0] && v.name == words[1] }
		i := slices.IndexFunc(volumes, same)
		if i < 0 {
			i = len(volumes)
			volumes = append(volumes, &volumeProperties{
				client: c, p: p, prefix: prefix, kind: words[0], name: words[1], options: map[string]string{},
			})
		}
		volumes[i].options[words[2]] = property.Value
	}
	return volumes
}

// key returns the property for an option.
func (v *volumeProperties) key(option string) string {
	return v.prefix + v.kind + "." + v.name + "." + option
}

// required returns an option, or an error if it is not set.
func (v *volumeProperties) required(option string) (string, error) {
	if value := v.options[option]; value != "" {
		return value, nil
	}
	return "", v.p.Wrong(v.key(option), "is missing", "set it for volume "+v.name)
}

// read returns the volume and its mount.
func (v *volumeProperties) read() (mounted, error) {
	var m mounted
	mount, err := v.mount()
	if err != nil {
		return m, err
	}
	source, err := v.source(mount.ReadOnly)
	if err != nil {
		return m, err
	}
	return mounted{corev1.Volume{Name: v.name, VolumeSource: source}, mount, v}, nil
}

// mount returns where and how the volume is mounted.
func (v *volumeProperties) mount() (corev1.VolumeMount, error) {
	path, err := v.required("mount.path")
	if err != nil {
		return corev1.VolumeMount{}, err
	}
	readOnly, err := v.p.Bool(v.key("mount.readOnly"), false)
	if text := v.options["mount.readOnly"]; err == nil && text != strings.TrimSpace(text) {
		err = v.p.Wrong(v.key("mount.readOnly"), "has spaces around it", "set true or false")
	}
	if err != nil {
		return corev1.VolumeMount{}, err
	}
	mount := corev1.VolumeMount{Name: v.name, MountPath: path, ReadOnly: readOnly, SubPath: v.options["mount.subPath"]}
	if v.client.volumeOptions {
		mount.SubPathExpr = v.options["mount.subPathExpr"]
	}
	if mount.SubPath != "" && mount.SubPathExpr != "" {
		return mount, v.p.Wrong(v.key("mount.subPathExpr"), "cannot be combined with "+v.key("mount.subPath"), "remove one of the two")
	}
	return mount, cmp.Or(v.below("mount.subPath", mount.SubPath), v.below("mount.subPathExpr", mount.SubPathExpr))
}

// below returns an error if a path leaves its volume. Kubernetes refuses such pods, and for executors only the log of
// the driver would say so.
func (v *volumeProperties) below(option, path string) error {
	if strings.HasPrefix(path, "/") || slices.Contains(strings.Split(path, "/"), "..") {
		return v.p.Wrong(v.key(option), "is not a path below the volume", "set a relative path without ..")
	}
	return nil
}

// source returns the source of the volume.
func (v *volumeProperties) source(readOnly bool) (corev1.VolumeSource, error) {
	switch v.kind {
	case "hostPath":
		return v.hostPath()
	case "persistentVolumeClaim":
		return v.claim(readOnly)
	case "emptyDir":
		return v.emptyDir()
	case "nfs":
		return v.nfs()
	}
	return corev1.VolumeSource{}, v.p.Wrong(v.key("mount.path"), "belongs to a volume of the unknown kind "+strconv.Quote(v.kind),
		"use hostPath, persistentVolumeClaim, emptyDir or nfs, or spec.driver.volumes and spec.executor.volumes for all other kinds")
}

func (v *volumeProperties) hostPath() (corev1.VolumeSource, error) {
	path, err := v.required("options.path")
	kind := corev1.HostPathUnset
	if v.client.volumeOptions {
		kind = corev1.HostPathType(v.options["options.type"])
	}
	return corev1.VolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: path, Type: &kind}}, err
}

func (v *volumeProperties) claim(readOnly bool) (corev1.VolumeSource, error) {
	name, err := v.required("options.claimName")
	if err != nil {
		return corev1.VolumeSource{}, err
	}
	if _, err := v.size(); err != nil {
		return corev1.VolumeSource{}, err
	}
	source := &corev1.PersistentVolumeClaimVolumeSource{ClaimName: name, ReadOnly: readOnly}
	return corev1.VolumeSource{PersistentVolumeClaim: source}, nil
}

func (v *volumeProperties) emptyDir() (corev1.VolumeSource, error) {
	size, err := v.size()
	medium := v.options["options.medium"]
	if medium != "" && medium != string(corev1.StorageMediumMemory) && !strings.HasPrefix(medium, string(corev1.StorageMediumHugePages)) {
		return corev1.VolumeSource{}, v.p.Wrong(v.key("options.medium"), "is not known, and no kubelet creates such a volume", "remove it for the disk of the node, or set Memory")
	}
	source := &corev1.EmptyDirVolumeSource{Medium: corev1.StorageMedium(medium), SizeLimit: size}
	return corev1.VolumeSource{EmptyDir: source}, err
}

func (v *volumeProperties) nfs() (corev1.VolumeSource, error) {
	path, err := v.required("options.path")
	if err != nil {
		return corev1.VolumeSource{}, err
	}
	server, err := v.required("options.server")
	return corev1.VolumeSource{NFS: &corev1.NFSVolumeSource{Path: path, Server: server}}, err
}

// size returns the size of the volume, nil if none is set. From Spark 4.0 on, a small number without a unit is an
// error, because it is most likely a mistake.
func (v *volumeProperties) size() (*resource.Quantity, error) {
	const option, smallest = "options.sizeLimit", 1024
	text, ok := v.options[option]
	if !ok {
		return nil, nil
	}
	size, err := v.p.Size(v.key(option))
	if err != nil {
		return nil, err
	}
	if number, err := strconv.ParseInt(text, 10, 64); err == nil && number < smallest && v.client.refusesBareSizes {
		return nil, v.p.Wrong(v.key(option), "is a number of bytes below 1024", "add a unit, as in 10Gi")
	}
	return &size, nil
}

// addClaim creates the claim of a driver's volume if its name contains OnDemand. index is the index of the volume among
// those of the driver. Package validate checks claims with a fixed name and a size.
func (b *build) addClaim(v mounted, index int) error {
	source := v.Volume.PersistentVolumeClaim
	if source == nil || !strings.Contains(source.ClaimName, conf.OnDemand) {
		return nil
	}
	class, hasClass := v.properties.options["options.storageClass"]
	size, err := v.properties.size()
	if err != nil {
		return err
	}
	if !hasClass || size == nil {
		return b.given.Wrong(v.properties.key("options.claimName"), "names a claim that is not created without a class and a size",
			"also set options.storageClass and options.sizeLimit of the volume, or name a claim that exists")
	}
	mode, err := b.claimMode()
	source.ClaimName = strings.ReplaceAll(source.ClaimName, conf.OnDemand, fmt.Sprintf("%s-driver-pvc-%d", b.names.Prefix, index))
	claim := &corev1.PersistentVolumeClaim{
		ObjectMeta: objectMeta(b.in, source.ClaimName),
		Spec: corev1.PersistentVolumeClaimSpec{
			AccessModes:      []corev1.PersistentVolumeAccessMode{mode},
			StorageClassName: &class,
			Resources:        corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: *size}},
		},
	}
	claim.Labels = merged(claim.Labels, map[string]string{v1alpha1.SparkSelectorLabel: b.names.ApplicationID})
	if b.client.volumeOptions {
		claim.Labels = merged(v.properties.family("label."), claim.Labels)
		claim.Annotations = merged(nil, v.properties.family("annotation."))
	}
	b.claims = append(b.claims, claim)
	return err
}

// claimMode returns the access mode of the claims that are created.
func (b *build) claimMode() (corev1.PersistentVolumeAccessMode, error) {
	older, err := b.given.Bool(conf.LegacyAccessMode, !b.client.podClaims)
	if older {
		return corev1.ReadWriteOnce, err
	}
	return corev1.ReadWriteOncePod, err
}

// family returns the options with a prefix, by the rest of their names.
func (v *volumeProperties) family(prefix string) map[string]string {
	values := map[string]string{}
	for option, value := range v.options {
		if name, ok := strings.CutPrefix(option, prefix); ok {
			values[name] = value
		}
	}
	return values
}
