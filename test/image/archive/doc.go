// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package archive writes container images as docker-archives: a tar with one
// tar for each layer, the image's configuration and a manifest.json, as
// containerd and Docker import them.
//
// The same content gives the same bytes: entries are sorted by name, all times
// are Epoch, and only what a container sees (mode, owner, link) is kept of a
// file. It knows nothing of Spark. Layers are written with the standard library,
// images with go-containerregistry.
package archive
