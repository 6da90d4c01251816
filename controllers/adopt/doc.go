// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package adopt runs SparkApplications of kubeflow's operator in namespaces with the label sparkgate.io/adopt: kubeflow.
//
//	theirs ──translate──► application of ours, of the same name, owned by theirs ──► runs like any other
//	   ▲                                                      │
//	   └────────── status, in their words ◄───────────────────┘
//
// It knows the core only as a user does: it creates and changes applications, and reads their status. Of their objects it
// writes nothing but the status.
//
// An application of ours is made once for what a spec of theirs says. What it was made from is recorded in it, and in the
// submissionID of their status: neither a new version of the translator nor an annotation of the namespace that changes
// later runs anything again.
package adopt
