// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package attacks

import (
	"os"
	"testing"
)

func TestMain(m *testing.M) { os.Exit(Main(m)) }

// fewest is the minimum number of attempts, so that none gets lost.
const fewest = 120

// TestAttacks plays every attempt.
func TestAttacks(t *testing.T) {
	attacks, err := Load("cases")
	if err != nil {
		t.Fatal(err)
	}
	operatorOwner = t
	prepare(t)
	attempts := 0
	for i := range attacks {
		attack := &attacks[i]
		attempts += len(attack.Attempts)
		for j := range attack.Attempts {
			attempt := &attack.Attempts[j]
			t.Run(attack.Class+"/"+attack.Name+"/"+attempt.Name, func(t *testing.T) {
				t.Parallel()
				a := newArena(t, attack.Arena)
				a.recorder.outside = attempt.Expect.Outside
				a.play(attack.Given, attempt)
				a.recorder.judge(a)
			})
		}
	}
	if attempts < fewest {
		t.Errorf("%d attempts, want at least %d", attempts, fewest)
	}
}
