// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package state

// Count counts pending asks and grants.
type Count struct{ Pending, Admitted int32 }

// kindCount counts those of one kind of asker.
type kindCount struct {
	kind string
	Count
}

// kindCounts has one element for each kind that has asked. They are few, so a list is faster than a map.
type kindCounts []kindCount

// of returns the counts of one kind.
func (ks *kindCounts) of(kind string) *Count {
	for i := range *ks {
		if (*ks)[i].kind == kind {
			return &(*ks)[i].Count
		}
	}
	*ks = append(*ks, kindCount{kind: kind})
	return &(*ks)[len(*ks)-1].Count
}

// ByKind returns the counts of all kinds that have any.
func (ks kindCounts) ByKind() map[string]Count {
	var counts map[string]Count
	for _, k := range ks {
		if k.Count == (Count{}) {
			continue
		}
		if counts == nil {
			counts = map[string]Count{}
		}
		counts[k.kind] = k.Count
	}
	return counts
}

// CountPending adds n to the pending counters of a queue and all queues above it. Queues that do not exist are skipped.
func (a *Asker) CountPending(q *Queue, n int32) {
	for ; q != nil && q.Config != nil; q = q.Parent {
		if !a.Ask.Part {
			q.Pending += n
		}
		q.Kinds.of(a.Key.Kind).Pending += n
	}
}

// countAdmitted adds n to the admitted counters of the holder's queue and all above it. Grants of a deleted queue count
// for its former ancestors; grants of a deleted queue's children do not.
func (a *Asker) countAdmitted(n int32) {
	cut := false
	for q := a.Held.Queue; q != nil && !cut; q = q.Parent {
		if !a.Held.Grant.Part {
			q.Admitted += n
		}
		q.Kinds.of(a.Key.Kind).Admitted += n
		cut = q.Config != nil && q.Parent != nil && q.Parent.Config == nil
	}
}
