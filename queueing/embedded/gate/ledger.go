// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// restDelay is how long after its last write a ledger with nothing in flight is written once more, without entries.
const restDelay = 5 * time.Second

// errFenced means that another process has taken over a ledger.
var errFenced = errors.New("another operator has taken over the ledger")

// ledger is what this process knows about the ledger of one tree.
type ledger struct {
	epoch, seq int64
	// claimed is the epoch with which this process has tried to take over the ledger of a queue that was deleted and
	// created again; 0 if it never did.
	claimed int64
	// version is the resource version of the root queue that the next swap expects.
	version string
	// entries is the number of entries in the last write, and written is when that was.
	entries int
	written time.Time
}

// ledgers reads and writes the ledgers of all trees, in the status of their root queues. It has no lock, because only
// one goroutine uses it: that of the leader's start-up until the gate is open, and then that of the loop.
type ledgers struct {
	o          *Options
	admissions *admissions
	counts     *counts
	// known holds the ledgers that this process has taken over, by root queue.
	known map[string]*ledger
}

// record writes the ledger of a tree with all grants of this process that are in flight. If the API server refuses the
// ledger together with the counts of the queue, it is written without them, because no grant may wait for counts. If
// that fails, written is false. The error is errFenced if another process has taken over the ledger.
func (w *ledgers) record(ctx context.Context, root string) (written bool, fenced error) {
	counts := w.counts.of(ctx, root)
	err := w.swap(ctx, root, counts)
	if len(counts.Fields) > 0 && isDefiniteFailure(err) && !apierrors.IsNotFound(err) {
		w.o.Log.Error(err, "Failed to write the counts of a queue with its ledger; writing the ledger alone", "queue", root)
		err = w.swap(ctx, root, Counts{})
	}
	return w.result(ctx, root, err)
}

// result logs that the ledger of a tree could not be written, unless its queue was deleted, and the ledger with it. It
// returns the error only if another process has taken over the ledger.
func (w *ledgers) result(ctx context.Context, root string, err error) (written bool, fenced error) {
	switch {
	case errors.Is(err, errFenced):
		return false, err
	case apierrors.IsNotFound(err):
		if l := w.known[root]; l != nil {
			l.entries = 0
		}
	case err != nil && ctx.Err() == nil:
		w.o.Log.Error(err, "Failed to write a ledger; will retry", "queue", root)
	}
	return err == nil, nil
}

// swap writes the ledger of a tree together with these counts, or not at all. A ledger that is only written because of
// counts must not be written without them, because any change of the queue would trigger another attempt at once. It
// returns errFenced if the ledger belongs to another process.
func (w *ledgers) swap(ctx context.Context, root string, counts Counts) error {
	l, err := w.of(ctx, root)
	if err != nil {
		return err
	}
	for range 5 {
		next := w.next(root, l)
		version, err := w.write(ctx, root, l.version, next, counts.Fields)
		if err == nil {
			l.version, l.seq, l.entries, l.written = version, next.seq, next.len(), w.o.Clock.Now()
			w.admissions.mu.Lock()
			w.admissions.orphans.written(next.Orphans)
			w.admissions.mu.Unlock()
			if len(counts.Fields) > 0 {
				counts.Written()
			}
			return nil
		}
		if isDefiniteFailure(err) {
			return fmt.Errorf("write ledger of queue %s: %w", root, err)
		}
		// A conflict or no answer: the queue has changed, perhaps by this very write. A live read shows which.
		if err := w.refresh(ctx, root, l); err != nil {
			return err
		}
	}
	return fmt.Errorf("write ledger of queue %s: too many conflicting changes", root)
}

// isDefiniteFailure reports whether the API server has refused the write for good: it was not stored and never will be,
// for another reason than a change of the queue.
func isDefiniteFailure(err error) bool {
	switch {
	case apierrors.IsConflict(err), apierrors.IsTimeout(err), apierrors.IsServerTimeout(err), apierrors.IsInternalError(err):
		return false
	}
	return apierrors.ReasonForError(err) != metav1.StatusReasonUnknown
}

// refresh reads the ledger again, and returns errFenced if it no longer belongs to this process.
func (w *ledgers) refresh(ctx context.Context, root string, l *ledger) error {
	queue := &v1alpha1.SparkQueue{}
	if err := w.o.Live.Get(ctx, types.NamespacedName{Name: root}, queue); err != nil {
		return fmt.Errorf("read ledger of queue %s: %w", root, err)
	}
	stored := queue.Status.Ledger
	if stored == nil { // the queue was deleted and created again
		l.claimed = l.epoch + 1
		queue.Status.Ledger = &v1alpha1.Ledger{Epoch: l.epoch, Seq: l.seq}
		if _, err := w.takeOver(ctx, queue); err != nil {
			return err
		}
		*l = *w.known[root]
		w.known[root] = l
		return nil
	}
	if stored.Holder != w.o.Holder || stored.Epoch != l.epoch && stored.Epoch != l.claimed {
		return fmt.Errorf("queue %s: %w", root, errFenced)
	}
	if stored.Epoch != l.epoch { // it was taken over by a write that got no answer
		l.epoch = stored.Epoch
		w.admissions.mu.Lock()
		w.admissions.engine.SetEpoch(root, l.epoch)
		w.admissions.mu.Unlock()
	}
	l.version, l.seq = queue.ResourceVersion, stored.Seq
	return nil
}

