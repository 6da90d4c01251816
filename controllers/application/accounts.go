// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/internal/lifecycle"
	"github.com/sparkgate/sparkgate/controllers/internal/spark/conf"
	"github.com/sparkgate/sparkgate/controllers/internal/spark/render"
)

// defaultAccount is that of pods which name none (Kubernetes, "Configure Service Accounts for Pods").
const defaultAccount = "default"

// account is a service account that pods of an attempt may run under.
type account struct {
	name string
	// of says whose it is and where it was named.
	of string
}

// accountsOf are the service accounts of the pods of an attempt, by every way there is to name one: the field, a property, a template.
func accountsOf(objects render.Objects) []account {
	accounts := []account{{podAccount(objects.Pod), "the driver"}}
	template := objects.ExecutorTemplate.Spec
	for _, a := range []account{
		{template.ServiceAccountName, "spec.executor.template.spec.serviceAccountName"},
		{template.DeprecatedServiceAccount, "spec.executor.template.spec.serviceAccount"},
		{objects.Properties.Get(conf.ExecutorServiceAccount, ""), objects.Properties.Field(conf.ExecutorServiceAccount)},
	} {
		if a.name != "" {
			accounts = append(accounts, a)
		}
	}
	return accounts
}

func podAccount(pod *corev1.Pod) string {
	for _, name := range []string{pod.Spec.ServiceAccountName, pod.Spec.DeprecatedServiceAccount} {
		if name != "" {
			return name
		}
	}
	return defaultAccount
}

// forbiddenAccounts are the accounts that the annotation of the namespace leaves out; without the annotation every account may be used.
func forbiddenAccounts(namespace metav1.Object, accounts []account) []lifecycle.Finding {
	list, restricted := namespace.GetAnnotations()[v1alpha1.AllowedServiceAccountsAnnotation]
	if !restricted {
		return nil
	}
	allowed := strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' })
	var found []lifecycle.Finding
	for _, a := range accounts {
		if slices.Contains(allowed, a.name) {
			continue
		}
		found = append(found, lifecycle.Finding{Reason: v1alpha1.InvalidSpecReason, Message: fmt.Sprintf(
			"service account %q of %s is not allowed in namespace %s: use one of %q, or add it to the namespace's annotation %s",
			a.name, a.of, namespace.GetName(), strings.Join(allowed, ", "), v1alpha1.AllowedServiceAccountsAnnotation)})
	}
	return found
}
