// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package render

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/sparkgate/sparkgate/internal/spark/conf"
	"github.com/sparkgate/sparkgate/internal/spark/server"
)

const (
	// confFolder is the configuration folder of driver and executors. The mount hides what the image has there.
	confFolder = "/opt/spark/conf"
	// propertiesFile and namespaceKey are keys of the ConfigMap. Spark's client writes the second one, but nothing
	// reads it.
	propertiesFile = "spark.properties"
	namespaceKey   = "spark.kubernetes.namespace"

	// Where the driver finds the executor template: key of the ConfigMap, folder, file and volume.
	templateKey    = "podspec-configmap-key"
	templateFolder = "/opt/spark/pod-template"
	templateFile   = "pod-spec-template.yml"
	templateVolume = "pod-template-volume"

	confVolume = "spark-conf-volume-driver"
	// fileMode is the mode of the files in the conf folder: 0644, readable by all.
	fileMode = int32(0o644)
)

// ConfFiles returns the files of a sparkConfigMap that go into Spark's conf folder: all but those with properties,
// which the operator merges or writes itself, and keys that the operator uses.
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

// executorTemplateStep adds the executor template to the ConfigMap and mounts it into the driver.
func executorTemplateStep(b *build) error {
	if server.IsMaster(&b.in.App.Spec) {
		return nil // the operator creates the workers
	}
	text, err := encode(b.template)
	if err != nil {
		return fmt.Errorf("encode the template of the executors: %w", err)
	}
	b.data[templateKey] = text
	b.driver.mount(
		configMapVolume(templateVolume, b.names.ConfigMap, corev1.KeyToPath{Key: templateKey, Path: templateFile}),
		corev1.VolumeMount{MountPath: templateFolder})
	b.added.Put(conf.ExecutorTemplateFile, templateFolder+"/"+templateFile)
	b.keepGracePeriod()
	return nil
}

// keepGracePeriod sets the property for the grace period of executors to what their template says. Otherwise Spark
// would replace it by its default.
func (b *build) keepGracePeriod() {
	seconds := b.template.Spec.TerminationGracePeriodSeconds
	if _, chosen := b.given[conf.ExecutorGracePeriod]; chosen || seconds == nil || !b.client.gracePeriod {
		return
	}
	b.added.Put(conf.ExecutorGracePeriod, strconv.FormatInt(*seconds, 10)+"s")
}

// executorTemplate returns the pod template of the executors. Spark uses the first container, so its own has to be
// first. The service account is also set under the field's old name: Spark reads only that, and would otherwise replace
// the account by one from the properties, such as the driver's (ExecutorKubernetesCredentialsFeatureStep).
func (b *build) executorTemplate() *corev1.Pod {
	pod := b.executor.pod
	pod.Spec.DeprecatedServiceAccount = cmp.Or(pod.Spec.ServiceAccountName, pod.Spec.DeprecatedServiceAccount)
	pod.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}
	pod.Spec.Containers = slices.Insert(pod.Spec.Containers, 0, b.executor.container)
	return pod
}

// encode writes a template as JSON, which every YAML parser reads without guessing the types of values. Characters that
// YAML does not allow, or takes for line ends, are escaped.
func encode(pod *corev1.Pod) (string, error) {
	w := writers.Get().(*writer)
	defer writers.Put(w)
	w.text.Reset()
	if err := w.Encode(struct {
		metav1.TypeMeta   `json:",inline"`
		metav1.ObjectMeta `json:"metadata"`
		Spec              corev1.PodSpec `json:"spec"`
	}{pod.TypeMeta, pod.ObjectMeta, pod.Spec}); err != nil {
		return "", err
	}
	return escapeForYAML(w.text.String()), nil
}

// writer encodes templates and keeps its buffer for the next one.
type writer struct {
	*json.Encoder
	text bytes.Buffer
}

var writers = sync.Pool{New: func() any {
	w := &writer{}
	w.Encoder = json.NewEncoder(&w.text)
	w.SetEscapeHTML(false)
	w.SetIndent("", "  ")
	return w
}}

