// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package operators says which of several operators in one cluster decides on an application, and which leads a tree of
// queues. Nothing keeps two of them from dealing with the same namespaces or queues, so that is decided object by object.
//
// An operator is named after its namespace, in which its leader holds a lease. The name is in the status of what it
// decides on: in the ledger of each tree that it leads, and in each application. The first write decides, because every
// write of a status names the version that it was made from. An application that holds no quota belongs to the operator
// that leads the tree of its queue, also if another one has written first.
//
// What belongs to an operator that has not renewed its lease for a while belongs to no operator. Safety does not depend on
// that judgement: an operator that wakes up finds its ledgers taken over, and its writes conflict.
package operators
