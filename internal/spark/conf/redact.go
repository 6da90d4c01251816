// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package conf

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/sparkgate/sparkgate/internal/base/redact"
)

// sensitive matches the keys whose values Spark hides in its own listings, by default from 4.0 on.
var sensitive = regexp.MustCompile(redactionRegex)

// Sensitive reports whether the value of a key must be hidden.
func Sensitive(key string) bool { return sensitive.MatchString(key) }

// Masked replaces a sensitive value.
const Masked = redact.Masked

// Quote returns a value for a message: quoted, cut to a readable length, and masked if the key is sensitive.
func Quote(key, value string) string {
	if Sensitive(key) {
		return Masked
	}
	const longest = 128
	if len(value) > longest {
		return strconv.Quote(value[:longest]) + "…"
	}
	return strconv.Quote(value)
}

// Placeholder replaces a secret of a spark-submit command in the translated manifest. A manifest with it is refused.
const Placeholder = "REPLACED-TAKE-FROM-SECRET"

var (
	// references are prefixes of keys whose values name a Secret or a kind of credentials, or say what Spark hides.
	references = []string{
		ImagePullSecrets, TokenSecretName, TokenSecretKey, "spark.kerberos.renewal.credentials",
		Driver.Key("secrets."), Executor.Key("secrets."), Driver.Key("secretKeyRef."), Executor.Key("secretKeyRef."),
		redaction, "spark.sql" + strings.TrimPrefix(redaction, "spark"),
	}
	// metadata are prefixes of keys whose values everyone sees who may read pods, Services and claims. Names in them
	// are free, such as those of annotations that inject secrets into a pod
	// (vault.hashicorp.com/agent-inject-secret-NAME).
	metadata = []string{
		NodeSelectorPrefix, DriverServiceLabels, DriverServiceNotes,
		Driver.Key("annotation."), Driver.Key("label."), Driver.Key("node.selector."), Driver.Key("volumes."),
		Executor.Key("annotation."), Executor.Key("label."), Executor.Key("node.selector."), Executor.Key("volumes."),
	}
)

// HoldsSecret reports whether a value of a property that is not a secret itself contains one: an address with a password,
// or a list of settings with one.
func HoldsSecret(key, value string) bool {
	return redact.Mask(value) != value && !begins(key, references)
}

func begins(key string, prefixes []string) bool {
	return slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(key, prefix) })
}

// SecretValue reports whether the value of a property looks like a secret, which must not be in a manifest. It knows more
// names than Spark hides (sensitive), because manifests go to Git. The linter and the translation of spark-submit use it.
func SecretValue(key, value string) bool {
	if value == "" || value == "true" || value == "false" || !redact.SecretName(key) {
		return false
	}
	return !begins(key, references) && !begins(key, metadata)
}
