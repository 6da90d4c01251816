// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/sparkgate/sparkgate/internal/redact"
	"github.com/sparkgate/sparkgate/internal/spark/conf"
	"github.com/sparkgate/sparkgate/internal/spark/render"
)

const (
	// maxSecretsRead is how many Secrets are read to redact one log.
	maxSecretsRead = 16
	// secretsTimeout bounds how long reading all Secrets may take, and separately how long reading the ConfigMap may
	// take. The time in between does not count, because the pass may wait there while the patterns of other users are
	// matched.
	secretsTimeout = 2 * time.Second
)

// knownSecrets returns the secrets that the application refers to or contains. If one of them cannot be determined, why
// says so, and the log must not be shown, because it could contain that secret. The attempt ends in any case.
func (ob *observer) knownSecrets(ctx context.Context) (known *redact.Known, why string) {
	if ob.app.Stub != nil {
		return nil, "the application is too large for the cache, so its secrets are not known"
	}
	log := ctrl.LoggerFrom(ctx).V(1)
	reading, cancel := context.WithTimeout(ctx, secretsTimeout)
	files, err := ob.reader.confFiles(reading)
	cancel()
	if err != nil {
		log.Info("Cannot determine the secrets to redact from a log", "error", err.Error())
		return nil, fmt.Sprintf("ConfigMap %q of spec.sparkConfigMap cannot be read now, and may contain secrets", ob.app.Spec.SparkConfigMap)
	}
	properties, _ := conf.Merge(ob.app, conf.Sources{ConfigMap: files})
	of, why := ofProperties(properties)
	if why != "" {
		return nil, why
	}
	secrets := append(of, ofArguments(ob.app.Spec.Arguments)...)
	refs := secretRefs{}
	for _, source := range ob.app.Spec.SparkConfFrom {
		refs.key(source.SecretKeyRef.Name, source.SecretKeyRef.Key, false)
	}
	for _, role := range render.Roles(ob.app) {
		parts, _ := role.Decode() // a role that cannot be decoded never became a pod
		secrets = append(secrets, refs.ofRole(role, parts, properties)...)
	}
	if len(refs) > maxSecretsRead {
		return nil, fmt.Sprintf("the application refers to %d Secrets, and no more than %d are looked for in a log", len(refs), maxSecretsRead)
	}
	ctx, cancel = context.WithTimeout(ctx, secretsTimeout)
	defer cancel()
	for _, name := range slices.Sorted(maps.Keys(refs)) {
		data, problem, err := ob.reader.secret(ctx, name)
		switch {
		case err != nil:
			log.Info("Cannot determine the secrets to redact from a log", "error", err.Error())
			return nil, fmt.Sprintf("Secret %q cannot be read now, and its values may appear in the log", name)
		case problem != "" && !refs[name].optional:
			return nil, fmt.Sprintf("Secret %q, whose values may appear in the log, %s", name, problem)
		}
		secrets = append(secrets, refs[name].values(data)...)
	}
	known, ok := redact.NewKnown(secrets)
	if !ok {
		return nil, "the Secrets that the application refers to are too large to be looked for in a log"
	}
	return known, ""
}

// describesSecret matches the end of names of properties that hold no secret but describe one: its location, or the
// class that reads it.
var describesSecret = regexp.MustCompile(`(?i)(?:provider|class|file|path|dir|location|enabled|type|regex|interval|length)s?$`)

// ofProperties returns the values of properties whose names match Spark's pattern of secrets or ours, and secrets
// within other values. If matching would take too long, why says so.
func ofProperties(properties conf.Properties) (secrets []string, why string) {
	matched, why := redacted(properties)
	if why != "" {
		return nil, why
	}
	for _, property := range properties {
		switch {
		case property.Origin.Source == conf.Secret:
		case (conf.Sensitive(property.Key) || conf.SecretValue(property.Key, property.Value) || matched[property.Key]) && !describesSecret.MatchString(property.Key):
			secrets = append(secrets, property.Value)
		case describesSecret.MatchString(property.Key):
			secrets = append(secrets, redact.Secrets(property.Value)...)
		default:
			secrets = append(secrets, redact.Secrets(property.Key+"="+property.Value)...)
		}
	}
	return secrets, ""
}

