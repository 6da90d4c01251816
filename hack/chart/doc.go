// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Command chart writes what the Helm chart takes from elsewhere: its CRDs, rights and admission policies from the kustomize bases, its
// README from the comments of its values. The copies are files and not links: source-controller leaves links out of what it fetches.
//
//	go run ./hack/chart      in the folder of the repository
package main
