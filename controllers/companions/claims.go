// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package companions

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/controllers/internal/livemeta"
	"github.com/sparkgate/sparkgate/internal/base/namespaces"
	"github.com/sparkgate/sparkgate/internal/spark/conf"
	"github.com/sparkgate/sparkgate/internal/spark/expose"
	"github.com/sparkgate/sparkgate/internal/spark/render"
)

// exposing maps fields to the kinds of companions that expose a web interface or a server.
var exposing = map[string]schema.GroupVersionKind{
	conf.IngressField: expose.IngressKind, conf.RouteField: expose.RouteKind,
	conf.ServerIngressField: expose.IngressKind, conf.ServerRouteField: expose.GRPCKind,
}

// exposureOf returns the key of the companion of a field.
func exposureOf(in *expose.Input, field string) livemeta.Key {
	if field == conf.ServerIngressField || field == conf.ServerRouteField {
		return livemeta.Key{Kind: exposing[field], Name: in.App.Name}
	}
	return livemeta.Key{Kind: exposing[field], Name: render.NamesOf(in.App, in.Run, in.Attempt).UI()}
}

// exposesNow reports whether the field has an effect at present: a web interface needs a driver that has one, a server
// a run that has started.
func exposesNow(in *expose.Input, field string) bool {
	if field == conf.ServerIngressField || field == conf.ServerRouteField {
		return in.Started
	}
	return in.Live && in.UIPort > 0
}

// judgeExposure withholds each Ingress or route that administrators do not allow, or whose host and path belong to
// another namespace. The run continues without it.
func (r *reconciliation) judgeExposure(ctx context.Context, in *expose.Input) []problem {
	in.Withheld = map[string]bool{}
	for field := range exposing {
		in.Withheld[field] = true
	}
	if !in.Live && !in.Started {
		return nil
	}
	granted, refused := r.Exposure.Judge(r.app)
	var problems []problem
	for _, refusal := range refused {
		problems = append(problems, problem{reason: expose.CreateFailedReason, text: refusal.String(), final: true})
	}
	granted = slices.DeleteFunc(granted, func(g expose.Granted) bool { return !exposesNow(in, g.Field) })
	if len(granted) == 0 {
		return problems
	}
	claims, err := r.claims.read(ctx, r.Live, r.Namespaces, r.Clock.Now(), r.state.exposed)
	if err != nil {
		for _, g := range granted {
			r.unjudged = append(r.unjudged, exposureOf(in, g.Field))
		}
		return append(problems, problem{reason: expose.CreateFailedReason, text: fmt.Sprintf("find the owner of the host: %s", err)})
	}
	for _, g := range granted {
		if conflict := g.Conflict(r.app.Namespace, r.ownClaim(exposureOf(in, g.Field), claims), claims); conflict != "" {
			problems = append(problems, problem{reason: expose.CreateFailedReason, text: conflict})
			continue
		}
		in.Withheld[g.Field] = false
	}
	return problems
}

// ownClaim returns the claim of the application's own Ingress or route, or a zero claim if there is none.
func (r *reconciliation) ownClaim(own livemeta.Key, claims []expose.Claim) expose.Claim {
	for _, claim := range claims {
		if claim.Namespace == r.app.Namespace && claim.Kind == own.Kind.Kind && claim.Name == own.Name {
			return claim
		}
	}
	return expose.Claim{}
}

// exposedAnew records that an Ingress or a route has just been created. It returns a problem that triggers another
// check of the claims on the host, because another client may have created one with the same host at the same time.
func (s *state) exposedAnew(before map[string]bool, now time.Time) []problem {
	for kind := range s.kinds() {
		if !before[kind] && (kind == expose.IngressKind.Kind || routeFields[kind] != "") {
			s.exposed = now
			return []problem{{soon: true, atLeast: minPause}}
		}
	}
	return nil
}

// claimsAge is how old a list of claims may be. Applications that start at about the same time share one.
const claimsAge = 2 * time.Second

// claimsPage is how many objects are listed at once. Those of other users may be as large as etcd stores them, 1.5 MiB
// each.
const claimsPage = 32

// claimCache caches the hosts and paths that Ingresses and routes in the cluster claim. It is filled only when
// applications expose web interfaces.
type claimCache struct {
	mu     sync.Mutex
	asked  time.Time
	claims []expose.Claim
}

// read returns all claims as listed later than after, and not more than claimsAge before now.
func (b *claimCache) read(ctx context.Context, live client.Reader, in namespaces.Set, now, after time.Time) ([]expose.Claim, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.asked.After(after) && now.Sub(b.asked) < claimsAge {
		return b.claims, nil
	}
	var claims []expose.Claim
	for _, kind := range []schema.GroupVersionKind{expose.IngressKind, expose.RouteKind, expose.GRPCKind} {
		found, err := claimsOf(ctx, live, in, kind)
		if err != nil {
			return nil, fmt.Errorf("list objects of kind %s: %w", kind.Kind, err)
		}
		claims = append(claims, found...)
	}
	b.asked, b.claims = now, claims
	return claims, nil
}

// claimsOf lists the claims of one kind in a set of namespaces.
func claimsOf(ctx context.Context, live client.Reader, in namespaces.Set, kind schema.GroupVersionKind) ([]expose.Claim, error) {
	var claims []expose.Claim
	for _, namespace := range in.Scopes() {
		found, err := claimsIn(ctx, live, namespace, kind)
		if err != nil {
			return nil, err
		}
		claims = append(claims, found...)
	}
	return claims, nil
}

// claimsIn lists the claims of one kind in one namespace, or in all, page by page. It returns none if the kind is not
// installed.
func claimsIn(ctx context.Context, live client.Reader, namespace string, kind schema.GroupVersionKind) ([]expose.Claim, error) {
	var claims []expose.Claim
	list := &unstructured.UnstructuredList{}
	for {
		next := list.GetContinue()
		list = &unstructured.UnstructuredList{}
		list.SetGroupVersionKind(kind.GroupVersion().WithKind(kind.Kind + "List"))
		err := live.List(ctx, list, client.InNamespace(namespace), client.Limit(claimsPage), client.Continue(next))
		if apimeta.IsNoMatchError(err) || apierrors.IsNotFound(err) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		for i := range list.Items {
			claims = append(claims, expose.ClaimsOf(&list.Items[i])...)
		}
		if list.GetContinue() == "" {
			return claims, nil
		}
	}
}
