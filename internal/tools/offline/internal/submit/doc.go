// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package submit translates a spark-submit command to a SparkApplication.
//
//	arguments ─► options ─┐
//	--properties-file ────┴─► properties ─► fields, where a field says exactly the same
//	                                     ─► sparkConf, the rest
//	                                     ─► left out with a note: what the operator does itself
//
// It has no list of properties and their fields. It asks package conf which property each field sets (fields.go), so
// the two directions cannot differ. A property becomes a field only if the field gives back the same text and the
// schema accepts it. All other properties stay as they were written, so that the job is the same.
//
// The package is pure: it reads files only through a function that it is given, and no environment.
package submit
