// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Command image writes container images for the local cluster on a machine
// that has no container engine:
//
//	image spark   a real Spark image from Debian and PyPI packages
//	image binary  an image with nothing but one static program
//
// Each is a docker-archive, one file that containerd and Docker import. See
// README.md.
package main
