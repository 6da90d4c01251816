// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/base/finding"
	"github.com/sparkgate/sparkgate/internal/spark/conf"
)

// secretValues holds the values that spec.sparkConfFrom refers to, as read in one pass. They are never kept longer.
type secretValues struct {
	// byProperty maps Spark properties to their values.
	byProperty map[string]string
	// size is the total size of the values, in bytes.
	size int
	// missing holds sentences about what does not exist or cannot be used.
	missing []string
}

// maxSecretBytes is how many bytes of Secrets the operator holds for one application. No driver can be created with
// more than 1,000,000.
const maxSecretBytes = 2 << 20

// referred returns the entries of a Secret that the sources refer to, so that the others do not stay in memory.
func referred(data map[string][]byte, sources []v1alpha1.SparkConfSource, secret string) map[string][]byte {
	if data == nil {
		return nil
	}
	kept := map[string][]byte{}
	for _, source := range sources {
		if value, there := data[source.SecretKeyRef.Key]; there && source.SecretKeyRef.Name == secret {
			kept[source.SecretKeyRef.Key] = value
		}
	}
	return kept
}

// take adds the value of one property, or returns why it cannot be used. Values must be text, because Spark reads
// properties as text and would change other bytes.
func (v *secretValues) take(source v1alpha1.SparkConfSource, data map[string][]byte) (problem string) {
	value, ok := data[source.SecretKeyRef.Key]
	switch {
	case !ok:
		return noSuchKey
	case !utf8.Valid(value):
		return notUTF8
	case bytes.IndexByte(value, 0) >= 0:
		return hasNUL
	case v.size+len(value) > maxSecretBytes:
		return tooMuch
	}
	v.size += len(value)
	v.byProperty[source.Name] = string(value)
	return ""
}

// Problems of a key in a Secret.
const (
	noSuchKey = "does not exist"
	notUTF8   = "is not UTF-8 text"
	hasNUL    = "has the character U+0000"
	tooMuch   = "is too large" // validate.Size reports it
)

// problemsOf returns sentences about the Secrets and keys of the sources that cannot be used: first Secrets, each once,
// then keys. find returns the problem of a Secret, or of a key if it is not empty; an empty problem means that it can
// be used. complete is false if find does not know one of them.
func problemsOf(sources []v1alpha1.SparkConfSource, find func(name, key string) (problem string, known bool)) (texts []string, complete bool) {
	bad := map[string]bool{}
	for _, source := range sources {
		name := source.SecretKeyRef.Name
		problem, known := find(name, "")
		if !known {
			return nil, false
		}
		if problem != "" && !bad[name] {
			bad[name] = true
			texts = append(texts, fmt.Sprintf("Secret %q named by %s %s", name, conf.FieldOfSecret(source.Name), problem))
		}
	}
	for _, source := range sources {
		field, ref := conf.FieldOfSecret(source.Name), source.SecretKeyRef
		if bad[ref.Name] {
			continue
		}
		problem, known := find(ref.Name, ref.Key)
		switch {
		case !known:
			return nil, false
		case problem == noSuchKey:
			texts = append(texts, fmt.Sprintf("key %q named by %s does not exist in Secret %q", ref.Key, field, ref.Name))
		case problem == notUTF8:
			texts = append(texts, fmt.Sprintf("key %q named by %s is not UTF-8 text in Secret %q: store it in UTF-8, or mount the Secret as files", ref.Key, field, ref.Name))
		case problem == hasNUL:
			texts = append(texts, fmt.Sprintf("key %q named by %s has the character U+0000 in Secret %q, which no process can be given: remove it", ref.Key, field, ref.Name))
		}
	}
	return texts, true
}

// values returns the values by property, or nil if there are none.
func (v *secretValues) values() map[string]string {
	if v == nil {
		return nil
	}
	return v.byProperty
}

// findings returns a finding if a driver cannot be created because something is missing.
func (v *secretValues) findings() []finding.Finding {
	if v == nil || len(v.missing) == 0 {
		return nil
	}
	return []finding.Finding{{Reason: v1alpha1.ReferenceNotFoundReason, Message: strings.Join(v.missing, "; ")}}
}
