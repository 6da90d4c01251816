// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"fmt"
	"path"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/sparkgate/sparkgate/internal/spark/conf"
	"github.com/sparkgate/sparkgate/internal/spark/render"
	"github.com/sparkgate/sparkgate/internal/spark/rights"
)

// Volumes and folders that Spark's client uses itself, with their purpose.
var (
	sparkVolumes = map[string]string{
		"spark-conf-volume-driver": "Spark's configuration",
		"spark-conf-volume-exec":   "Spark's configuration",
		"pod-template-volume":      "the template of the executors",
		"hadoop-properties":        "Hadoop's configuration",
		"sparkgate-jmx-exporter":   "the rules of the JMX exporter",
	}
	sparkFolders = map[string]string{
		"/opt/spark/conf":         "Spark's configuration: use spec.sparkConfigMap",
		"/opt/spark/pod-template": "the template of the executors",
		conf.AgentRulesFolder:     "the rules of the JMX exporter",
	}
)

// ofSpark says why nothing may be mounted at a path; it is empty if something may.
func ofSpark(value string) string {
	folder := path.Clean(value)
	switch purpose := sparkFolders[folder]; {
	case purpose != "":
		return fmt.Sprintf("value %q is the folder of %s; choose another", value, purpose)
	case holds(folder, sparkHome):
		return fmt.Sprintf("value %q would hide Spark itself, which is in %s: choose another folder", value, sparkHome)
	}
	return ""
}

// checkVolumes checks the volumes and mounts of each role, in its template and its fields.
func checkVolumes(s *subject) []Finding {
	var findings []Finding
	for _, r := range s.roles {
		findings = append(findings, r.checkVolumes(s)...)
	}
	return findings
}

// checkVolumes checks one role. Mounts may also name volumes that properties define.
func (r role) checkVolumes(s *subject) []Finding {
	p := s.properties
	known, taken := s.configMapVolumes()
	findings := r.volumeFindings(known)
	for _, property := range p.WithPrefix(r.Name.Key("volumes.")) {
		if parts := strings.Split(property.Name, "."); len(parts) > 1 {
			if known[parts[1]] == "" {
				findings = append(findings, dnsFindings(property.Origin.Field, "volume name", parts[1])...)
			}
			known[parts[1]] = property.Origin.Field
		}
	}
	for _, property := range p.WithPrefix(r.Name.Key("secrets.")) {
		findings = append(findings, dnsFindings(property.Origin.Field, "volume name", property.Name+"-volume")...)
		known[property.Name+"-volume"] = property.Origin.Field
	}
	return append(findings, r.mountFindings(known, taken)...)
}

// volumeFindings checks the names of volumes and adds them to known, with their fields.
func (r role) volumeFindings(known map[string]string) []Finding {
	var findings []Finding
	look := func(field string, volume corev1.Volume) {
		purpose, taken := sparkVolumes[volume.Name]
		switch other := known[volume.Name]; {
		case volume.Name == "":
			findings = append(findings, invalid(field+".name", "the name is missing: set one"))
		case taken:
			findings = append(findings, invalid(field+".name", "value %q is Spark's own volume for %s: rename it", volume.Name, purpose))
		case other != "":
			findings = append(findings, invalid(field+".name", "name %q is already used by %s; choose another", volume.Name, other))
		default:
			known[volume.Name] = field
			findings = append(findings, dnsFindings(field+".name", "volume name", volume.Name)...)
		}
	}
	for i, volume := range r.parts.Template.Spec.Volumes {
		look(fmt.Sprintf("%s.template.spec.volumes[%d]", r.Path, i), volume)
	}
	for i, volume := range r.parts.Volumes {
		look(fmt.Sprintf("%s.volumes[%d]", r.Path, i), volume)
	}
	return findings
}

