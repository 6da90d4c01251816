// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package client

import (
	"context"
	"fmt"
	"io"
	"net/http"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/portforward"
	"k8s.io/client-go/transport/spdy"
	"k8s.io/streaming/pkg/httpstream"
)

// Ports are the ends of a forwarded port.
type Ports struct {
	// Local is a port of the loopback address; 0 chooses a free one.
	Local uint16
	// Remote is a port of the pod.
	Remote int32
}

// Forward forwards a local port to a port of a pod while use runs, which is called with the local port. The context of
// use ends when the connection to the pod is lost.
func (c *Cluster) Forward(ctx context.Context, pod *corev1.Pod, ports Ports, use func(ctx context.Context, local uint16) error) error {
	dialer, err := dialerTo(c, pod)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ready, ended := make(chan struct{}), make(chan error, 1)
	forwarder, err := portforward.NewOnAddressesForStreaming(dialer, []string{"127.0.0.1"}, []string{fmt.Sprintf("%d:%d", ports.Local, ports.Remote)},
		ctx.Done(), ready, io.Discard, io.Discard)
	if err != nil {
		return fmt.Errorf("prepare a connection to pod %s: %w", pod.Name, err)
	}
	go func() {
		defer cancel()
		ended <- forwarder.ForwardPorts()
	}()
	select {
	case err := <-ended:
		return c.explain(ctx, err, action{"create", "pods/portforward", pod.Namespace, ""})
	case <-ready:
	}
	opened, err := forwarder.GetPorts()
	if err == nil {
		err = use(ctx, opened[0].Local)
	}
	cancel()
	<-ended // a lost connection is no error of use
	return err
}

// dialerTo returns a dialer that uses WebSockets, or SPDY if a proxy or an old server does not support them, as
// kubectl does.
func dialerTo(c *Cluster, pod *corev1.Pod) (httpstream.Dialer, error) {
	to := c.core.RESTClient().Post().Namespace(pod.Namespace).Resource(Pods.Resource).Name(pod.Name).SubResource("portforward").URL()
	transport, upgrader, err := spdy.RoundTripperFor(c.config)
	if err != nil {
		return nil, err
	}
	overSPDY := spdy.NewDialerForStreaming(upgrader, &http.Client{Transport: transport}, http.MethodPost, to)
	overWebSocket, err := portforward.NewSPDYOverWebsocketDialerForStreaming(to, c.config)
	if err != nil {
		return nil, err
	}
	return portforward.NewFallbackDialerForStreaming(overWebSocket, overSPDY, func(err error) bool {
		return httpstream.IsUpgradeFailure(err) || httpstream.IsHTTPSProxyError(err)
	}), nil
}
