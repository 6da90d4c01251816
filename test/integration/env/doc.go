// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package env gives the integration tests of one package a real kube-apiserver with our CRDs.
//
// A package calls Main from its TestMain; every test of it then shares one server, and keeps to a namespace of its own (Namespace).
// There is no controller manager: nothing garbage-collects, no ServiceAccount or pod is created automatically.
//
// The programs (kube-apiserver, etcd, kubectl) are those of the local cluster. KUBEBUILDER_ASSETS names their folder; where it is not
// set they are built first, which takes many minutes the first time. A test is never skipped because they are missing.
package env
