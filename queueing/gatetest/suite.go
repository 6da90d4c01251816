// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package gatetest

import (
	"testing"
)

// testCase is one promise of a gate.
type testCase struct {
	name string
	// needs are the functions of System without which the case means nothing.
	needs []string
	run   func(*play)
}

// cases are all promises, those of applications among themselves first.
var cases = []testCase{
	{"asks and is granted in full", nil, asksAndIsGranted},
	{"what nobody knows is released", nil, releasesTheUnknown},
	{"waits for quota", []string{"SetQuota"}, waitsForQuota},
	{"quota for one is not given to two", []string{"SetQuota"}, oneOfTwo},
	{"what can never be is refused", []string{"Impossible"}, refuses},
	{"a queue that does not exist is named", []string{"Lose"}, namesTheMissingQueue},
	{"an ask changes while it waits", []string{"SetQuota"}, changesWhileWaiting},
	{"what an ask was made from changes while it holds", nil, inputsChangeWhileHolding},
	{"what an ask was made from changes while it waits", []string{"SetQuota"}, inputsChangeWhileWaiting},
	{"the next attempt asks while the last one waits", []string{"SetQuota"}, anotherAttemptWhileWaiting},
	{"the next attempt asks while the last one holds", []string{"SetQuota"}, anotherAttemptWhileHolding},
	{"who waits asks for nothing any more after a release", []string{"SetQuota"}, leavesTheQueue},
	{"a grant is asked back", []string{"Evict"}, evicts},

	{"the operator is restarted while nothing is asked", nil, restartWithNothing},
	{"the operator is restarted while an ask waits", []string{"SetQuota"}, restartWhileWaiting},
	{"the operator is restarted before a grant is written", nil, restartBeforeGrantIsWritten},
	{"the operator is restarted while a grant is held", []string{"SetQuota"}, restartWhileHolding},
	{"the operator is restarted after a release", []string{"SetQuota"}, restartAfterRelease},
	{"the operator is restarted before a release is done", []string{"SetQuota"}, restartBeforeRelease},
	{"quota comes while the operator is down", []string{"SetQuota"}, quotaComesMeanwhile},

	{"the other system is restarted while an ask waits", []string{"Restart", "SetQuota"}, otherRestartsWhileWaiting},
	{"the other system is restarted while a grant is held", []string{"Restart", "SetQuota"}, otherRestartsWhileHolding},
	{"objects go with a release", []string{"Exists"}, objectsGo},
	{"the object of an ask that waits is deleted", []string{"Delete", "Exists", "SetQuota"}, deletedWhileWaiting},
	{"the object of a grant is deleted", []string{"Delete", "Exists"}, deletedWhileHolding},
	{"the object of a grant is deleted while the operator is down", []string{"Delete", "Exists"}, deletedMeanwhile},
	{"the name is taken", []string{"Occupy", "Vacate", "Occupied"}, nameIsTaken},
	{"the kinds are not installed", []string{"Uninstall", "Install"}, kindsAreMissing},
	{"the kinds go while an ask waits and a grant is held", []string{"Uninstall", "Install", "SetQuota"}, kindsGo},
}

// Run plays all cases that the system can play, one after the other.
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
