// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package convert converts between the API types and the types of gates and the engine.
//
// Grants are converted in both directions, because they are stored in the status of applications and in the ledgers of
// root queues. The conversion is lossless: FromAPI(ToAPI(g)) equals g. Queues and flavors are converted only to the
// configuration of the engine. The operator and sparkctl share this conversion, so that a simulation predicts what the
// operator does. States and explanations of the engine are converted only to the API.
package convert
