// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package objectstore has real Spark jobs read from a real S3 server and write to it, as docs/guides.md says, and has
// the Java agent of its recipe for metrics run in them.
//
// The jars come from Maven Central by pom.xml. hack/suite fetches them once into the user's cache folder, in the layout
// of a Maven repository: SPARKGATE_MAVEN. Pods have no way out of the local cluster, so the tests serve that folder to
// them in place of Maven Central. Where the guide has the jars in the image, they are mounted at the same paths instead,
// which saves an image of 1.4 GB.
package objectstore
