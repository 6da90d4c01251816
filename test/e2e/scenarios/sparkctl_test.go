// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/e2e/env"
)

// TestSparkctlReachesADriver: Spark's web interface through a port of this machine, until the driver ends.
func TestSparkctlReachesADriver(t *testing.T) {
	t.Parallel()
	s := env.NewTenant(t, 1)
	s.Apply(env.Queue(s.Name, "1", "3Gi"), env.Pi("pi", s.Name, env.Sleep("600")))
	s.Becomes("pi", v1alpha1.RunningReason)
	ui := exec.CommandContext(t.Context(), os.Getenv("SPARKGATE_CTL"), "ui", "pi", "-n", s.Name)
	addresses, err := ui.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := ui.Start(); err != nil {
		t.Fatal(err)
	}
	address := make([]byte, len("http://127.0.0.1:65535\n"))
	n, err := addresses.Read(address)
	if err != nil {
		t.Fatalf("sparkctl ui prints no address: %v", err)
	}
	s.Await("the page of Spark's jobs", func() error { // until then it says that Spark is starting up
		page, err := get(t.Context(), strings.TrimSpace(string(address[:n])))
		if err == nil && !strings.Contains(page, "Spark Jobs") {
			err = fmt.Errorf("the page is %.300s", page)
		}
		return err
	})
	s.Sparkctl("suspend", "pi", "-n", s.Name)
	if err := ui.Wait(); err != nil {
		t.Errorf("sparkctl ui, after the driver: %v", err)
	}
}

// get returns a page.
func get(ctx context.Context, address string) (string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return "", err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	page, err := io.ReadAll(response.Body)
	return string(page), err
}
