// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package monitoring tests dashboards and alerts of config/monitoring: Prometheus' own storage, query engine and rules scrape the operator over
// HTTP while it runs applications on a real API server. Prometheus' time is the test's: it passes as fast as it can be scraped.
package monitoring
