// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package companions

import (
	"context"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/sparkgate/sparkgate/internal/spark/expose"
)

// refusedGatewayPause is the pause after the API server has forbidden reading a Gateway in a namespace that the
// operator does not manage. Users name these namespaces, and frequent refusals would look as if the operator lacked a
// right that it needs.
const refusedGatewayPause = time.Hour

// gatewayReads knows in which unmanaged namespaces the operator may read Gateways. The zero value is ready to use. It
// is safe for concurrent use.
type gatewayReads struct {
	mu sync.Mutex
	// allowed are the namespaces in which reading has succeeded. In other namespaces it is not tried before next.
	allowed map[string]bool
	next    time.Time
}

// mayTry reports whether reading a Gateway in a namespace may be tried now.
func (g *gatewayReads) mayTry(namespace string, now time.Time) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.allowed[namespace] || !now.Before(g.next)
}

// answered records the answer of the API server.
func (g *gatewayReads) answered(namespace string, now time.Time, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case apierrors.IsForbidden(err):
		delete(g.allowed, namespace)
		g.next = now.Add(refusedGatewayPause)
	case err == nil:
		if g.allowed == nil {
			g.allowed = map[string]bool{}
		}
		g.allowed[namespace] = true
	}
}

// readGateway reads a Gateway. It returns nil if that fails or must not be tried now.
func (r *reconciliation) readGateway(ctx context.Context, key types.NamespacedName) *unstructured.Unstructured {
	managed, log := r.Namespaces.Has(key.Namespace), ctrl.LoggerFrom(ctx)
	if !managed && !r.gateways.mayTry(key.Namespace, r.Clock.Now()) {
		return nil
	}
	gateway := &unstructured.Unstructured{}
	gateway.SetGroupVersionKind(expose.GatewayKind)
	err := r.Live.Get(ctx, key, gateway)
	if !managed {
		r.gateways.answered(key.Namespace, r.Clock.Now(), err)
	}
	switch {
	case err == nil:
		return gateway
	case apierrors.IsForbidden(err):
		log.Info("May not read the Gateway of spec.ui.route; its address is shown without encryption", "gateway", key, "error", err.Error())
	default:
		log.V(1).Info("Cannot read the Gateway of spec.ui.route; its address is shown without encryption", "gateway", key, "error", err.Error())
	}
	return nil
}
