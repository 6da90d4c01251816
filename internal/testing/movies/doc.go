// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package movies plays stories from files and compares what comes of them with what the files say. Only tests import
// it, and thereby get its flag:
//
//	go test ./queueing/embedded -update    write what comes of the stories into their files
//
// In a file, lines that begin with "$ " are played, lines that begin with "#" tell the story, and below each played
// line stands what came of it.
package movies
