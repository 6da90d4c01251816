// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/internal/fairqueue"
)

const (
	// readsPerSecond is how many objects that applications refer to are read for one namespace, readsInARow how many after a quiet time.
	// Such a read takes the API server about a millisecond.
	readsPerSecond = 100
	readsInARow    = 500
)

// eventsPerSecond is how many events of a namespace tell of a stage, beside those that tell of a failure or an end; eventsInARow after a
// quiet time.
const (
	eventsPerSecond = 20
	eventsInARow    = 500
)

const (
	secretKind    = "Secret"
	configMapKind = "ConfigMap"
	accountKind   = "ServiceAccount"
)

// lookups read what applications refer to, within a budget for each namespace.
type lookups struct {
	*existenceCache
	budget *fairqueue.Budget
}

func newLookups(p *existenceCache) *lookups {
	return &lookups{existenceCache: p, budget: fairqueue.NewBudget(p.clock, readsPerSecond, readsInARow)}
}

// toReference returns a reference of the application.
func (p *pass) toReference(kind, name, key string) reference {
	return reference{kind: kind, NamespacedName: types.NamespacedName{Namespace: p.app.Namespace, Name: name}, key: key}
}

// read reads an object that the application refers to, live. A pass that has begun to read may go on; if the namespace has used its
// budget up, another one begins later and holds no worker meanwhile. Who holds a grant does not wait: quota bounds how many those are.
func (p *pass) read(ctx context.Context, name string, obj client.Object) error {
	namespace := p.app.Namespace
	if !p.reads && !p.turn && p.app.Status.Grant == nil {
		if turn := p.lookups.budget.Turn(namespace, 2+len(p.app.Spec.SparkConfFrom)); turn > 0 {
			return &retryLaterError{turn, "the namespace has used up its budget of reads"}
		}
	}
	p.reads = true
	p.lookups.budget.Spend(namespace, 1)
	return p.Live.Get(ctx, types.NamespacedName{Namespace: namespace, Name: name}, obj)
}

// isThere reports whether an object exists to which the application refers by its name alone. It is read only if nobody has looked lately.
func (p *pass) isThere(ctx context.Context, kind, name string, obj client.Object) (bool, error) {
	ref := p.toReference(kind, name, "")
	if known, ok := p.known(ref); ok {
		return known.problem == "", nil
	}
	err := p.read(ctx, name, obj)
	switch {
	case apierrors.IsNotFound(err):
		p.lookups.put(ref, notThere)
		return false, nil
	case err == nil:
		p.lookups.put(ref, "")
	}
	return err == nil, err
}

// notThere is what is found of an object that does not exist.
const notThere = "does not exist"

// known returns what was found out lately about a reference. While something is missing, the application looks again when all that was found
// missing may have come.
func (p *pass) known(ref reference) (finding, bool) {
	f, ok := p.lookups.get(ref)
	if ok && f.problem != "" && p.absentUntil.Before(f.until) {
		p.absentUntil = f.until
	}
	return f, ok
}
