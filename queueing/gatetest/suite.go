// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package gatetest

import (
	"testing"
)

// testCase is one promise of a gate.
type testCase struct {
	name string
	// needs are the functions of System without which the case cannot run.
	needs []string
	run   func(*play)
}

// cases are all promises.
var cases = []testCase{
	{"asks and is granted in full", nil, asksAndIsGranted},
	{"an unknown ask is released", nil, releasesTheUnknown},
	{"waits for quota", []string{"SetQuota"}, waitsForQuota},
	{"quota for one is not granted twice", []string{"SetQuota"}, oneOfTwo},
	{"an ask that can never be granted is refused", []string{"Impossible"}, refuses},
	{"a queue that does not exist is named", []string{"Lose"}, namesTheMissingQueue},
	{"an ask changes while it is pending", []string{"SetQuota"}, changesWhileWaiting},
	{"the inputs of an ask change while it holds quota", nil, inputsChangeWhileHolding},
	{"the queue of an ask changes while it holds quota", []string{"Lose"}, queueChangesWhileHolding},
	{"the inputs of an ask change while it is pending", []string{"SetQuota"}, inputsChangeWhileWaiting},
	{"the next attempt asks while the last one is pending", []string{"SetQuota"}, anotherAttemptWhileWaiting},
	{"the next attempt asks while the last one holds quota", []string{"SetQuota"}, anotherAttemptWhileHolding},
	{"a pending ask is gone after a release", []string{"SetQuota"}, leavesTheQueue},
	{"a grant is reclaimed", []string{"Evict"}, evicts},
	{"a grant grows and shrinks", []string{"SetQuota"}, growsAndShrinks},
	{"askers of two kinds have the same name", nil, sameName},
	{"a pending ask is explained", []string{"Explain", "SetQuota"}, explains},

	{"the operator restarts while nothing is asked", nil, restartWithNothing},
	{"the operator restarts while an ask is pending", []string{"SetQuota"}, restartWhileWaiting},
	{"the operator restarts before a grant is written", nil, restartBeforeGrantIsWritten},
	{"the operator restarts while a grant is held", []string{"SetQuota"}, restartWhileHolding},
	{"the operator restarts after a release", []string{"SetQuota"}, restartAfterRelease},
	{"the operator restarts before a release is done", []string{"SetQuota"}, restartBeforeRelease},
	{"quota becomes free while the operator is down", []string{"SetQuota"}, quotaComesMeanwhile},

	{"the other system restarts while an ask is pending", []string{"Restart", "SetQuota"}, otherRestartsWhileWaiting},
	{"the other system restarts while a grant is held", []string{"Restart", "SetQuota"}, otherRestartsWhileHolding},
	{"objects are deleted with a release", []string{"Exists"}, objectsGo},
	{"the object of a pending ask is deleted", []string{"Delete", "Exists", "SetQuota"}, deletedWhileWaiting},
	{"the object of a grant is deleted", []string{"Delete", "Exists"}, deletedWhileHolding},
	{"the object of a grant is deleted while the operator is down", []string{"Delete", "Exists"}, deletedMeanwhile},
	{"the name is taken", []string{"Occupy", "Vacate", "Occupied"}, nameIsTaken},
	{"the kinds are not installed", []string{"Uninstall", "Install"}, kindsAreMissing},
	{"the kinds are uninstalled while an ask is pending and a grant is held", []string{"Uninstall", "Install", "SetQuota"}, kindsGo},
}

// Run runs all cases that the system supports, one after the other.
func Run(t *testing.T, s System) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if function, why := s.lacks(t, c.needs); function != "" {
				t.Logf("PASSED OVER: gate %s has no %s: %s", s.Name, function, why)
				return
			}
			c.run(begin(t, s))
		})
	}
}
