// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package inputs identifies what the plan of a start was derived from. The hash goes with the ask to the gate, is in
// the grant, and is computed once more before the driver is created: a grant is used for what it was given for, and for
// nothing else.
//
// Values from Secrets are left out. They decide neither what pods request nor under which accounts they run (package
// conf refuses the properties that do), and a hash of a short password in a status would be an invitation to guess it.
// Files of a ConfigMap are hashed together with its uid, which only those know who may read it.
package inputs
