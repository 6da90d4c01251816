// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sort"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/convert"
	"github.com/sparkgate/sparkgate/queueing/embedded"
)

// errFenced means that another process has taken a ledger over.
var errFenced = errors.New("another operator has taken over the ledger")

// ledger is what this process knows of the ledger of one tree.
type ledger struct {
	epoch, seq int64
	// version is the resource version of the root queue that the next swap expects.
	version string
	// entries is how many entries the last write had, at the time written.
	entries int
	written time.Time
}

// record writes the decisions into the ledgers of their trees, one write for each tree, and wakes the applications.
// What cannot be written is reverted and decided again after a pause.
func (g *Gate) record(ctx context.Context, decisions []embedded.Decision) error {
	for len(decisions) > 0 {
		n := 1
		for n < len(decisions) && decisions[n].Root == decisions[0].Root {
			n++
		}
		tree := decisions[:n]
		decisions = decisions[n:]
		err := g.swap(ctx, tree[0].Root)
		if errors.Is(err, errFenced) {
			return err
		}
		if err != nil {
			g.o.Log.Error(err, "write ledger", "queue", tree[0].Root)
			g.revert(ctx, tree)
			continue
		}
		g.recorded(tree)
	}
	return nil
}

// matches reports whether an in-flight grant is that of the decision.
func (f *inFlightGrant) matches(d embedded.Decision) bool {
	return f != nil && f.grant.Run == d.Grant.Run && f.grant.Attempt == d.Grant.Attempt && f.grant.Resizes == d.Grant.Resizes
}

func (g *Gate) recorded(tree []embedded.Decision) {
	g.mu.Lock()
	for _, d := range tree {
		if f := g.inFlight[d.Key]; f.matches(d) {
			f.recorded = true
		}
	}
	g.mu.Unlock()
	for _, d := range tree {
		g.wake(d.Key)
	}
}

func (g *Gate) revert(ctx context.Context, tree []embedded.Decision) {
	g.mu.Lock()
	for _, d := range tree {
		if f := g.inFlight[d.Key]; f != nil && !f.recorded {
			delete(g.inFlight, d.Key)
			if f.before == nil {
				delete(g.grants, d.Key)
			}
			g.engine.Revert(d.Key)
		}
	}
	g.mu.Unlock()
	g.wakeAfter(ctx, retryDelay)
}

// swap writes the ledger of a tree: all grants of this process that are in flight. It returns errFenced if the ledger
// belongs to another process.
func (g *Gate) swap(ctx context.Context, root string) error {
	l, err := g.ledgerOf(ctx, root)
	if err != nil {
		return err
	}
	for range 5 {
		next := g.nextLedger(root, l)
		version, err := g.write(ctx, root, l.version, next)
		if err == nil {
			g.noteWritten(l, version, next)
			return nil
		}
		if isDefiniteFailure(err) {
			return fmt.Errorf("write ledger of queue %s: %w", root, err)
		}
		// A conflict, or no answer: the queue has changed, perhaps by this very write. A live read tells.
		if err := g.refresh(ctx, root, l); err != nil {
			return err
		}
	}
	return fmt.Errorf("write ledger of queue %s: too many conflicting changes", root)
}

// noteWritten notes the content of a ledger that was written.
func (g *Gate) noteWritten(l *ledger, version string, next *v1alpha1.Ledger) {
	g.mu.Lock()
	defer g.mu.Unlock()
	l.version, l.seq, l.entries, l.written = version, next.Seq, len(next.InFlight)+len(next.Orphans), g.o.Clock.Now()
	for i := range next.Orphans {
		if o := g.orphans[keyOf(&next.Orphans[i])]; o != nil {
			o.recorded = true
		}
	}
}

// isDefiniteFailure reports whether the API server has refused the write for good: it did not happen and will not,
// and not because the queue has changed.
func isDefiniteFailure(err error) bool {
	switch {
	case apierrors.IsConflict(err), apierrors.IsTimeout(err), apierrors.IsServerTimeout(err), apierrors.IsInternalError(err):
		return false
	}
	return apierrors.ReasonForError(err) != metav1.StatusReasonUnknown
}

// refresh reads the ledger again and checks that it still belongs to this process.
func (g *Gate) refresh(ctx context.Context, root string, l *ledger) error {
	queue := &v1alpha1.SparkQueue{}
	if err := g.o.Live.Get(ctx, types.NamespacedName{Name: root}, queue); err != nil {
		return fmt.Errorf("read ledger of queue %s: %w", root, err)
	}
	stored := queue.Status.Ledger
	if stored == nil { // the queue was deleted and made again
		queue.Status.Ledger = &v1alpha1.Ledger{Epoch: l.epoch, Seq: l.seq}
		if _, err := g.takeOver(ctx, queue); err != nil {
			return err
		}
		g.mu.Lock()
		defer g.mu.Unlock()
		*l = *g.ledgers[root]
		g.ledgers[root] = l
		return nil
	}
	if stored.Epoch != l.epoch || stored.Holder != g.o.Holder {
		return fmt.Errorf("queue %s: %w", root, errFenced)
	}
	l.version, l.seq = queue.ResourceVersion, stored.Seq
	return nil
}

