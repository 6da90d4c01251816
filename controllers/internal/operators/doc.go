// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package operators determines which of several operators in one cluster decides on an application, and which leads a
// tree of queues. Nothing prevents two operators from managing the same namespaces or queues, so this is decided object
// by object.
//
// An operator is named after its namespace, in which its leader holds a lease. The name is in the status of what the
// operator decides on: in the ledger of each tree that it leads, and in each application. The first write wins, because
// every status write names the version on which it is based. An application without quota belongs to the operator that
// leads the tree of its queue, even if another one has written first.
//
// What belongs to an operator that has not renewed its lease for a while is up for takeover. Safety does not depend on
// this: an operator that resumes finds its ledgers taken over, and its writes conflict.
package operators
