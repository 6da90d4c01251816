// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package pods

import (
	"cmp"
	"slices"

	"k8s.io/apimachinery/pkg/types"

	"github.com/sparkgate/sparkgate/internal/redact"
)

// Failure is an executor that has ended with an error. Its pod is usually gone soon: Spark deletes it.
type Failure struct {
	Pod string
	Outcome
	// At is when, by the clock of its node, in seconds since 1970; 0 if that was not said.
	At int64
}

const (
	// maxFailures is how many failures of an attempt are remembered: more than may come between two writes of a status.
	maxFailures = 32
	// maxFailureMessage is how long the message of one is at most, in bytes.
	maxFailureMessage = 256
)

// failureOf returns how an executor failed; ok is false if it has not. One that was asked to end, by its driver or by
// us, has not failed.
func failureOf(r *Record) (f Failure, ok bool) {
	if r.Role != Executor {
		return Failure{}, false
	}
	o, ended := endOf(r, executorTerms)
	if !ended || o.Succeeded || o.Reason == ReasonDeleted {
		return Failure{}, false
	}
	return failure(r, o), true
}

// failureOfLostPod returns how an executor failed whose pod is gone while it ran: with its node, or evicted from it. ok
// is false if nothing says that it did not go in order.
func failureOfLostPod(r *Record) (f Failure, ok bool) {
	if r.Role != Executor || !r.Active() || r.Ended != nil {
		return Failure{}, false
	}
	o, fromOutside := disrupted(r, executorTerms)
	return failure(r, o), fromOutside
}

func failure(r *Record, o Outcome) Failure {
	f := Failure{Pod: r.Name, Outcome: o, At: int64(r.DisruptedAt)}
	f.Message = redact.First(f.Message, maxFailureMessage)
	if r.Ended != nil && r.Ended.At > 0 {
		f.At = r.Ended.At
	}
	return f
}

// Compare orders failures by time, then by name.
func (f Failure) Compare(other Failure) int {
	return cmp.Or(cmp.Compare(f.At, other.At), cmp.Compare(f.Pod, other.Pod))
}

// FailuresAmong returns the failed executors among records, oldest first.
func FailuresAmong(records []*Record) []Failure {
	var all []Failure
	for _, r := range records {
		if f, ok := failureOf(r); ok {
			all = append(all, f)
		}
	}
	slices.SortFunc(all, Failure.Compare)
	return all
}

// failures are the executors of one attempt that have failed, as far as this process has seen, also those whose pods
// are gone: oldest first, at most maxFailures, the newest ones.
type failures struct {
	appUID       string
	run, attempt int64
	all          []Failure
}

// Failures returns the executors of an attempt that have failed, oldest first, also those whose pods are gone: at most
// 32, the newest ones, as far as this process has seen. The caller must not change them.
func (s *Store) Failures(app types.NamespacedName, uid string, run, attempt int64) []Failure {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if f := s.failed[app]; f != nil && f.appUID == uid && f.run == run && f.attempt == attempt {
		return f.all
	}
	return nil
}

// remember files a failure of an executor; one of an attempt that is over by now is not kept. The caller holds the
// lock.
func (s *Store) remember(r *Record, f Failure) {
	app := appOf(r)
	known := s.failed[app]
	switch {
	case known == nil || known.appUID != r.AppUID,
		known.run < r.Run, known.run == r.Run && known.attempt < r.Attempt:
		known = &failures{appUID: r.AppUID, run: r.Run, attempt: r.Attempt}
		s.failed[app] = known
	case known.run != r.Run || known.attempt != r.Attempt:
		return
	}
	all := append(slices.Clone(known.all), f) // readers may still have the old one
	slices.SortFunc(all, Failure.Compare)
	known.all = all[max(0, len(all)-maxFailures):]
}

// deletionWasRequested reports whether an executor was asked to end while it ran, by its driver or by us, and then
// ended, whatever its exit code is: its driver may have gone before it.
func deletionWasRequested(old, r *Record) bool {
	return old.Deleting && old.Ended == nil && old.Active() && r.DisruptedBy == "" && !r.outOfMemory()
}

// noteChange remembers a failure that a record shows and the one before it did not. The caller holds the lock.
func (s *Store) noteChange(old, r *Record) {
	f, failed := failureOf(r)
	if !failed || old != nil && old.UID == r.UID && deletionWasRequested(old, r) {
		return
	}
	if old != nil && old.UID == r.UID {
		if _, before := failureOf(old); before {
			return
		}
	}
	s.remember(r, f)
}
