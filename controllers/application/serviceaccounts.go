// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"cmp"
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/finding"
	"github.com/sparkgate/sparkgate/internal/namespacepolicy"
	"github.com/sparkgate/sparkgate/internal/spark/conf"
	"github.com/sparkgate/sparkgate/internal/spark/render"
	"github.com/sparkgate/sparkgate/internal/spark/rights"
)

// defaultAccount is the service account of pods that name none (Kubernetes, "Configure Service Accounts for Pods").
const defaultAccount = "default"

// account is a service account that pods of an attempt may run under.
type account struct {
	name string
	// of describes the pods that run under the account, or is the field that names it.
	of string
}

// accountsOf returns the service accounts of the pods of an attempt, the driver's first. They may be named by a field,
// a property or a template.
func accountsOf(objects render.Objects) []account {
	accounts := []account{{podAccount(objects.Pod), "the driver"}}
	template := objects.ExecutorTemplate.Spec
	named := len(accounts)
	for _, a := range []account{
		{template.ServiceAccountName, "spec.executor.template.spec.serviceAccountName"},
		{template.DeprecatedServiceAccount, "spec.executor.template.spec.serviceAccount"},
		{objects.Properties.Get(conf.ExecutorServiceAccount, ""), objects.Properties.Field(conf.ExecutorServiceAccount)},
	} {
		if a.name != "" && !slices.ContainsFunc(accounts[named:], func(b account) bool { return b.name == a.name }) {
			accounts = append(accounts, a)
		}
	}
	if _, inherited := objects.Properties.Lookup(conf.DriverServiceAccount); len(accounts) == named && !inherited && accounts[0].name != defaultAccount {
		accounts = append(accounts, account{defaultAccount, "the executors, for which none is named"}) // templates are not inherited
	}
	return accounts
}

func podAccount(pod *corev1.Pod) string {
	return cmp.Or(pod.Spec.ServiceAccountName, pod.Spec.DeprecatedServiceAccount, defaultAccount)
}

// forbiddenAccounts returns findings about accounts that the namespace's annotation does not list. Without the
// annotation all are allowed.
func forbiddenAccounts(policy namespacepolicy.Policy, accounts []account) []finding.Finding {
	var found []finding.Finding
	for _, a := range accounts {
		if message := policy.ServiceAccount(a.name, a.of); message != "" {
			found = append(found, finding.Finding{Reason: v1alpha1.InvalidSpecReason, Message: message})
		}
	}
	return found
}

// missingRights returns a sentence about the rights that the driver's service account needs and lacks. The look-up
// takes from the budget of the namespace, and is repeated when the answer may have changed.
func (pn *planner) missingRights(ctx context.Context, ready *prepared) ([]string, error) {
	if pn.Rights == nil || pn.reusesChecks {
		return nil, nil
	}
	account := types.NamespacedName{Namespace: pn.app.Namespace, Name: ready.accounts[0].name}
	if cost := pn.Rights.Cost(account, ready.rights); cost > 0 {
		if err := pn.reader.spend(cost); err != nil {
			return nil, err
		}
	}
	lacking, until, err := pn.Rights.Lacking(ctx, account, ready.rights)
	if err != nil || len(lacking) == 0 {
		return nil, err
	}
	pn.requeueWithin(until.Sub(pn.Clock.Now()))
	return []string{rights.Missing(account.Namespace, account.Name, lacking)}, nil
}
