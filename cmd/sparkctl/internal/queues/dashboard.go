// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package queues

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/utils/clock"

	"github.com/sparkgate/sparkgate/cmd/sparkctl/internal/cli"
	"github.com/sparkgate/sparkgate/internal/tools/client"
	"github.com/sparkgate/sparkgate/internal/tools/dashboard"
)

const dashboardText = `Serves a web page on the loopback address of this machine until Ctrl-C, with queues (who waits, and why),
applications, schedules and usage. It reads and writes with your kubeconfig, so it shows and does what kubectl
would. The address is printed, and opened in a browser if the output is a terminal. It contains a random part
that other users of the machine do not know.`

// readHeaderTimeout bounds how long a browser may take to send a request.
const readHeaderTimeout = 10 * time.Second

// dashboardFlags are the flags of dashboard.
type dashboardFlags struct {
	cluster client.Options
	port    uint16
	open    bool
	prices  string
}

// newDashboard returns the command "sparkctl dashboard".
func newDashboard(s cli.Streams) *cobra.Command {
	var f dashboardFlags
	c := &cobra.Command{
		Use: "dashboard", Short: "Show queues, applications, schedules and usage on a web page", Long: dashboardText, Args: cli.NoArguments,
		Example: "  sparkctl dashboard\n  sparkctl dashboard --port 8081 --open=false",
		RunE:    func(c *cobra.Command, _ []string) error { return f.run(c.Context(), s) },
	}
	cli.AddClusterFlags(c, &f.cluster)
	f.cluster.AddOperatorFlag(c.Flags())
	c.Flags().Uint16Var(&f.port, "port", 0, "the local `PORT` to listen on; 0 is any free port")
	c.Flags().BoolVar(&f.open, "open", s.Size != nil, "open a browser")
	c.Flags().StringVar(&f.prices, "prices", "", "a `FILE` with hourly prices, to show costs of usage; - is standard input")
	return c
}

func (f *dashboardFlags) run(ctx context.Context, s cli.Streams) error {
	prices, err := readPrices(f.prices, s.In)
	if err != nil {
		return err
	}
	c, err := client.Connect(f.cluster)
	if err != nil {
		return err
	}
	if f.port != 0 && !cli.PortIsFree(f.port) {
		return cli.PortTaken(f.port)
	}
	listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(int(f.port))))
	if err != nil {
		return fmt.Errorf("listen at the loopback address: %w", err)
	}
	ctx, stop := cli.Interruptible(ctx)
	defer stop()
	secret, once := rand.Text(), rand.Text()
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	pages := dashboard.New(ctx, dashboard.Options{
		Local: c, Secret: secret, Once: once, Prices: prices, Clock: clock.RealClock{}, Hosts: []string{"127.0.0.1:" + port, "localhost:" + port},
	})
	server := &http.Server{Handler: pages.Handler(), ReadHeaderTimeout: readHeaderTimeout}
	go func() {
		<-ctx.Done()
		_ = server.Close() // a graceful shutdown would wait for open streams
	}()
	fmt.Fprintf(s.Err, "Dashboard of %s with your rights, until Ctrl-C\n", c.Host())
	address := "http://127.0.0.1:" + port + "/"
	if _, err := fmt.Fprintln(s.Out, address+secret+"/"); err != nil {
		return errors.Join(err, server.Close(), listener.Close())
	}
	if f.open {
		err = cli.Browse(address+once, s) // the one-time address: other users of the machine can see the arguments of the browser
	}
	if err != nil {
		return errors.Join(err, server.Close(), listener.Close())
	}
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
