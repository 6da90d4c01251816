// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package conf holds what the operator knows about Spark's properties: their sources and which of them wins, the keys
// that only the operator may set, and how values are read and written.
//
//	operator defaults < namespace defaults < sparkConfigMap (spark-defaults.conf) < sparkConf, sparkConfFrom < typed fields
//
// Values from Secrets are never among the properties; conf.Masked takes their place. They are filled in only when the
// file for the driver is written, so they cannot get into messages, pod sets or pods.
//
// All other packages (render, podsets, lifecycle) read only the merged map that Merge returns. Each property remembers
// the field that set it, so that a message about its value can name the field to edit.
//
// The package is pure: it has no client, no clock and no logger, and it must not import the packages beside it.
package conf
