// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package pods

import (
	"cmp"
	"slices"

	"k8s.io/apimachinery/pkg/types"

	"github.com/sparkgate/sparkgate/internal/base/redact"
)

// Failure is how an executor failed. It is remembered apart from the pod, because Spark soon deletes that.
type Failure struct {
	Pod string
	Outcome
	// At is when it ended, by the clock of its node, in seconds since 1970; 0 if that is not known.
	At int64
}

const (
	// maxFailures is how many failures of an attempt are remembered: more than can be expected between two writes of
	// the status.
	maxFailures = 32
	// maxFailureMessage bounds the message of a failure, in bytes.
	maxFailureMessage = 256
)

// FailureOf returns how an executor failed; ok is false if it has not. An executor that was deleted, by its driver or
// by the operator, has not failed.
func FailureOf(r *Record) (f Failure, ok bool) {
	if r.Role != Executor {
		return Failure{}, false
	}
	o, ended := endOf(r, executorTerms)
	if !ended || o.Succeeded || o.Reason == ReasonDeleted {
		return Failure{}, false
	}
	return failure(r, o), true
}

// failureOfLostPod returns how an executor failed whose pod disappeared while it ran, because it lost its node or was
// evicted. ok is false if the pod may have been deleted in the ordinary way.
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

// failures are the failed executors of one attempt that this process has seen, including those whose pods are gone: at
// most maxFailures, the newest ones, oldest first.
type failures struct {
	appUID       string
	run, attempt int64
	all          []Failure
}

// Failures returns the failed executors of an attempt that this process has seen, including those whose pods are gone:
// at most 32, the newest ones, oldest first. The caller must not change the list.
func (s *Store) Failures(app types.NamespacedName, uid string, run, attempt int64) []Failure {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if f := s.failed[app]; f != nil && f.appUID == uid && f.run == run && f.attempt == attempt {
		return f.all
	}
	return nil
}

// remember stores the failure of an executor, unless a newer attempt of its application is known. The caller holds the
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
	all := append(slices.Clone(known.all), f) // Readers may still have the old list.
	slices.SortFunc(all, Failure.Compare)
	known.all = all[max(0, len(all)-maxFailures):]
}

// deletionWasRequested reports whether an executor ended because its driver or the operator had deleted it, whatever
// its exit code is. The driver itself may be gone by then.
func deletionWasRequested(old, r *Record) bool {
	return old.Deleting && old.Ended == nil && old.Active() && r.DisruptedBy == "" && !r.outOfMemory()
}

// noteChange remembers the failure of an executor if the new record shows one and the old one did not. The caller holds
// the lock.
func (s *Store) noteChange(old, r *Record) {
	f, failed := FailureOf(r)
	if !failed || old != nil && old.UID == r.UID && deletionWasRequested(old, r) {
		return
	}
	if old != nil && old.UID == r.UID {
		if _, before := FailureOf(old); before {
			return
		}
	}
	s.remember(r, f)
}
