// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Command chart writes the parts of the Helm chart that are generated: its CRDs, rights and admission policies from the
// kustomize bases, and its README from the comments of its values. The copies are files rather than links because
// source-controller drops links from the sources that it fetches.
//
//	go run ./hack/chart      in the folder of the repository
package main
