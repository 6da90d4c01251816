// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package inputs computes a hash of everything that the plan of a start was derived from. The hash is sent to the gate
// with the ask and is part of the grant. It is computed again before the driver is created, so that a grant is used
// only for what it was given for.
//
// Values from Secrets are not hashed. They determine neither the requests nor the service accounts of pods (package
// conf refuses the properties that do), and a hash of a short password in a status would invite guessing. Files of a
// ConfigMap are hashed together with its uid, which is known only to those who may read it.
package inputs
