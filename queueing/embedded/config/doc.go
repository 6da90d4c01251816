// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package config has the configuration of the embedded queue: queues with their quotas and policies, and flavors.
//
// Values are as in the API, but without its types: amounts are integers, and selectors are functions. Any configuration
// is accepted, because package queuespec checks what users write.
package config