// escapeForYAML escapes characters that JSON allows but YAML does not (YAML 1.1, 5.1 and 5.4). In JSON they can occur
// only in strings.
func escapeForYAML(text string) string {
	const delete, lastControl, byteOrderMark, notCharacters = 0x7f, 0x9f, 0xfeff, 0xfffe
	special := func(r rune) bool {
		return r >= delete && r <= lastControl || r == byteOrderMark || r == notCharacters || r == notCharacters+1
	}
	if !strings.ContainsFunc(text, special) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if special(r) {
			fmt.Fprintf(&b, `\u%04x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// confVolumeStep mounts the properties file and the conf files.
func confVolumeStep(b *build) error {
	properties := corev1.KeyToPath{Key: propertiesFile, Path: propertiesFile, Mode: ptr.To(fileMode)}
	var items []corev1.KeyToPath
	if !b.in.hasSecrets() {
		items = append(items, properties)
	}
	for name, content := range b.in.ConfFiles {
		b.data[name] = content
		items = append(items, corev1.KeyToPath{Key: name, Path: name, Mode: ptr.To(fileMode)})
	}
	slices.SortFunc(items, func(a, b corev1.KeyToPath) int { return bytes.Compare([]byte(a.Key), []byte(b.Key)) })
	b.driver.env("SPARK_CONF_DIR", confFolder)
	volume := configMapVolume(confVolume, b.names.ConfigMap, items...)
	if b.in.hasSecrets() {
		volume = b.secretConfVolume(properties, items)
	}
	b.driver.mount(volume, corev1.VolumeMount{MountPath: confFolder})
	b.data[namespaceKey] = b.in.App.Namespace
	shareConf(b)
	return nil
}

// configMapVolume returns a volume with the given keys of a ConfigMap; without any, with all of them.
func configMapVolume(name, configMap string, items ...corev1.KeyToPath) corev1.Volume {
	return corev1.Volume{Name: name, VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{
		LocalObjectReference: corev1.LocalObjectReference{Name: configMap}, Items: items,
	}}}
}

// configMap returns the ConfigMap of the attempt.
func (b *build) configMap() *corev1.ConfigMap {
	return &corev1.ConfigMap{
		ObjectMeta: objectMeta(b.in, b.names.ConfigMap),
		Immutable:  ptr.To(true),
		Data:       b.data,
	}
}

// hasSecrets reports whether the properties contain values from Secrets, so that they must not be in a ConfigMap.
func (in Input) hasSecrets() bool { return len(in.App.Spec.SparkConfFrom) > 0 }

// secret returns the Secret of the attempt, which holds the properties instead of the ConfigMap.
func (b *build) secret(properties string) *corev1.Secret {
	return &corev1.Secret{
		ObjectMeta: objectMeta(b.in, b.names.Secret),
		Immutable:  ptr.To(true),
		StringData: map[string]string{propertiesFile: properties},
	}
}

// secretConfVolume returns the volume for Spark's conf folder if the properties are in the Secret and all other files
// in the ConfigMap. The driver finds the same files as without a Secret.
func (b *build) secretConfVolume(properties corev1.KeyToPath, files []corev1.KeyToPath) corev1.Volume {
	sources := []corev1.VolumeProjection{{Secret: &corev1.SecretProjection{
		LocalObjectReference: corev1.LocalObjectReference{Name: b.names.Secret},
		Items:                []corev1.KeyToPath{properties},
	}}}
	// An empty list of items would mean all keys.
	if len(files) > 0 {
		sources = append(sources, corev1.VolumeProjection{ConfigMap: &corev1.ConfigMapProjection{
			LocalObjectReference: corev1.LocalObjectReference{Name: b.names.ConfigMap},
			Items:                files,
		}})
	}
	return corev1.Volume{Name: confVolume, VolumeSource: corev1.VolumeSource{Projected: &corev1.ProjectedVolumeSource{Sources: sources}}}
}
