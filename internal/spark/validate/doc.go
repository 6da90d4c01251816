// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package validate finds mistakes in an application before anything is created for it. The operator's reasons
// InvalidSpec and NotYetSupported and the linter are based on it.
//
// An application goes through a list of small checks, with one file for each topic. A finding names the field by its
// full path, the value, and what to write instead. The schema of the API checks the form of single fields; this package
// checks everything else: fields that contradict each other, properties and templates.
package validate
