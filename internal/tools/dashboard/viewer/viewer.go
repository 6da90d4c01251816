// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package viewer

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"
	"k8s.io/apimachinery/pkg/util/cache"
	"k8s.io/utils/clock"

	v1 "github.com/sparkgate/sparkgate/api/explain/v1"
	"github.com/sparkgate/sparkgate/internal/tools/client"
)

const (
	// linger is how long a watch continues after the last page that needs it was closed, so that going from page to
	// page does not end it.
	linger = 30 * time.Second
	// maxTables is the maximum number of watches of one viewer.
	maxTables = 64
	// explainFor is how long an answer of the operator is shown before it is asked again.
	explainFor = 10 * time.Second
	// explainWithin is how long a page waits for the operator.
	explainWithin = 3 * time.Second
	// rightFor is how long the rights of a viewer are remembered. The API server still checks them for every action.
	rightFor = time.Minute
	// maxKept is the maximum number of answers of each kind that are kept.
	maxKept = 256
)

// errTooMany is the error for a viewer with too many different lists open.
var errTooMany = fmt.Errorf("more than %d different lists are open: close some pages, and load this one again in a minute", maxTables)

// Viewer is one set of credentials: the client that uses them, and the watches of the open pages. It is safe for
// concurrent use.
type Viewer struct {
	Cluster  *client.Cluster
	Clock    clock.WithDelayedExecution
	readings *readings
	rowCache *RowCache
	limits   *WorkLimits
	// ownPlans and ownReadings are the turns of this viewer.
	ownPlans, ownReadings *semaphore.Weighted
	// Context ends with the server.
	Context context.Context
	// Tenant is the tenant to which the user counts (tenantOf).
	Tenant string

	// Visits is the number of requests that have ended.
	Visits atomic.Int64

	mu     sync.Mutex
	tables map[string]*Shared
	// explained are explanations by their key. rights are whether the viewer may patch an application, by
	// namespace/name.
	explained, rights *cache.LRUExpireCache
}

// NewViewer returns a viewer whose watches end with ctx. Viewers of a server share rows and turns.
func NewViewer(ctx context.Context, c *client.Cluster, rows *RowCache, turns *WorkLimits, k clock.WithDelayedExecution) *Viewer {
	return &Viewer{
		Cluster: c, Clock: k, Context: ctx, readings: newReadings(k), rowCache: rows, limits: turns, ownPlans: semaphore.NewWeighted(1), ownReadings: semaphore.NewWeighted(1), tables: map[string]*Shared{},
		explained: cache.NewLRUExpireCacheWithClock(maxKept, k), rights: cache.NewLRUExpireCacheWithClock(maxKept, k),
	}
}

// Subject is what a table contains.
type Subject struct {
	kind      client.Kind
	selection client.Selection
}

// ListOf returns the subject of a list of selected objects.
func ListOf(kind client.Kind, of client.Selection) Subject { return Subject{kind, of} }

// long reports whether the list may be long: all applications, or those of a namespace.
func (s Subject) long() bool {
	return s.kind.Resource == client.Applications.Resource && s.selection.Fields == ""
}

// Key returns the key by which a table is closed.
func (s Subject) Key() string {
	return fmt.Sprintf("%s\x00%s\x00%s\x00%s", s.kind.Resource, s.selection.Namespace, s.selection.Labels, s.selection.Fields)
}

// Shared is a table with the number of pages that use it.
type Shared struct {
	Table any
	*Source
	users int
	stop  context.CancelFunc
}

// Open returns the table of a subject. It is watched until some time after the last call of close.
func Open[T any](v *Viewer, s Subject) (*Table[T], error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	key := s.Key()
	if known := v.tables[key]; known != nil {
		refused, _, _ := known.Standing()
		if refused == nil || known.users > 0 {
			known.users++
			return known.Table.(*Table[T]), nil
		}
		known.stop()
	} else if len(v.tables) >= maxTables {
		return nil, errTooMany
	}
	t := &Table[T]{Source: newSource(), pool: poolOf[T](v.rowCache)}
	ctx, stop := context.WithCancel(v.Context)
	v.tables[key] = &Shared{Table: t, Source: &t.Source, users: 1, stop: stop}
	listener, done := client.Listener(t), func() {}
	if s.long() {
		waits := newLimitedListener(ctx, t, v.limits.lists, v.Clock)
		listener, done = waits, func() { waits.done() }
	}
	go func() {
		defer done()
		if err := client.Listen(ctx, v.Cluster, s.kind, s.selection, listener); err != nil && !errors.Is(err, context.Canceled) {
			t.reject(err)
		}
	}()
	return t, nil
}

// Close notes that a page no longer uses the table of a key.
func (v *Viewer) Close(key string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	known := v.tables[key]
	known.users--
	if known.users > 0 {
		return
	}
	v.Clock.AfterFunc(linger, func() {
		v.mu.Lock()
		defer v.mu.Unlock()
		if known.users == 0 && v.tables[key] == known {
			known.stop()
			delete(v.tables, key)
		}
	})
}

// Idle reports whether no page of the viewer is open, nor was a short time ago.
func (v *Viewer) Idle() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return len(v.tables) == 0
}

// explanation is an answer of the operator, or why there is none.
type explanation struct {
	answer any
	err    error
}

// explain returns an answer of the operator that is at most explainFor old.
func explain[T v1.Application | v1.Queue](ctx context.Context, v *Viewer, key string, ask func(context.Context) (T, error)) (T, error) {
	if known, has := v.explained.Get(key); has {
		is := known.(explanation)
		return is.answer.(T), is.err
	}
	limited, cancel := context.WithTimeout(ctx, explainWithin)
	defer cancel()
	answer, err := ask(limited)
	if errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("the operator has not answered within %s", explainWithin)
	}
	// If the viewer has left the page, the error says so instead of what the operator answered.
	if ctx.Err() == nil {
		v.explained.Add(key, explanation{answer, err}, explainFor)
	}
	return answer, err
}

// ExplainApplication asks the operator about an application.
func (v *Viewer) ExplainApplication(ctx context.Context, namespace, name string) (v1.Application, error) {
	return explain(ctx, v, "a/"+namespace+"/"+name, func(ctx context.Context) (v1.Application, error) {
		return v.Cluster.In(namespace).ExplainApplication(ctx, name)
	})
}

// ExplainQueue asks the operator about a queue.
func (v *Viewer) ExplainQueue(ctx context.Context, name string) (v1.Queue, error) {
	return explain(ctx, v, "q/"+name, func(ctx context.Context) (v1.Queue, error) { return v.Cluster.ExplainQueue(ctx, name) })
}

// MayPatch reports whether the viewer may patch an object; without a name, all objects of the kind in the namespace.
func (v *Viewer) MayPatch(ctx context.Context, kind client.Kind, namespace, name string) (bool, error) {
	key := kind.Resource + "/" + namespace + "/" + name
	if known, has := v.rights.Get(key); has {
		return known.(bool), nil
	}
	may, err := v.Cluster.In(namespace).MayPatch(ctx, kind, name)
	if err != nil {
		return false, err
	}
	v.rights.Add(key, may, rightFor)
	return may, nil
}
