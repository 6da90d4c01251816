// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"maps"
	"path"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/sparkgate/sparkgate/internal/spark/conf"
	"github.com/sparkgate/sparkgate/internal/spark/render"
)

// sparkHome is the folder of Spark in its images.
const sparkHome = "/opt/spark"

// configMapPath returns the path of an entry of spec.configMaps.
func configMapPath(name string) string { return conf.At("spec.configMaps", name) }

// checkConfigMaps checks the entries of spec.configMaps. checkVolumes compares them with other volumes.
func checkConfigMaps(s *subject) []Finding {
	var findings []Finding
	folders, names := map[string]string{}, map[string]bool{}
	for i := range s.spec.ConfigMaps {
		entry := &s.spec.ConfigMaps[i]
		field, folder := configMapPath(entry.Name), path.Clean(entry.MountPath)
		if names[entry.Name] {
			findings = append(findings, invalid(field+".name", "name %q is already used by another entry; choose another", entry.Name))
		}
		names[entry.Name] = true
		switch other, own := folders[folder], ofSpark(entry.MountPath); {
		case !strings.HasPrefix(entry.MountPath, "/") || strings.ContainsAny(entry.MountPath, ":\x00"):
			findings = append(findings, invalid(field+".mountPath", "invalid folder %q: write an absolute path without ':'", entry.MountPath))
		case own != "":
			findings = append(findings, invalid(field+".mountPath", "%s", own))
		case other != "":
			findings = append(findings, invalid(field+".mountPath", "path %q is already used by %s; choose another", entry.MountPath, other))
		default:
			folders[folder] = field
		}
		findings = append(findings, fileNames(field, entry.Data)...)
	}
	return append(findings, propertyMounts(s.properties, folders)...)
}

// holds reports whether folder is other, or contains it.
func holds(folder, other string) bool {
	return folder == other || strings.HasPrefix(other, strings.TrimSuffix(folder, "/")+"/")
}

// fileNames reports file names that cannot be keys of a ConfigMap.
func fileNames(field string, data map[string]string) []Finding {
	var findings []Finding
	for _, name := range slices.Sorted(maps.Keys(data)) {
		if len(validation.IsConfigMapKey(name)) > 0 {
			findings = append(findings, invalid(conf.At(field+".data", name),
				"invalid file name %q: use at most 253 letters, digits, '-', '_' and '.', and no folders", name))
		}
	}
	return findings
}

// propertyMounts reports volumes and Secrets that properties mount at the path of an entry. For executors no other
// check would find them, because Spark adds them when it creates the pods.
func propertyMounts(p conf.Properties, folders map[string]string) []Finding {
	var findings []Finding
	for _, role := range []conf.Role{conf.Driver, conf.Executor} {
		mounts := slices.DeleteFunc(p.WithPrefix(role.Key("volumes.")), func(n conf.Named) bool { return !strings.HasSuffix(n.Name, ".mount.path") })
		for _, property := range append(mounts, p.WithPrefix(role.Key("secrets."))...) {
			if other := folders[path.Clean(property.Value)]; other != "" {
				findings = append(findings, invalid(property.Origin.Field, "path %q is already used by %s; choose another", property.Value, other))
			}
		}
	}
	return findings
}

// configMapVolumes returns the volumes and folders of spec.configMaps, which both roles have: the fields by name of the
// volume, and by path of the folder.
func (s *subject) configMapVolumes() (volumes, folders map[string]string) {
	volumes, folders = map[string]string{}, map[string]string{}
	for i := range s.spec.ConfigMaps {
		entry := &s.spec.ConfigMaps[i]
		volumes[render.FilesVolume(entry.Name)] = configMapPath(entry.Name)
		folders[path.Clean(entry.MountPath)] = configMapPath(entry.Name)
	}
	return volumes, folders
}
