// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package convert translates between the API and what gates and the engine work with.
//
// Grants go both ways: they are stored in the status of applications and in the ledgers of root queues. The translation
// loses nothing: FromAPI(ToAPI(g)) equals g. Queues and flavors go one way, into the configuration of the engine; the
// operator and sparkctl use the same translation, so that what is tried is what will be.
package convert
