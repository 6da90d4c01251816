// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package submit

import (
	"regexp"
	"strings"

	"github.com/sparkgate/sparkgate/internal/spark/conf"
)

// Placeholder stands where a secret stood.
const Placeholder = "REPLACED-TAKE-FROM-SECRET"

// javaOptions is how the keys of Java options end.
const javaOptions = ".extraJavaOptions"

var (
	// secretKey matches more than Spark hides in its listings: a manifest goes to Git.
	secretKey = regexp.MustCompile(`(?i)secret|password|passwd|passphrase|token|(access|account|api|private|encryption|sas)[._-]?key`)
	// secretInText finds a password within a text: --password x, -Djavax.net.ssl.keyStorePassword=x, user:password@host.
	secretInText = regexp.MustCompile(`(?i)(secret|password|passwd|passphrase|token|(access|api|private)[._-]?key)[A-Za-z._-]*([= ]|$)|://[^/@:\s]+:[^/@\s]+@`)
)

// naming are parts of keys whose values only name something, or say how something is done.
var (
	namingPrefixes = []string{
		conf.ImagePullSecrets, conf.TokenSecretName, conf.TokenSecretKey,
		conf.Driver.Key("secrets."), conf.Executor.Key("secrets."), conf.Driver.Key("secretKeyRef."), conf.Executor.Key("secretKeyRef."),
	}
	namingEnds = regexp.MustCompile(`(?i)(file|path|name|class|provider|type|enabled|algorithm|bits|length|timeout|interval)$`)
)

// secret reports whether a value looks like one that must not stand in a manifest.
func secret(key, value string) bool {
	if value == "" || !secretKey.MatchString(key) || namingEnds.MatchString(key) {
		return false
	}
	for _, prefix := range namingPrefixes {
		if strings.HasPrefix(key, prefix) {
			return false
		}
	}
	return value != "true" && value != "false"
}

// noteSecrets warns of texts that seem to hold a secret. They are not changed, because nobody could tell where it ends.
func (b *builder) noteSecrets(subject string, texts []string) {
	for _, text := range texts {
		if secretInText.MatchString(text) {
			b.note(subject, "a text looks as if it held a password or a key: take it from a Secret by an environment variable instead")
			return
		}
	}
}