// page is the content of one write of a ledger.
type page struct {
	v1alpha1.LedgerEntries
	epoch, seq int64
}

func (p *page) len() int { return len(p.InFlight) + len(p.Orphans) }

// next returns the content of the next write of a ledger.
func (w *ledgers) next(root string, l *ledger) *page {
	next := &page{epoch: l.epoch, seq: l.seq + 1}
	a := w.admissions
	a.mu.Lock()
	defer a.mu.Unlock()
	next.InFlight, next.Orphans = a.inFlight.grants.in(root).list(), a.orphans.in(root).list()
	return next
}

// write replaces the ledger if the queue still has the given resource version, and returns the new version. counts are
// other fields of the status to write.
//
// A merge patch keeps fields that it does not name, so empty entries are set to null.
func (w *ledgers) write(ctx context.Context, root, version string, next *page, counts map[string]any) (string, error) {
	fields := map[string]any{"holder": w.o.Holder, "epoch": next.epoch, "seq": next.seq, "entries": nil}
	entries, err := next.Encode()
	if err != nil {
		return "", fmt.Errorf("encode ledger: %w", err)
	}
	if entries != "" {
		fields["entries"] = entries
	}
	status := map[string]any{"ledger": fields}
	maps.Copy(status, counts)
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"resourceVersion": version}, "status": status})
	if err != nil {
		return "", fmt.Errorf("encode ledger: %w", err)
	}
	queue := &metav1.PartialObjectMetadata{} // only the resource version of the answer is needed
	queue.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind(v1alpha1.SparkQueueKind))
	queue.Name = root
	err = w.o.Client.Status().Patch(ctx, queue, client.RawPatch(types.MergePatchType, patch), client.FieldOwner(v1alpha1.FieldOwner))
	return queue.ResourceVersion, err
}

// of returns the ledger of a tree. It takes it over first if this process has not done so yet.
func (w *ledgers) of(ctx context.Context, root string) (*ledger, error) {
	if l := w.known[root]; l != nil {
		return l, nil
	}
	err := retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		queue := &v1alpha1.SparkQueue{}
		if err := w.o.Live.Get(ctx, types.NamespacedName{Name: root}, queue); err != nil {
			return fmt.Errorf("read ledger of queue %s: %w", root, err)
		}
		_, err := w.takeOver(ctx, queue)
		return err
	})
	if err == nil {
		err = ctx.Err() // the retry hides the error of a cancelled call
	}
	if err != nil {
		return nil, err
	}
	return w.known[root], nil
}

// takeOver raises the epoch of a queue's ledger and returns the entries that its last holder left. They stay in the
// ledger, and are charged, until they are settled.
//
// Entries that cannot be read are logged and dropped: no operator has written them, and they must not keep a whole tree
// from being led.
func (w *ledgers) takeOver(ctx context.Context, queue *v1alpha1.SparkQueue) (v1alpha1.LedgerEntries, error) {
	next := &page{epoch: 1, seq: 1}
	if before := queue.Status.Ledger; before != nil {
		var err error
		if next.LedgerEntries, err = before.Decode(); err != nil {
			w.o.Log.Error(err, "Ignored invalid entries of a ledger", "queue", queue.Name, "holder", before.Holder)
		}
		next.epoch, next.seq = before.Epoch+1, before.Seq+1
	}
	version, err := w.write(ctx, queue.Name, queue.ResourceVersion, next, nil)
	if err != nil {
		return v1alpha1.LedgerEntries{}, fmt.Errorf("take over ledger of queue %s: %w", queue.Name, err)
	}
	w.known[queue.Name] = &ledger{epoch: next.epoch, seq: next.seq, version: version, entries: next.len(), written: w.o.Clock.Now()}
	w.admissions.mu.Lock()
	defer w.admissions.mu.Unlock()
	w.admissions.engine.SetEpoch(queue.Name, next.epoch)
	return next.LedgerEntries, nil
}

// obsolete returns the roots of the ledgers with entries that are no longer needed. lately is true if others were
// written less than restDelay ago and must be checked again.
func (w *ledgers) obsolete() (roots []string, lately bool) {
	a := w.admissions
	a.mu.Lock()
	defer a.mu.Unlock()
	for root, l := range w.known {
		switch {
		case l.entries == len(a.orphans.in(root)) || len(a.inFlight.grants.in(root)) > 0:
		case w.o.Clock.Since(l.written) < restDelay:
			lately = true
		default:
			roots = append(roots, root)
		}
	}
	return roots, lately
}

// empty writes those ledgers once more that have entries although nothing in their tree is in flight, so that a ledger
// at rest is empty. It skips ledgers that were just written: while askers arrive, the next grant is written soon, and
// that write omits the entries. If some are left it requests another round. The error is errFenced if another process
// has taken over a ledger.
func (w *ledgers) empty(ctx context.Context) error {
	roots, again := w.obsolete()
	for _, root := range roots {
		written, err := w.record(ctx, root)
		if err != nil {
			return err
		}
		again = again || !written
	}
	if again {
		w.admissions.signals.rest.request()
	}
	return nil
}
