// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package conf knows Spark's properties: where they come from, which source wins, which keys the operator owns, and how
// their values are read and written.
//
//	operator defaults < namespace defaults < sparkConfigMap (spark-defaults.conf) < sparkConf, sparkConfFrom < typed fields
//
// Values that come from Secrets are never among the properties: conf.Masked is there. They are filled in when the
// file of the driver is written, so that no message, pod set or pod can have them.
//
// Everything downstream (render, podsets, the life of an application) reads only the merged map that Merge returns. Each
// property remembers the place that set it, so that a message about a value can name the field that a user would edit.
//
// The package is pure: it has no client, no clock and no logger, and it must not import the packages beside it.
package conf
