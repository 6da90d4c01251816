// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package conf

import "github.com/sparkgate/sparkgate/internal/finding"

// Finding is something about the properties that cannot work. The controller reports it, nothing branches on it.
type Finding = finding.Finding
