// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package gitops holds what users of Flux, Argo CD and Kustomize add to their own configuration, and embeds it, so that the tests
// read exactly the files that users get. README.md says which file goes where.
package gitops

import "embed"

// ArgoCDHealthLua is the health check of Argo CD for SparkApplication and SparkQueue. It needs no library beyond Lua's base.
//
//go:embed argocd/health.lua
var ArgoCDHealthLua string

// ArgoCDConfigMap is a patch of the ConfigMap argocd-cm that installs ArgoCDHealthLua for each kind, and actions for those that run.
//
//go:embed argocd/argocd-cm.yaml
var ArgoCDConfigMap []byte

// ArgoCD has the files of the folder argocd: scripts, and objects of Argo CD.
//
//go:embed argocd
var ArgoCD embed.FS

// FluxHealthCheckExprs maps the name of a profile to a value of spec.healthCheckExprs of a Flux Kustomization.
//
//go:embed flux/health-check-exprs.yaml
var FluxHealthCheckExprs []byte

// KustomizeConfig is a transformer configuration of Kustomize: where images and names of other objects are in our kinds.
//
//go:embed kustomize/kustomizeconfig.yaml
var KustomizeConfig []byte

// Flux has the files of the folder flux: a platform's and a tenant's objects of Flux, jobs in several environments.
//
//go:embed flux
var Flux embed.FS
