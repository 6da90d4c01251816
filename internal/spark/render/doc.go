// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package render builds what spark-submit would create in cluster mode: driver pod, Service, ConfigMaps, the
// NetworkPolicy and the template of the executors, without a Java virtual machine.
//
//	application ─► conf.Merge ─► submit (what spark-submit derives) ─► base pod (template and fields of the role)
//	            ─► steps in Spark's own order ─► Objects
//
// The result is what the real client of the same Spark version sends, apart from the entries of Deviations; recordings
// of the real client under testdata hold the package to that.
//
// The package is pure: no client, no clock, no logger. The same input gives the same bytes, so that an object can be
// created twice without harm. It expects an application that package validate has found nothing wrong with; what it
// cannot build is an error.
package render
