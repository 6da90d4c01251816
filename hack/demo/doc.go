// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Command demo applies manifests to a cluster that has the operator, shows every stage of every application as it is reached,
// and ends with the result from each driver's log:
//
//	demo -kubectl bin/kubectl examples/pi.yaml examples/java.yaml
//
// make demo runs two of the examples with the settings of overlay, which fit on a node with two cores.
//
// Applications of an earlier demo are deleted first, so it can be run again at any time. It talks to the cluster through kubectl
// alone and imports the standard library only. On a terminal the last lines show what runs; elsewhere it prints a line for each
// change, and one now and then while nothing changes.
package main