// mountFindings checks the mounts of Spark's container. known are the volumes and taken the mount paths so far, with
// their fields.
func (r role) mountFindings(known, taken map[string]string) []Finding {
	var findings []Finding
	look := func(field string, mount corev1.VolumeMount) {
		folder := path.Clean(mount.MountPath)
		switch other, own := taken[folder], ofSpark(mount.MountPath); {
		case mount.MountPath == "":
			findings = append(findings, invalid(field+".mountPath", "the folder is missing: set one"))
		case own != "":
			findings = append(findings, invalid(field+".mountPath", "%s", own))
		case other != "":
			findings = append(findings, invalid(field+".mountPath", "path %q is already used by %s; choose another", mount.MountPath, other))
		default:
			taken[folder] = field
		}
		if known[mount.Name] == "" {
			findings = append(findings, invalid(field+".name", "volume %q not found in %s: correct the name, or add the volume", mount.Name, r.Path))
		}
	}
	if r.spark >= 0 {
		for i, mount := range r.parts.Template.Spec.Containers[r.spark].VolumeMounts {
			look(fmt.Sprintf("%s.volumeMounts[%d]", r.containerPath(r.spark), i), mount)
		}
	}
	for i, mount := range r.parts.Mounts {
		look(fmt.Sprintf("%s.volumeMounts[%d]", r.Path, i), mount)
	}
	return findings
}

// checkPods reports names and paths that occur twice in the finished pods, because one comes from a field and one from
// a property. The API server refuses such pods; for executors only the log of the driver would say so.
func checkPods(s *subject, finished ...*corev1.Pod) []Finding {
	var findings []Finding
	for i, pod := range finished {
		if len(s.roles[i].checkVolumes(s))+len(checkConfigMaps(s)) > 0 {
			continue // those checks report it
		}
		field := s.roles[i].Path
		if name := firstTwice(pod.Spec.Volumes, func(v corev1.Volume) string { return v.Name }); name != "" {
			findings = append(findings, invalid(field+".volumes", "name %q is already used by a volume from Spark's properties; choose another", name))
		}
		findings = append(findings, nulFindings(field, pod)...)
		if i == 0 {
			findings = append(findings, accountToken(s, pod)...)
		}
		for _, container := range pod.Spec.Containers {
			findings = append(findings, mountsFindings(field+".volumeMounts", container)...)
		}
	}
	return findings
}

// tokenFolder is where Kubernetes mounts the token of a service account.
const tokenFolder = "/var/run/secrets/kubernetes.io/serviceaccount"

// accountToken reports a driver without the token of its service account. It would end because it trusts no API server,
// which says nothing of a token.
func accountToken(s *subject, pod *corev1.Pod) []Finding {
	const remedy = "the driver creates executors with the token of its service account: "
	if len(rights.Needed(s.properties)) == 0 {
		return nil
	}
	for _, mount := range pod.Spec.Containers[max(s.roles[0].spark, 0)].VolumeMounts {
		if path.Clean(mount.MountPath) != tokenFolder {
			continue
		}
		if slices.ContainsFunc(pod.Spec.Volumes, func(v corev1.Volume) bool { return v.Name == mount.Name && v.Projected != nil }) {
			return nil
		}
		return []Finding{invalid("spec.driver.volumeMounts", remedy+"volume %q at %q hides it; choose another folder, or name a token in "+
			"spark.kubernetes.authenticate.driver.mounted.oauthTokenFile", mount.Name, mount.MountPath)}
	}
	if automount := s.roles[0].parts.Template.Spec.AutomountServiceAccountToken; automount == nil || *automount {
		return nil
	}
	return []Finding{invalid("spec.driver.template.spec.automountServiceAccountToken", remedy+"remove the value false, or mount a projected volume with it at %s", tokenFolder)}
}

