// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// missing returns sentences about objects that the spec names and that do not exist in the namespace.
func (rd *reader) missing(ctx context.Context) (missing []string, err error) {
	name := rd.app.Spec.Driver.ServiceAccountName
	if name != "" {
		there, err := rd.referenceExists(ctx, accountKind, name, metadata(accountKind))
		if err != nil {
			return nil, err
		}
		if !there {
			missing = append(missing, fmt.Sprintf("ServiceAccount %q named by spec.driver.serviceAccountName does not exist in namespace %s", name, rd.app.Namespace))
		}
	}
	for _, ref := range []struct{ field, name string }{
		{"spec.sparkConfigMap", rd.app.Spec.SparkConfigMap}, {"spec.hadoopConfigMap", rd.app.Spec.HadoopConfigMap},
	} {
		if ref.name == "" {
			continue
		}
		if there, err := rd.referenceExists(ctx, configMapKind, ref.name, metadata(configMapKind)); err != nil {
			return nil, err
		} else if !there {
			missing = append(missing, rd.noConfigMap(ref.name, ref.field))
		}
	}
	secrets, err := rd.missingSecrets(ctx)
	return append(missing, secrets...), err
}

// missingSecrets returns sentences about Secrets and keys in spec.sparkConfFrom that cannot be used. It reads Secrets
// only if no pass has read them recently.
func (rd *reader) missingSecrets(ctx context.Context) ([]string, error) {
	missing, complete := problemsOf(rd.app.Spec.SparkConfFrom, func(name, key string) (string, bool) {
		f, known := rd.known(rd.toReference(secretKind, name, key))
		return f.problem, known
	})
	if complete {
		return missing, nil
	}
	values, err := rd.secretValues(ctx)
	if err != nil {
		return nil, err
	}
	return values.missing, nil
}

// secretValues reads the Secrets of spec.sparkConfFrom from the API server, once per pass. It returns nil if the field
// is empty.
func (rd *reader) secretValues(ctx context.Context) (*secretValues, error) {
	sources := rd.app.Spec.SparkConfFrom
	if rd.secrets != nil || len(sources) == 0 {
		return rd.secrets, nil
	}
	values := &secretValues{byProperty: map[string]string{}}
	secrets, found := map[string]map[string][]byte{}, map[reference]string{}
	for _, source := range sources {
		name := source.SecretKeyRef.Name
		ref := rd.toReference(secretKind, name, "")
		if _, looked := found[ref]; looked {
			continue
		}
		if f, known := rd.known(ref); known && f.problem != "" && rd.app.Status.Grant == nil {
			found[ref] = f.problem
			continue
		}
		data, problem, err := rd.secret(ctx, name)
		if err != nil {
			return nil, err
		}
		secrets[name], found[ref] = referred(data, sources, name), problem
		rd.lookups.put(ref, problem)
	}
	for _, source := range sources {
		data := secrets[source.SecretKeyRef.Name]
		if data == nil {
			continue
		}
		ref := rd.toReference(secretKind, source.SecretKeyRef.Name, source.SecretKeyRef.Key)
		found[ref] = values.take(source, data)
		rd.lookups.put(ref, found[ref])
	}
	values.missing, _ = problemsOf(sources, func(name, key string) (string, bool) {
		problem, known := found[rd.toReference(secretKind, name, key)]
		return problem, known
	})
	rd.secrets = values
	return values, nil
}

// secret reads the data of a Secret from the API server. If the Secret is missing or must not be read, problem says so.
func (rd *reader) secret(ctx context.Context, name string) (data map[string][]byte, problem string, err error) {
	secret := &corev1.Secret{}
	err = rd.read(ctx, name, secret)
	switch {
	case apierrors.IsNotFound(err):
		return nil, doesNotExist + " in namespace " + rd.app.Namespace, nil
	case apierrors.IsForbidden(err):
		return nil, "may not be read by the operator: let its service account get Secrets in namespace " + rd.app.Namespace, nil
	case err != nil:
		return nil, "", fmt.Errorf("read secret %s: %w", name, err)
	case secret.Data == nil:
		return map[string][]byte{}, "", nil
	}
	return secret.Data, "", nil
}
