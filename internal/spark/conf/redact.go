// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package conf

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/sparkgate/sparkgate/internal/redact"
)

// sensitive matches the keys whose values Spark hides in its own listings, by default and from 4.0 on.
var sensitive = regexp.MustCompile(redactionRegex)

// Sensitive reports whether the value of a key must not be shown.
func Sensitive(key string) bool { return sensitive.MatchString(key) }

// Masked is shown in place of a sensitive value.
const Masked = redact.Masked

// Quote returns the value for a message: quoted, cut to a readable length, and hidden if the key is sensitive.
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

// Placeholder stands in a manifest where a call of spark-submit had a secret that must not stand there. It is refused.
const Placeholder = "REPLACED-TAKE-FROM-SECRET"

var (
	// secretKey matches more than Spark hides in its listings (sensitive): a manifest goes to Git.
	secretKey = regexp.MustCompile(`(?i)secret|password|passwd|passphrase|token|credential|(access|account|api|private|encryption|sas)[._-]?key`)
	// describing is how keys end whose values say where a secret is found, or how it is used.
	describing = regexp.MustCompile(`(?i)(file|path|dir|location|name|class|provider|type|enabled|algorithm|bits|length|timeout|interval|regex|ratio|wait|mapping)s?$`)
	// references begin keys whose values name a Secret, or a kind of credentials.
	references = []string{
		ImagePullSecrets, TokenSecretName, TokenSecretKey, "spark.kerberos.renewal.credentials",
		Driver.Key("secrets."), Executor.Key("secrets."), Driver.Key("secretKeyRef."), Executor.Key("secretKeyRef."),
	}
	// metadata begin keys of what all who may read pods, Services and claims can read: names in them are free, such as
	// those of annotations by which a pod is given secrets (vault.hashicorp.com/agent-inject-secret-NAME).
	metadata = []string{
		NodeSelectorPrefix, DriverServiceLabels, DriverServiceNotes,
		Driver.Key("annotation."), Driver.Key("label."), Driver.Key("node.selector."), Driver.Key("volumes."),
		Executor.Key("annotation."), Executor.Key("label."), Executor.Key("node.selector."), Executor.Key("volumes."),
	}
)

// SecretValue reports whether the value of a property looks like a secret, which must not be in a manifest. It is
// the one list for the linter, the translation of spark-submit and the redaction of logs.
func SecretValue(key, value string) bool {
	if value == "" || value == "true" || value == "false" || !secretKey.MatchString(key) || describing.MatchString(key) {
		return false
	}
	begins := func(prefix string) bool { return strings.HasPrefix(key, prefix) }
	return !slices.ContainsFunc(references, begins) && !slices.ContainsFunc(metadata, begins)
}
