// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package submit

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/spark/conf"
)

// noteSecret warns about a text that seems to contain a secret. It is not changed, because it is not clear where the
// secret ends. key is the property with that text, if it is one.
func (b *builder) noteSecret(subject, key, text string) {
	if conf.HoldsSecret(key, text) {
		b.note(subject, "a text looks as if it held a password or a key: take it from a Secret by an environment variable instead")
	}
}

// isSecret reports whether a property has to come from a Secret: its key looks like that of a secret, or its value
// contains one, such as an address with a password, and Spark can read it from there.
func isSecret(key, value string) bool {
	variable := strings.HasPrefix(key, conf.DriverEnvPrefix) || strings.HasPrefix(key, conf.ExecutorEnvPrefix)
	return conf.SecretValue(key, value) || conf.HoldsSecret(key, value) && (variable || conf.RefusedFromSecret(key) == "")
}

var notInSecretKey = regexp.MustCompile(`[^-._a-zA-Z0-9]+`)

// placeSecret makes a property whose value looks like a secret come from a Secret that the user has to create.
func (b *builder) placeSecret(key, value string) {
	reference := v1alpha1.SecretKeyReference{Name: SecretName(b.app.Name)}
	field := "spec.sparkConfFrom"
	for _, role := range []struct {
		prefix, field string
		env           *[]v1alpha1.EnvVar
	}{
		{conf.DriverEnvPrefix, "spec.driver.env", &b.app.Spec.Driver.Env},
		{conf.ExecutorEnvPrefix, "spec.executor.env", &b.app.Spec.Executor.Env},
	} {
		if name, ok := strings.CutPrefix(key, role.prefix); ok {
			field, reference.Key = role.field, b.keyOfSecret(value, name, key)
			raw, _ := json.Marshal(map[string]any{"secretKeyRef": reference}) //nolint:errchkjson // texts only
			*role.env = append(*role.env, v1alpha1.EnvVar{Name: name, ValueFrom: &runtime.RawExtension{Raw: raw}})
		}
	}
	if field == "spec.sparkConfFrom" {
		if why := conf.RefusedFromSecret(key); why != "" {
			b.note(key, "the value looks like a secret and was replaced by %s: %s", conf.Placeholder, why)
			b.setSparkConf(key, conf.Placeholder)
			return
		}
		reference.Key = b.keyOfSecret(value, key)
		b.app.Spec.SparkConfFrom = append(b.app.Spec.SparkConfFrom, v1alpha1.SparkConfSource{Name: key, SecretKeyRef: reference})
	}
	b.note(key, "the value looks like a secret, so %s takes it from key %s of Secret %s", field, reference.Key, reference.Name)
}

// keyOfSecret returns the key of the Secret for a value: the first of names that no other value has. Driver and
// executors often have the same variable.
func (b *builder) keyOfSecret(value string, names ...string) string {
	var key string
	for _, name := range names {
		key = notInSecretKey.ReplaceAllString(name, "-")
		other, taken := b.secrets[key]
		if taken && other == value {
			return key
		}
		if !taken {
			break
		}
	}
	if b.secrets == nil {
		b.secrets = map[string]string{}
	}
	b.secrets[key] = value
	b.secretKeys = append(b.secretKeys, key)
	return key
}

// noteSecretToCreate says how to create the Secret that the application uses.
func (b *builder) noteSecretToCreate() {
	if len(b.secretKeys) == 0 {
		return
	}
	name := SecretName(b.app.Name)
	var literals strings.Builder
	for _, key := range b.secretKeys {
		fmt.Fprintf(&literals, " --from-literal=%s=VALUE", key)
	}
	b.note("Secret "+name, "create it before the application: kubectl create secret generic %s --namespace %s%s", name, b.app.Namespace, literals.String())
}
