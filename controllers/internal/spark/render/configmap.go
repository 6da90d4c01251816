// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package render

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/sparkgate/sparkgate/controllers/internal/spark/conf"
)

const (
	// confFolder is where driver and executors find their configuration; what the image has there is hidden.
	confFolder = "/opt/spark/conf"
	// propertiesFile and namespaceKey are keys of the ConfigMap; the second is a habit of Spark's client that nothing reads.
	propertiesFile = "spark.properties"
	namespaceKey   = "spark.kubernetes.namespace"

	// The executor template: key in the ConfigMap, folder and file in the driver.
	templateKey    = "podspec-configmap-key"
	templateFolder = "/opt/spark/pod-template"
	templateFile   = "pod-spec-template.yml"
	templateVolume = "pod-template-volume"

	confVolume = "spark-conf-volume-driver"
	// fileMode of the files in the conf folder: readable by all, 0644.
	fileMode = int32(0o644)
)

// ConfFiles returns which files of a sparkConfigMap go into Spark's conf folder: all but the properties, which are merged or written by
// the operator, and keys that the operator uses itself.
func ConfFiles(configMap map[string]string) map[string]string {
	files := map[string]string{}
	for name, content := range configMap {
		switch name {
		case conf.DefaultsFile, propertiesFile, namespaceKey, templateKey, agentRulesKey:
		default:
			files[name] = content
		}
	}
	return files
}

// executorTemplateStep hands the template of the executors to the driver, in the ConfigMap that it mounts anyway.
func executorTemplateStep(b *build) error {
	text, err := encode(b.template)
	if err != nil {
		return fmt.Errorf("encode the template of the executors: %w", err)
	}
	b.data[templateKey] = text
	b.driver.mount(
		b.configMapVolume(templateVolume, corev1.KeyToPath{Key: templateKey, Path: templateFile}),
		corev1.VolumeMount{MountPath: templateFolder})
	b.added.Put(conf.ExecutorTemplateFile, templateFolder+"/"+templateFile)
	return nil
}

// executorTemplate is the pod that Spark starts executors from. Its container comes first, because Spark takes the first.
func (b *build) executorTemplate() *corev1.Pod {
	pod := b.executor.pod
	pod.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}
	pod.Spec.Containers = slices.Insert(pod.Spec.Containers, 0, b.executor.container)
	return pod
}

// encode writes a template as JSON, which every reader of YAML takes and which leaves no doubt about what is text.
func encode(pod *corev1.Pod) (string, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(struct {
		metav1.TypeMeta   `json:",inline"`
		metav1.ObjectMeta `json:"metadata"`
		Spec              corev1.PodSpec `json:"spec"`
	}{pod.TypeMeta, pod.ObjectMeta, pod.Spec}); err != nil {
		return "", err
	}
	return text.String(), nil
}

// confVolumeStep mounts properties and conf files.
func confVolumeStep(b *build) error {
	properties := corev1.KeyToPath{Key: propertiesFile, Path: propertiesFile, Mode: ptr.To(fileMode)}
	var items []corev1.KeyToPath
	if !b.hasSecrets() {
		items = append(items, properties)
	}
	for name, content := range b.in.ConfFiles {
		b.data[name] = content
		items = append(items, corev1.KeyToPath{Key: name, Path: name, Mode: ptr.To(fileMode)})
	}
	slices.SortFunc(items, func(a, b corev1.KeyToPath) int { return bytes.Compare([]byte(a.Key), []byte(b.Key)) })
	b.driver.env("SPARK_CONF_DIR", confFolder)
	volume := b.configMapVolume(confVolume, items...)
	if b.hasSecrets() {
		volume = b.secretConfVolume(properties, items)
	}
	b.driver.mount(volume, corev1.VolumeMount{MountPath: confFolder})
	b.data[namespaceKey] = b.in.App.Namespace
	return nil
}

// configMapVolume is a volume with some keys of the ConfigMap.
func (b *build) configMapVolume(name string, items ...corev1.KeyToPath) corev1.Volume {
	return corev1.Volume{Name: name, VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{
		LocalObjectReference: corev1.LocalObjectReference{Name: b.names.ConfigMap},
		Items:                items,
	}}}
}

// configMap is the one ConfigMap of the attempt.
func (b *build) configMap() *corev1.ConfigMap {
	return &corev1.ConfigMap{
		ObjectMeta: objectMeta(b.in, b.names.ConfigMap),
		Immutable:  ptr.To(true),
		Data:       b.data,
	}
}
