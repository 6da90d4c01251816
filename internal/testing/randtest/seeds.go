// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package randtest

import (
	"flag"
	"fmt"
	"regexp"
	"runtime/debug"
	"strings"
	"testing"
)

var (
	firstFlag = flag.Uint64("seed", 0, "first seed of the random tests; without -times the only one")
	timesFlag = flag.Uint64("times", 0, "play so many times the usual number of seeds, from -seed on")
)

// Each plays seeds one after the other until one fails: the usual number, from 1 on, unless the flags say otherwise. A
// failure logs the command that repeats its seed. Each returns the number of seeds that passed.
func Each(t *testing.T, usual uint64, play func(seed uint64)) int {
	t.Helper()
	first, last := span(usual, *firstFlag, *timesFlag)
	seed, over := first, false
	defer func() {
		// play has not returned, because it panicked or called FailNow.
		if !over || t.Failed() {
			t.Log(again(t.Name(), seed))
		}
	}()
	for ; seed <= last; seed++ {
		if play(seed); t.Failed() {
			break
		}
	}
	over = true
	return int(seed - first)
}

// span returns the first and the last seed of a test; first and times are the flags, 0 if not given.
func span(usual, first, times uint64) (from, to uint64) {
	switch {
	case times > 0:
		usual *= times
	case first > 0:
		usual = 1
	}
	first = max(1, first)
	return first, first + usual - 1
}

// again returns the command that plays a seed again.
func again(test string, seed uint64) string {
	pkg := "."
	if info, known := debug.ReadBuildInfo(); known {
		pkg = strings.TrimSuffix(info.Path, ".test")
	}
	return fmt.Sprintf("play it again: go test %s -run '^%s$' -seed=%d", pkg, regexp.QuoteMeta(test), seed)
}