func (g *Gate) nextLedger(root string, l *ledger) *v1alpha1.Ledger {
	next := &v1alpha1.Ledger{Holder: g.o.Holder, Epoch: l.epoch, Seq: l.seq + 1}
	g.mu.Lock()
	defer g.mu.Unlock()
	for key, f := range g.inFlight {
		if f.root == root {
			next.InFlight = append(next.InFlight, entryOf(key, f.grant))
		}
	}
	for key, o := range g.orphans {
		if o.root == root {
			next.Orphans = append(next.Orphans, entryOf(key, o.grant))
		}
	}
	sortEntries(next.InFlight)
	sortEntries(next.Orphans)
	return next
}

func entryOf(key queueing.Key, grant queueing.Grant) v1alpha1.LedgerEntry {
	return v1alpha1.LedgerEntry{
		Kind: string(key.Kind), Namespace: key.Namespace, Name: key.Name, UID: key.UID, Part: grant.Part, Grant: *convert.ToAPI(grant),
	}
}

func sortEntries(entries []v1alpha1.LedgerEntry) {
	sort.Slice(entries, func(i, j int) bool { return entries[i].UID < entries[j].UID })
}

// write swaps the ledger if the queue is still at the given resource version, and returns the new one.
//
// A merge patch keeps what it does not name, so that a list without entries is written as null.
func (g *Gate) write(ctx context.Context, root, version string, next *v1alpha1.Ledger) (string, error) {
	fields := map[string]any{"holder": next.Holder, "epoch": next.Epoch, "seq": next.Seq, "inFlight": nil, "orphans": nil}
	if len(next.InFlight) > 0 {
		fields["inFlight"] = next.InFlight
	}
	if len(next.Orphans) > 0 {
		fields["orphans"] = next.Orphans
	}
	patch, err := json.Marshal(map[string]any{
		"metadata": map[string]any{"resourceVersion": version},
		"status":   map[string]any{"ledger": fields},
	})
	if err != nil {
		return "", fmt.Errorf("encode ledger: %w", err)
	}
	queue := &v1alpha1.SparkQueue{}
	queue.Name = root
	err = g.o.Client.Status().Patch(ctx, queue, client.RawPatch(types.MergePatchType, patch), client.FieldOwner(v1alpha1.FieldOwner))
	return queue.ResourceVersion, err
}

// acquireNew takes over the ledgers of new trees, so that their grants carry an epoch. A failure is retried with the
// first grant of the tree.
func (g *Gate) acquireNew(ctx context.Context) {
	g.mu.Lock()
	var roots []string
	if g.newRoots {
		states := g.engine.States()
		for i := range states {
			if s := &states[i]; s.Problem == "" && s.Root == s.Name && g.ledgers[s.Name] == nil {
				roots = append(roots, s.Name)
			}
		}
	}
	g.newRoots = false
	g.mu.Unlock()
	for _, root := range roots {
		if _, err := g.ledgerOf(ctx, root); err != nil && ctx.Err() == nil {
			g.o.Log.Error(err, "take over the ledger of a new queue", "queue", root)
		}
	}
}

// ledgerOf returns the ledger of a tree, taking it over first if this process has not done so.
func (g *Gate) ledgerOf(ctx context.Context, root string) (*ledger, error) {
	g.mu.Lock()
	l := g.ledgers[root]
	g.mu.Unlock()
	if l != nil {
		return l, nil
	}
	err := retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		queue := &v1alpha1.SparkQueue{}
		if err := g.o.Live.Get(ctx, types.NamespacedName{Name: root}, queue); err != nil {
			return fmt.Errorf("read ledger of queue %s: %w", root, err)
		}
		_, err := g.takeOver(ctx, queue)
		return err
	})
	if err == nil {
		err = ctx.Err() // the retry hides the error of a call that was cancelled
	}
	if err != nil {
		return nil, err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.ledgers[root], nil
}

// takeOver raises the epoch of a queue's ledger and returns what its last holder left. The entries stay in the
// ledger, and are charged, until they are settled.
func (g *Gate) takeOver(ctx context.Context, queue *v1alpha1.SparkQueue) (v1alpha1.Ledger, error) {
	before := v1alpha1.Ledger{}
	if queue.Status.Ledger != nil {
		before = *queue.Status.Ledger
	}
	next := &v1alpha1.Ledger{Holder: g.o.Holder, Epoch: before.Epoch + 1, Seq: before.Seq + 1, InFlight: before.InFlight, Orphans: before.Orphans}
	version, err := g.write(ctx, queue.Name, queue.ResourceVersion, next)
	if err != nil {
		return v1alpha1.Ledger{}, fmt.Errorf("take over ledger of queue %s: %w", queue.Name, err)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.ledgers[queue.Name] = &ledger{
		epoch: next.Epoch, seq: next.Seq, version: version, entries: len(next.InFlight) + len(next.Orphans), written: g.o.Clock.Now(),
	}
	g.engine.SetEpoch(queue.Name, next.Epoch)
	return before, nil
}

// keyOf returns the key of a ledger's entry.
func keyOf(e *v1alpha1.LedgerEntry) queueing.Key {
	return queueing.Key{Kind: queueing.Kind(e.Kind), Namespace: e.Namespace, Name: e.Name, UID: e.UID}
}

// grantOf returns the grant of a ledger's entry.
func grantOf(e *v1alpha1.LedgerEntry) queueing.Grant {
	grant := convert.FromAPI(&e.Grant)
	grant.Part = e.Part
	return grant
}
