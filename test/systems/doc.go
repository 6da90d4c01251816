// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package systems runs third-party software as plain processes beside any API server: the batch schedulers that gates
// hand applications to (Kueue, Volcano, YuniKorn), Flux and Argo CD, which apply what is in Git, and an S3 server.
//
//	kueue := systems.Kueue(t, env.Cluster(), systems.KueueSettings{})   installs and starts it, waits until it is ready
//	kueue.Stop()                                                        its objects and webhooks stay, as when its pod is away
//	kueue.Start(ctx)                                                    again, on the same ports
//	kueue.Uninstall(ctx)                                                its CRDs and webhooks also go
//
// They are the real programs. Each is a Go module of its own below this folder that pins one version; `localcluster
// build` compiles it into the user's cache folder, with its manifests beside it. README.md says more.
package systems
