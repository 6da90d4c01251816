// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package validate finds what cannot work in an application before anything is created for it. It is the one function
// behind the reasons InvalidSpec and NotYetSupported of the controller, and behind the linter.
//
// The check of an application is a chain of small checks, one file a topic. Each returns findings; a finding names the
// field by its full path, the value, and what to write instead. Shapes of single fields are the business of the API's
// schema; what is checked here is everything else: fields against each other, properties, templates.
package validate
