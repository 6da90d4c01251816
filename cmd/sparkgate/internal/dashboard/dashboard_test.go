// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"context"
	"testing"

	ctrl "sigs.k8s.io/controller-runtime"
)

// TestLogs: log messages of libraries are printed, such as that a renewed certificate cannot be read. The test is not
// parallel, because the logger is global.
func TestLogs(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if err := Run(ctx, []string{"--addr=127.0.0.1:0", "--api-server=https://127.0.0.1:1"}); err != nil {
		t.Fatal(err)
	}
	if !ctrl.Log.Enabled() {
		t.Error("nothing is logged")
	}
}
