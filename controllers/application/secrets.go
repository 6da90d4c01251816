// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/internal/lifecycle"
	"github.com/sparkgate/sparkgate/controllers/internal/spark/conf"
)

// secretValues are what spec.sparkConfFrom refers to, as it was read in one pass. They are never kept beyond it.
type secretValues struct {
	// byProperty are the values by Spark property.
	byProperty map[string]string
	// missing says what is not there, or not in a form that can be used.
	missing []string
}

// secretValues reads what spec.sparkConfFrom refers to, live and once a pass. It is nil where nothing is referred to.
func (p *pass) secretValues(ctx context.Context) (*secretValues, error) {
	sources := p.app.Spec.SparkConfFrom
	if p.secrets != nil || len(sources) == 0 {
		return p.secrets, nil
	}
	values := &secretValues{byProperty: map[string]string{}}
	secrets := map[string]map[string][]byte{}
	for _, source := range sources {
		name := source.SecretKeyRef.Name
		if _, read := secrets[name]; read {
			continue
		}
		data, problem, err := p.secret(ctx, name)
		if err != nil {
			return nil, err
		}
		if secrets[name] = data; problem != "" {
			values.missing = append(values.missing, fmt.Sprintf("Secret %q named by %s %s", name, conf.FieldOfSecret(source.Name), problem))
		}
	}
	for _, source := range sources {
		if data := secrets[source.SecretKeyRef.Name]; data != nil {
			values.take(source, data)
		}
	}
	p.secrets = values
	return values, nil
}

// take adds the value of one property. A Secret holds bytes; what is no text would arrive as something else.
func (v *secretValues) take(source v1alpha1.SparkConfSource, data map[string][]byte) {
	field, ref := conf.FieldOfSecret(source.Name), source.SecretKeyRef
	value, ok := data[ref.Key]
	switch {
	case !ok:
		v.missing = append(v.missing, fmt.Sprintf("key %q named by %s does not exist in Secret %q", ref.Key, field, ref.Name))
	case !utf8.Valid(value):
		v.missing = append(v.missing, fmt.Sprintf("key %q named by %s is no text in Secret %q: store it in UTF-8, or mount the Secret as files", ref.Key, field, ref.Name))
	case bytes.IndexByte(value, 0) >= 0:
		v.missing = append(v.missing, fmt.Sprintf("key %q named by %s has the character U+0000 in Secret %q, which no process can be given: remove it", ref.Key, field, ref.Name))
	default:
		v.byProperty[source.Name] = string(value)
	}
}

// values are the values by property, nil where there are none.
func (v *secretValues) values() map[string]string {
	if v == nil {
		return nil
	}
	return v.byProperty
}

// findings say why no driver can be made.
func (v *secretValues) findings() []lifecycle.Finding {
	if v == nil || len(v.missing) == 0 {
		return nil
	}
	return []lifecycle.Finding{{Reason: v1alpha1.ReferenceNotFoundReason, Message: strings.Join(v.missing, "; ")}}
}

// secret reads the data of a Secret live; if there are none, problem says why.
func (p *pass) secret(ctx context.Context, name string) (data map[string][]byte, problem string, err error) {
	secret := &corev1.Secret{}
	err = p.Live.Get(ctx, types.NamespacedName{Namespace: p.app.Namespace, Name: name}, secret)
	switch {
	case apierrors.IsNotFound(err):
		return nil, "does not exist in namespace " + p.app.Namespace, nil
	case apierrors.IsForbidden(err):
		return nil, "may not be read by the operator: let its service account get Secrets in namespace " + p.app.Namespace, nil
	case err != nil:
		return nil, "", fmt.Errorf("read secret %s: %w", name, err)
	case secret.Data == nil:
		return map[string][]byte{}, "", nil
	}
	return secret.Data, "", nil
}
