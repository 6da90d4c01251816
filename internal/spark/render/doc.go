// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package render builds the objects that spark-submit would create in cluster mode, without a Java virtual machine:
// driver pod, Service, ConfigMaps, NetworkPolicy and executor template.
//
//	application ─► conf.Merge ─► submit (what spark-submit derives) ─► base pod (template and fields of the role)
//	            ─► steps in Spark's own order ─► Objects
//
// The result equals what spark-submit of the same Spark version sends, apart from what package deviations lists. Tests
// compare it with recordings of the real client, which are under testdata.
//
// The package is pure: no client, no clock, no logger. The same input gives the same bytes, so creating an object twice
// does no harm. The application should have passed package validate. If something cannot be built, Build returns an
// error.
package render
