// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// missing returns sentences about objects that the spec names and that do not exist in the namespace.
func (rd *Reader) missing(ctx context.Context, app *v1alpha1.SparkApplication) (missing []string, err error) {
	name := app.Spec.Driver.ServiceAccountName
	if name != "" {
		there, err := rd.referenceExists(ctx, app, refer(app, accountKind, name, ""), metadata(accountKind))
		if err != nil {
			return nil, err
		}
		if !there {
			missing = append(missing, fmt.Sprintf("ServiceAccount %q named by spec.driver.serviceAccountName does not exist in namespace %s", name, app.Namespace))
		}
	}
	for _, ref := range []struct{ field, name string }{
		{"spec.sparkConfigMap", app.Spec.SparkConfigMap}, {"spec.hadoopConfigMap", app.Spec.HadoopConfigMap},
	} {
		if ref.name == "" {
			continue
		}
		if there, err := rd.referenceExists(ctx, app, refer(app, configMapKind, ref.name, ""), metadata(configMapKind)); err != nil {
			return nil, err
		} else if !there {
			missing = append(missing, noConfigMap(app, ref.name, ref.field))
		}
	}
	cluster, err := rd.clusterNotReady(ctx, app)
	if err != nil {
		return nil, err
	}
	if cluster != "" {
		missing = append(missing, cluster)
	}
	secrets, err := rd.missingSecrets(ctx, app)
	return append(missing, secrets...), err
}

// clusterNotReady returns why the SparkCluster of spec.clusterRef cannot run the program now; empty if it can.
func (rd *Reader) clusterNotReady(ctx context.Context, app *v1alpha1.SparkApplication) (string, error) {
	if app.Spec.ClusterRef == nil {
		return "", nil
	}
	cluster := &v1alpha1.SparkCluster{}
	name := app.Spec.ClusterRef.Name
	err := rd.Cache.Get(ctx, types.NamespacedName{Namespace: app.Namespace, Name: name}, cluster)
	ready := apimeta.FindStatusCondition(cluster.Status.Conditions, v1alpha1.ReadyCondition)
	switch {
	case apierrors.IsNotFound(err):
		return fmt.Sprintf("SparkCluster %q named by spec.clusterRef does not exist in namespace %s", name, app.Namespace), nil
	case err != nil:
		return "", fmt.Errorf("read cluster: %w", err)
	case cluster.Spec.SparkVersion != app.Spec.SparkVersion:
		return fmt.Sprintf("SparkCluster %q named by spec.clusterRef runs Spark %s, and spec.sparkVersion is %s: set the same in both", name, cluster.Spec.SparkVersion, app.Spec.SparkVersion), nil
	case ready == nil:
		return fmt.Sprintf("SparkCluster %q named by spec.clusterRef is not Ready yet", name), nil
	case ready.Status != metav1.ConditionTrue:
		return fmt.Sprintf("SparkCluster %q named by spec.clusterRef is not Ready: %s", name, ready.Message), nil
	}
	return "", nil
}

// missingSecrets returns sentences about Secrets and keys in spec.sparkConfFrom that cannot be used. It reads Secrets
// only if no pass has read them recently.
func (rd *Reader) missingSecrets(ctx context.Context, app *v1alpha1.SparkApplication) ([]string, error) {
	missing, complete := problemsOf(app.Spec.SparkConfFrom, func(name, key string) (string, bool) {
		f, known := rd.known(refer(app, secretKind, name, key))
		return f.problem, known
	})
	if complete {
		return missing, nil
	}
	values, err := rd.secretValues(ctx, app)
	if err != nil {
		return nil, err
	}
	return values.missing, nil
}

// secretValues reads the Secrets of spec.sparkConfFrom from the API server, once per pass. It returns nil if the field
// is empty.
func (rd *Reader) secretValues(ctx context.Context, app *v1alpha1.SparkApplication) (*secretValues, error) {
	sources := app.Spec.SparkConfFrom
	if rd.once.secrets != nil || len(sources) == 0 {
		return rd.once.secrets, nil
	}
	values := &secretValues{byProperty: map[string]string{}}
	secrets, found := map[string]map[string][]byte{}, map[reference]string{}
	for _, source := range sources {
		name := source.SecretKeyRef.Name
		ref := refer(app, secretKind, name, "")
		if _, looked := found[ref]; looked {
			continue
		}
		if f, known := rd.known(ref); known && f.problem != "" && app.Status.Grant == nil {
			found[ref] = f.problem
			continue
		}
		data, problem, err := rd.secret(ctx, app, name)
		if err != nil {
			return nil, err
		}
		secrets[name], found[ref] = referred(data, sources, name), problem
		rd.Lookups.put(ref, problem)
	}
	for _, source := range sources {
		data := secrets[source.SecretKeyRef.Name]
		if data == nil {
			continue
		}
		ref := refer(app, secretKind, source.SecretKeyRef.Name, source.SecretKeyRef.Key)
		found[ref] = values.take(source, data)
		rd.Lookups.put(ref, found[ref])
	}
	values.missing, _ = problemsOf(sources, func(name, key string) (string, bool) {
		problem, known := found[refer(app, secretKind, name, key)]
		return problem, known
	})
	rd.once.secrets = values
	return values, nil
}

// secret reads the data of a Secret from the API server. If the Secret is missing or must not be read, problem says so.
func (rd *Reader) secret(ctx context.Context, app *v1alpha1.SparkApplication, name string) (data map[string][]byte, problem string, err error) {
	secret := &corev1.Secret{}
	err = rd.read(ctx, app, name, secret)
	switch {
	case apierrors.IsNotFound(err):
		return nil, doesNotExist + " in namespace " + app.Namespace, nil
	case apierrors.IsForbidden(err):
		return nil, "may not be read by the operator: let its service account get Secrets in namespace " + app.Namespace, nil
	case err != nil:
		return nil, "", fmt.Errorf("read secret %s: %w", name, err)
	case secret.Data == nil:
		return map[string][]byte{}, "", nil
	}
	return secret.Data, "", nil
}