// mountsFindings reports two volumes that are mounted at the same path.
func mountsFindings(field string, container corev1.Container) []Finding {
	folder := firstTwice(container.VolumeMounts, func(m corev1.VolumeMount) string { return m.MountPath })
	if folder == "" {
		return nil
	}
	names := []string{}
	for _, mount := range container.VolumeMounts {
		if mount.MountPath == folder {
			names = append(names, mount.Name)
		}
	}
	remedy := "change one"
	isScratch := func(name string) bool { return strings.HasPrefix(name, render.LocalDirPrefix) }
	if isScratch(names[0]) != isScratch(names[1]) {
		remedy += ", or begin the name of a volume that is to be Spark's scratch space with " + render.LocalDirPrefix
	}
	return []Finding{invalid(field, "the volumes %s are both mounted at %q in container %s; %s", strings.Join(names[:2], " and "), folder, container.Name, remedy)}
}

// nulFindings reports containers with U+0000 in their command, arguments or environment. No process can be started with
// that, and the kubelet would try forever.
func nulFindings(field string, pod *corev1.Pod) []Finding {
	var findings []Finding
	for _, container := range slices.Concat(pod.Spec.InitContainers, pod.Spec.Containers) {
		words := slices.Concat(container.Command, container.Args)
		for _, variable := range container.Env {
			words = append(words, variable.Name, variable.Value)
		}
		if slices.ContainsFunc(words, func(word string) bool { return strings.ContainsRune(word, 0) }) {
			findings = append(findings, invalid(field, "command, arguments or environment of the container %q have the character U+0000, which no process can be given: remove it",
				container.Name))
		}
	}
	return findings
}

// firstTwice returns the first key that two elements of a list share, "" if there is none.
func firstTwice[T any](list []T, key func(T) string) string {
	seen := map[string]bool{}
	for _, element := range list {
		if seen[key(element)] {
			return key(element)
		}
		seen[key(element)] = true
	}
	return ""
}

// checkClaims reports driver volumes with a claim of a fixed name that spark-submit would create: all attempts would
// share it, and it would be deleted with the first one. It also reports executor volumes whose claims no executor could
// use.
func checkClaims(s *subject) []Finding {
	var findings []Finding
	p, prefix := s.properties, conf.Driver.Key("volumes.persistentVolumeClaim.")
	for _, property := range p.WithPrefix(prefix) {
		name, ok := strings.CutSuffix(property.Name, ".options.claimName")
		if !ok || strings.Contains(property.Value, conf.OnDemand) {
			continue
		}
		_, class := p.Lookup(prefix + name + ".options.storageClass")
		_, size := p.Lookup(prefix + name + ".options.sizeLimit")
		if class && size {
			findings = append(findings, invalid(property.Origin.Field, "value %q names a claim that would be created for one attempt and shared by the next: "+
				"remove options.storageClass and options.sizeLimit of the volume and apply the claim yourself, or put OnDemand into the name for a claim of each attempt",
				property.Value))
		}
	}
	return append(findings, executorClaims(s.properties)...)
}

// executorClaims reports claims that the driver would try to create for each executor under the same name, and claims
// that it would not create, so that executors would wait for them forever.
func executorClaims(p conf.Properties) []Finding {
	var findings []Finding
	// With a prefix of the user's, the names are known, and the claims may exist.
	_, ownPrefix := p.Lookup(conf.ExecutorPodNamePrefix)
	for _, claim := range p.ExecutorClaims() {
		switch {
		case claim.Created && !claim.Own:
			findings = append(findings, invalid(claim.Origin.Field, "value %q names one claim that would be created for each executor: "+
				"put OnDemand into the name for a claim of each executor, or remove options.storageClass and options.sizeLimit of the volume and apply the claim yourself", claim.Value))
		case !claim.Created && strings.Contains(claim.Value, conf.OnDemand) && !ownPrefix:
			findings = append(findings, invalid(claim.Origin.Field, "value %q names claims that are not created without a class and a size, so that executors would wait for them: "+
				"also set options.storageClass and options.sizeLimit of the volume, or name a claim that exists", claim.Value))
		}
	}
	return findings
}
