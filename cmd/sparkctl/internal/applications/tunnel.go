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

	sparkrender "github.com/sparkgate/sparkgate/internal/spark/render"
	"github.com/sparkgate/sparkgate/internal/tools/client"
)

// reconnectAfter is the pause before a lost connection is opened again.
const reconnectAfter = time.Second

// tunnel is a port-forward to the web interface of a driver that is reopened whenever it is lost.
type tunnel struct {
	cluster *client.Cluster
	driver  *corev1.Pod
	// local is the local port; 0 chooses any, and keeps it when the connection is reopened.
	local uint16
	notes io.Writer
	// answered is called with the address once the web interface has answered for the first time.
	answered func(address string) error

	// open is set once it has answered. broken is the error of answered.
	open   bool
	broken error
}

// hold keeps the port-forward open until ctx ends. It returns an error if it cannot be opened at all.
func (t *tunnel) hold(ctx context.Context) error {
	utilruntime.ErrorHandlers = nil // client-go logs each refused connection, and the first ones are expected
	ports := client.Ports{Local: t.local, Remote: sparkrender.DriverUIPort(t.driver)}
	for first := true; ctx.Err() == nil; first = false {
		err := t.cluster.Forward(ctx, t.driver, ports, func(ctx context.Context, local uint16) error {
			ports.Local = local
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

// use waits on an open port-forward until it is lost, which ends ctx. It calls answered once the web interface has
// answered.
func (t *tunnel) use(ctx context.Context, local uint16, first bool) {
	switch {
	case t.open:
	case answers(ctx, local):
		t.open = true
		if t.broken = t.answered(fmt.Sprintf("http://127.0.0.1:%d", local)); t.broken != nil {
			return
		}
	default:
		if first {
			fmt.Fprintf(t.notes, "Waiting for the web interface in pod %s...\n", t.driver.Name)
		}
		return
	}
	<-ctx.Done()
}

// answers reports whether something answers HTTP on a loopback port.
func answers(ctx context.Context, port uint16) bool {
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
