// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/portforward"
	"k8s.io/client-go/tools/remotecommand"
	"k8s.io/client-go/transport/spdy"
	"k8s.io/client-go/util/exec"
	"k8s.io/streaming/pkg/httpstream"

	"github.com/sparkgate/sparkgate/internal/pods"
)

// Forwarding is a forwarded port: connections to a local port reach a port of a pod.
type Forwarding struct {
	// Port is the local port, on the loopback address.
	Port uint16

	// stop ends the forwarding. It may be called again.
	stop func()
	// ended is closed when the forwarding has ended, with err.
	ended chan struct{}
	err   error
}

// Forward forwards a local port, on the loopback address, to a port of a pod. If local is 0, a free port is chosen.
// Errors of single connections are written to problems.
func (c *Cluster) Forward(ctx context.Context, pod *corev1.Pod, local uint16, port int32, problems io.Writer) (*Forwarding, error) {
	dialer, err := c.forwardDialer(c.podURL(pod, "portforward", nil))
	if err != nil {
		return nil, err
	}
	stop, ready := make(chan struct{}), make(chan struct{})
	f := &Forwarding{stop: sync.OnceFunc(func() { close(stop) }), ended: make(chan struct{})}
	ports := []string{strconv.Itoa(int(local)) + ":" + strconv.Itoa(int(port))}
	forwarder, err := portforward.NewOnAddressesForStreaming(dialer, []string{"127.0.0.1"}, ports, stop, ready, io.Discard, problems)
	if err != nil {
		return nil, fmt.Errorf("prepare a connection to pod %s: %w", pod.Name, err)
	}
	go func() {
		defer close(f.ended)
		f.err = forwarder.ForwardPorts()
	}()
	select {
	case <-f.ended:
		return nil, c.explain(ctx, f.err, action{"create", "pods/portforward", pod.Namespace, ""})
	case <-ctx.Done():
		f.Close()
		return nil, ctx.Err()
	case <-ready:
	}
	opened, err := forwarder.GetPorts()
	if err != nil {
		f.Close()
		return nil, err
	}
	f.Port = opened[0].Local
	return f, nil
}

// Wait returns when the connection to the pod is lost, or when ctx ends; then it closes the forwarding.
func (f *Forwarding) Wait(ctx context.Context) {
	select {
	case <-f.ended:
	case <-ctx.Done():
		f.Close()
	}
}

// Close ends the forwarding and waits for its end. Nothing happens if it has ended.
func (f *Forwarding) Close() {
	f.stop()
	<-f.ended
}

// podURL returns the URL of a subresource of a pod.
func (c *Cluster) podURL(pod *corev1.Pod, subresource string, parameters url.Values) *url.URL {
	request := Pods.named(c.client.Post(), pod.Namespace, pod.Name).SubResource(subresource)
	for name, values := range parameters {
		for _, value := range values {
			request.Param(name, value)
		}
	}
	return request.URL()
}

// forwardDialer returns a dialer that uses WebSockets, or SPDY if a proxy or an old server does not support them, as
// kubectl does.
func (c *Cluster) forwardDialer(to *url.URL) (httpstream.Dialer, error) {
	transport, upgrader, err := spdy.RoundTripperFor(c.config)
	if err != nil {
		return nil, err
	}
	overSPDY := spdy.NewDialerForStreaming(upgrader, &http.Client{Transport: transport}, http.MethodPost, to)
	overWebSocket, err := portforward.NewSPDYOverWebsocketDialerForStreaming(to, c.config)
	if err != nil {
		return nil, err
	}
	return portforward.NewFallbackDialerForStreaming(overWebSocket, overSPDY, notUpgraded), nil
}

// notUpgraded reports whether err means that WebSockets are not supported on the way.
func notUpgraded(err error) bool {
	return httpstream.IsUpgradeFailure(err) || httpstream.IsHTTPSProxyError(err)
}

// Session is a command that runs in the Spark container of a pod.
type Session struct {
	Command []string
	// In may be nil. Err is not used if there is a terminal.
	In       io.Reader
	Out, Err io.Writer
	// Sizes are the sizes of the terminal; nil if there is none.
	Sizes remotecommand.TerminalSizeQueue
}

// Exec runs a command in the Spark container of a pod until it ends. If the command fails, ExitStatus returns its exit
// code from the error.
func (c *Cluster) Exec(ctx context.Context, pod *corev1.Pod, s Session) error {
	tty := s.Sizes != nil
	parameters := url.Values{
		"container": {pods.SparkContainer(pod)}, "command": s.Command,
		"stdin": {strconv.FormatBool(s.In != nil)}, "stdout": {"true"}, "stderr": {strconv.FormatBool(!tty)}, "tty": {strconv.FormatBool(tty)},
	}
	to := c.podURL(pod, "exec", parameters)
	overSPDY, err := remotecommand.NewSPDYExecutor(c.config, http.MethodPost, to)
	if err != nil {
		return err
	}
	overWebSocket, err := remotecommand.NewWebSocketExecutor(c.config, http.MethodGet, to.String())
	if err != nil {
		return err
	}
	executor, err := remotecommand.NewFallbackExecutor(overWebSocket, overSPDY, notUpgraded)
	if err != nil {
		return err
	}
	options := remotecommand.StreamOptions{Stdin: s.In, Stdout: s.Out, Stderr: s.Err, Tty: tty, TerminalSizeQueue: s.Sizes}
	if tty {
		options.Stderr = nil
	}
	err = executor.StreamWithContext(ctx, options)
	if _, ofCommand := ExitStatus(err); ofCommand {
		return err
	}
	return c.explain(ctx, err, action{"create", "pods/exec", pod.Namespace, ""})
}

// ExitStatus returns the exit code of a command that Exec ran. ofCommand is false if err is an error of the session
// itself.
func ExitStatus(err error) (code int, ofCommand bool) {
	var exit exec.ExitError
	if errors.As(err, &exit) && exit.Exited() {
		return exit.ExitStatus(), true
	}
	return 0, false
}
