// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package movies plays stories from files and compares their results with the results in the files. Only tests import
// it, and they get its flag:
//
//	go test ./queueing/embedded -update    write the results of the stories into their files
//
// In a file, lines that start with "$ " are commands, lines that start with "#" tell the story, and the lines below
// each command are its result.
package movies
