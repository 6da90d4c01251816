// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package pages builds the content of pages, and of the streams that update them, from what a viewer may see, and renders
// it by templates.
package pages
