// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"cmp"
	"context"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/sparkgate/sparkgate/controllers/application/memory"
	"github.com/sparkgate/sparkgate/controllers/application/requeue"
	"github.com/sparkgate/sparkgate/internal/base/finding"
	"github.com/sparkgate/sparkgate/internal/job/namespacepolicy"
	"github.com/sparkgate/sparkgate/internal/spark/conf"
	"github.com/sparkgate/sparkgate/internal/spark/render"
	"github.com/sparkgate/sparkgate/internal/spark/rights"
)

// defaultAccount is the service account of pods that name none (Kubernetes, "Configure Service Accounts for Pods").
const defaultAccount = "default"

// accountsOf returns the service accounts of the pods of an attempt, the driver's first. They may be named by a field,
// a property or a template.
func accountsOf(objects render.Objects) []memory.Named {
	driver := objects.Pod.Spec
	accounts := []memory.Named{{Name: cmp.Or(driver.ServiceAccountName, driver.DeprecatedServiceAccount, defaultAccount), By: "the driver"}}
	template := objects.ExecutorTemplate.Spec
	named := len(accounts)
	for _, a := range []memory.Named{
		{Name: template.ServiceAccountName, By: "spec.executor.template.spec.serviceAccountName"},
		{Name: template.DeprecatedServiceAccount, By: "spec.executor.template.spec.serviceAccount"},
		{Name: objects.Properties.Get(conf.ExecutorServiceAccount, ""), By: objects.Properties.Field(conf.ExecutorServiceAccount)},
	} {
		if a.Name != "" && !slices.ContainsFunc(accounts[named:], func(b memory.Named) bool { return b.Name == a.Name }) {
			accounts = append(accounts, a)
		}
	}
	gang, err := objects.Properties.Executors()
	_, inherited := objects.Properties.Lookup(conf.DriverServiceAccount)
	if len(accounts) == named && !inherited && accounts[0].Name != defaultAccount && (err != nil || gang.Most > 0) {
		accounts = append(accounts, memory.Named{Name: defaultAccount, By: "the executors, for which none is named"}) // templates are not inherited
	}
	return accounts
}

// forbiddenAccounts returns findings about accounts that the namespace's annotation does not list. Without the
// annotation all are allowed.
func forbiddenAccounts(policy namespacepolicy.Policy, accounts []memory.Named) (found []finding.Finding) {
	for _, a := range accounts {
		found = withRefusal(found, policy.ServiceAccount(a.Name, a.By))
	}
	return found
}

// Rights checks what service accounts are authorized to do. It is safe for concurrent use.
type Rights interface {
	// Cost returns how many API calls Lacking would make now.
	Cost(account types.NamespacedName, needed []rights.Right) int
	// Lacking returns the rights out of needed that the account does not have, and until when that answer is valid.
	Lacking(ctx context.Context, account types.NamespacedName, needed []rights.Right) (lacking []rights.Right, until time.Time, err error)
}

// missingRights returns a sentence about the rights that the driver's service account needs and lacks. The look-up
// takes from the budget of the namespace, and is repeated when the answer may have changed.
func (pn *Planner) missingRights(ctx context.Context, g *draft) ([]string, error) {
	if pn.Rights == nil || g.ReusesChecks {
		return nil, nil
	}
	account, needed := types.NamespacedName{Namespace: g.app.Namespace, Name: g.ready.Accounts[0].Name}, g.ready.Rights
	if cost := pn.Rights.Cost(account, needed); cost > 0 {
		if err := pn.Reader.Spend(g.app, cost); err != nil {
			return nil, err
		}
	}
	lacking, until, err := pn.Rights.Lacking(ctx, account, needed)
	if err != nil || len(lacking) == 0 {
		return nil, err
	}
	g.Requeue = requeue.Within(g.Requeue, until.Sub(pn.Settings.Clock.Now()))
	return []string{rights.Missing(account.Namespace, account.Name, lacking)}, nil
}
