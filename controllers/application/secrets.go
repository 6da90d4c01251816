// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/finding"
	"github.com/sparkgate/sparkgate/internal/spark/conf"
)

// secretValues are what spec.sparkConfFrom refers to, as it was read in one pass. They are never kept beyond it.
type secretValues struct {
	// byProperty are the values by Spark property.
	byProperty map[string]string
	// size of all of them, in bytes.
	size int
	// missing says what is not there, or not in a form that can be used.
	missing []string
}

// mostOfSecrets is how many bytes of Secrets one application may make the operator hold. Of more than 1,000,000 no driver can be created.
const mostOfSecrets = 2 << 20

// referred returns those entries of a Secret that the sources refer to: the others need not stay in memory.
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

// take adds the value of one property, or says why not. A Secret holds bytes; what is not text would arrive as something else.
func (v *secretValues) take(source v1alpha1.SparkConfSource, data map[string][]byte) (problem string) {
	value, ok := data[source.SecretKeyRef.Key]
	switch {
	case !ok:
		return noSuchKey
	case !utf8.Valid(value):
		return noText
	case bytes.IndexByte(value, 0) >= 0:
		return hasNUL
	case v.size+len(value) > mostOfSecrets:
		return tooMuch
	}
	v.size += len(value)
	v.byProperty[source.Name] = string(value)
	return ""
}

// Why a key of a Secret cannot be used.
const (
	noSuchKey = "does not exist"
	noText    = "is not UTF-8 text"
	hasNUL    = "has the character U+0000"
	tooMuch   = "is too large" // validate.Size reports it
)

// problemsOf reports what cannot be used of what the sources refer to: Secrets first, each once, then keys. What is found of a Secret
// or, if there is a key, of that, is empty if all is well. The answer is complete if everything was looked at.
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
		case problem == noText:
			texts = append(texts, fmt.Sprintf("key %q named by %s is not UTF-8 text in Secret %q: store it in UTF-8, or mount the Secret as files", ref.Key, field, ref.Name))
		case problem == hasNUL:
			texts = append(texts, fmt.Sprintf("key %q named by %s has the character U+0000 in Secret %q, which no process can be given: remove it", ref.Key, field, ref.Name))
		}
	}
	return texts, true
}

// values returns the values by property, nil where there are none.
func (v *secretValues) values() map[string]string {
	if v == nil {
		return nil
	}
	return v.byProperty
}

// findings say why no driver can be created.
func (v *secretValues) findings() []finding.Finding {
	if v == nil || len(v.missing) == 0 {
		return nil
	}
	return []finding.Finding{{Reason: v1alpha1.ReferenceNotFoundReason, Message: strings.Join(v.missing, "; ")}}
}
