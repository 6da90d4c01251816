// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package inputs

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/spark/conf"
	"github.com/sparkgate/sparkgate/internal/spark/podsets"
)

// Inputs are everything that a plan is derived from.
type Inputs struct {
	// Template is the hash of the run template: roles, pod templates, accounts and everything else that the spec says
	// about pods.
	Template string
	// Properties are the result of conf.Merge. Those from Secrets are masked.
	Properties conf.Properties
	// ConfigMap is the one of spec.sparkConfigMap; nil if there is none.
	ConfigMap *corev1.ConfigMap
	// Settings are the settings of the namespace (SettingsOf).
	Settings map[string]string
	// Environment is what the API server adds to the requests of pods.
	Environment podsets.Environment
}

// rule names how the hash is computed. If it changes, grants whose drivers do not exist yet are released once and
// requested again.
const rule = "v1"

// settingPrefix begins the labels and annotations of a namespace that are settings of Sparkgate.
const settingPrefix = v1alpha1.Group + "/"

// SettingsOf returns the settings of a namespace: who may use which queues and gates in it, and whether it is guarded.
func SettingsOf(namespace metav1.Object) map[string]string {
	settings := map[string]string{}
	for kind, all := range map[string]map[string]string{"label ": namespace.GetLabels(), "annotation ": namespace.GetAnnotations()} {
		for key, value := range all {
			if strings.HasPrefix(key, settingPrefix) {
				settings[kind+key] = value
			}
		}
	}
	return settings
}

// content is hashed as JSON, in which the keys of maps are sorted.
type content struct {
	Template    string                         `json:"template"`
	Properties  map[string]string              `json:"properties,omitempty"`
	ConfigMap   string                         `json:"configMap,omitempty"`
	Files       map[string]string              `json:"files,omitempty"`
	Settings    map[string]string              `json:"settings,omitempty"`
	LimitRanges []limitRange                   `json:"limitRanges,omitempty"`
	Overheads   map[string]corev1.ResourceList `json:"overheads,omitempty"`
}

type limitRange struct {
	Name string                `json:"name"`
	Spec corev1.LimitRangeSpec `json:"spec"`
}

// Hash returns the hash of the inputs. It is the same in all versions of the operator that have the same rule.
func (i Inputs) Hash() (string, error) {
	c := content{Template: i.Template, Properties: make(map[string]string, len(i.Properties)), Settings: i.Settings, Overheads: i.Environment.RuntimeClasses}
	for key, property := range i.Properties {
		c.Properties[key] = property.Value
	}
	if i.ConfigMap != nil {
		c.ConfigMap, c.Files = string(i.ConfigMap.UID), i.ConfigMap.Data
	}
	for _, l := range i.Environment.LimitRanges {
		c.LimitRanges = append(c.LimitRanges, limitRange{l.Name, l.Spec})
	}
	slices.SortFunc(c.LimitRanges, func(a, b limitRange) int { return cmp.Compare(a.Name, b.Name) })
	text, err := json.Marshal(c)
	if err != nil {
		return "", fmt.Errorf("hash the inputs of a start: %w", err)
	}
	sum := sha256.Sum256(text)
	return rule + ":" + hex.EncodeToString(sum[:]), nil
}
