// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package submit translates a call of spark-submit into a SparkApplication.
//
//	arguments ─► options ─┐
//	--properties-file ────┴─► properties ─► fields, where a field says exactly the same
//	                                     ─► sparkConf, the rest
//	                                     ─► left out with a note: what the operator does itself
//
// Which property has which field is not written down here: the package asks conf what each field stands for
// (fields.go), so that the two directions cannot differ. A property becomes a field only if the field gives back the
// same text and the schema takes it. Everything else stays as it was written, so that the job is the same.
//
// The package is pure: it reads files through the function that it is given, and no environment.
package submit
