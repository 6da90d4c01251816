// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package applications

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	corev1 "k8s.io/api/core/v1"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/utils/clock"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/cmd/sparkctl/internal/cli"
	"github.com/sparkgate/sparkgate/internal/tools/client"
)

// reconnectAfter is the pause before a lost connection is opened again.
const reconnectAfter = time.Second

// tunnel is a port-forward to a port of a driver that is reopened whenever it is lost.
type tunnel struct {
	cluster *client.Cluster
	driver  *corev1.Pod
	// ports are the ports. A local one of 0 chooses any, and keeps it when the connection is reopened.
	ports client.Ports
	notes io.Writer
	// awaited is what is waited for, as in "the web interface", and answers reports whether it answers at the local port.
	awaited string
	answers func(ctx context.Context, local uint16) bool
	// answered is called with the local port once it has answered for the first time.
	answered func(local uint16) error

	// open is set once it has answered. broken is the error of answered.
	open   bool
	broken error
}

// hold keeps the port-forward open until ctx ends. It returns an error if it cannot be opened at all.
func (t *tunnel) hold(ctx context.Context) error {
	utilruntime.ErrorHandlers = nil // client-go logs each refused connection, and the first ones are expected
	for first := true; ctx.Err() == nil; first = false {
		err := t.cluster.Forward(ctx, t.driver, t.ports, func(ctx context.Context, local uint16) error {
			t.ports.Local = local
			t.use(ctx, local, first)
			return nil
		})
		if t.broken != nil || err != nil && first && ctx.Err() == nil {
			return cmp.Or(t.broken, err)
		}
		select {
		case <-ctx.Done():
		case <-clock.RealClock{}.After(reconnectAfter):
		}
	}
	return nil
}

// use waits on an open port-forward until it is lost, which ends ctx. It calls answered once there was an answer.
func (t *tunnel) use(ctx context.Context, local uint16, first bool) {
	switch {
	case t.open:
	case t.answers(ctx, local):
		t.open = true
		if t.broken = t.answered(local); t.broken != nil {
			return
		}
	default:
		if first {
			fmt.Fprintf(t.notes, "Waiting for %s in pod %s...\n", t.awaited, t.driver.Name)
		}
		return
	}
	<-ctx.Done()
}

// holdUntilEnd keeps the port-forward open until it is interrupted or the driver ends. It returns a text with the result
// of the attempt, or "" if it was interrupted.
func (t *tunnel) holdUntilEnd(ctx context.Context, app *v1alpha1.SparkApplication) (string, error) {
	ctx, stop := cli.Interruptible(ctx)
	defer stop()
	over := make(chan string, 1)
	go func() {
		defer stop()
		over <- untilDriverEnds(ctx, t.cluster, app)
	}()
	if err := t.hold(ctx); err != nil {
		return "", err
	}
	return <-over, nil
}

// localPort returns the local port to listen on: the wanted one, or, if that is 0, the usual one if it is free.
func localPort(wanted, usual uint16) (uint16, error) {
	switch {
	case wanted == 0 && cli.PortIsFree(usual):
		return usual, nil
	case wanted != 0 && !cli.PortIsFree(wanted):
		return 0, cli.PortTaken(wanted)
	}
	return wanted, nil
}

// answersHTTP reports whether something answers HTTP on a loopback port.
func answersHTTP(ctx context.Context, port uint16) bool {
	request, err := http.NewRequestWithContext(ctx, http.MethodHead, fmt.Sprintf("http://127.0.0.1:%d/", port), nil)
	if err != nil {
		return false
	}
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		return false
	}
	return response.Body.Close() == nil
}