// ofArguments returns the secrets in arguments such as --password=x and --password x.
func ofArguments(arguments []string) []string {
	var secrets []string
	for i, argument := range arguments {
		secrets = append(secrets, redact.Secrets(argument)...)
		if i > 0 && strings.HasPrefix(arguments[i-1], "-") && len(redact.Secrets(arguments[i-1]+" x1x1x1")) > 0 {
			secrets = append(secrets, argument)
		}
	}
	return secrets
}

// secretRef holds the keys of one Secret that the application refers to.
type secretRef struct {
	keys map[string]bool
	// whole is true if all keys are referred to; optional is true if the Secret need not exist.
	whole, optional bool
}

// secretRefs holds the references to Secrets, by name.
type secretRefs map[string]*secretRef

// key adds a reference to a key of a Secret; an empty key refers to all keys. A Secret is optional only if all
// references to it are.
func (r secretRefs) key(name, key string, optional bool) {
	if name == "" {
		return
	}
	ref := r[name]
	if ref == nil {
		ref = &secretRef{keys: map[string]bool{}, optional: true}
		r[name] = ref
	}
	ref.keys[key], ref.whole, ref.optional = true, ref.whole || key == "", ref.optional && optional
}

// values returns the values of the keys that are referred to.
func (r *secretRef) values(data map[string][]byte) []string {
	var values []string
	for key, value := range data {
		if r.whole || r.keys[key] {
			values = append(values, string(value))
		}
	}
	return values
}

// ofRole adds the Secrets that the pods of a role refer to, and returns the secret values of its environment variables
// and arguments.
func (r secretRefs) ofRole(role render.Role, parts render.Parts, properties conf.Properties) []string {
	for _, property := range properties.WithPrefix(role.Name.Key("secretKeyRef.")) {
		name, key, _ := strings.Cut(property.Value, ":")
		r.key(name, key, false)
	}
	for _, property := range properties.WithPrefix(role.Name.Key("secrets.")) {
		r.key(property.Name, "", false)
	}
	for _, volume := range slices.Concat(parts.Volumes, parts.Template.Spec.Volumes) {
		r.ofVolume(volume)
	}
	secrets := r.ofEnvironment(parts.Env, parts.EnvFrom)
	for _, container := range slices.Concat(parts.Template.Spec.InitContainers, parts.Template.Spec.Containers) {
		secrets = append(secrets, r.ofEnvironment(container.Env, container.EnvFrom)...)
		secrets = append(secrets, ofArguments(container.Args)...)
	}
	return secrets
}

// ofEnvironment adds the Secrets that variables of a container refer to, and returns the values of variables with the
// name of a secret.
func (r secretRefs) ofEnvironment(variables []corev1.EnvVar, from []corev1.EnvFromSource) []string {
	var secrets []string
	for _, variable := range variables {
		secrets = append(secrets, redact.Secrets(variable.Name+"="+variable.Value)...)
		if source := variable.ValueFrom; source != nil && source.SecretKeyRef != nil {
			r.key(source.SecretKeyRef.Name, source.SecretKeyRef.Key, ptr.Deref(source.SecretKeyRef.Optional, false))
		}
	}
	for _, source := range from {
		if source.SecretRef != nil {
			r.key(source.SecretRef.Name, "", ptr.Deref(source.SecretRef.Optional, false))
		}
	}
	return secrets
}

// ofVolume adds the Secrets that a volume mounts.
func (r secretRefs) ofVolume(volume corev1.Volume) {
	if source := volume.Secret; source != nil {
		r.items(source.SecretName, source.Items, source.Optional)
	}
	if volume.Projected == nil {
		return
	}
	for _, source := range volume.Projected.Sources {
		if source.Secret != nil {
			r.items(source.Secret.Name, source.Secret.Items, source.Secret.Optional)
		}
	}
}

// items adds the keys that a volume mounts; without items it mounts all keys.
func (r secretRefs) items(name string, items []corev1.KeyToPath, optional *bool) {
	for _, item := range items {
		r.key(name, item.Key, ptr.Deref(optional, false))
	}
	if len(items) == 0 {
		r.key(name, "", ptr.Deref(optional, false))
	}
}
