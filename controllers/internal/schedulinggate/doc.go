// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package schedulinggate builds the patch that ungates a pod, and checks whether the pod has changed since.
package schedulinggate
