// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package applications

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/cmd/sparkctl/internal/cli"
	"github.com/sparkgate/sparkgate/internal/job/status"
	"github.com/sparkgate/sparkgate/internal/spark/conf"
	"github.com/sparkgate/sparkgate/internal/spark/server"
	"github.com/sparkgate/sparkgate/internal/tools/client"
)

const connectText = `Prints the addresses of a server of Spark, and forwards a port of this machine to it until Ctrl-C. The address of
that port is written to standard output: sc://localhost:15002 for Spark Connect, and
jdbc:hive2://localhost:10000 for Thrift. It stays the same when the server is restarted, but sessions are lost
then. A server that is not ready yet is waited for.`

// connectFlags are the flags of connect.
type connectFlags struct {
	cluster client.Options
	port    uint16
	forward bool
}

// newConnect returns the command "sparkctl connect".
func newConnect(s cli.Streams) *cobra.Command {
	var f connectFlags
	c := aboutApplication(&cobra.Command{
		Use: "connect NAME", Short: "Connect this machine to a server of Spark", Long: connectText,
		Example: "  sparkctl connect notebooks\n  sparkctl connect notebooks --forward=false",
	}, &f.cluster, func(ctx context.Context, name string) error { return f.run(ctx, name, s) })
	c.Flags().Uint16Var(&f.port, "port", 0, "the local `PORT` to listen on; 0 is the server's own if that is free, otherwise any free port")
	c.Flags().BoolVar(&f.forward, "forward", true, "forward a port of this machine")
	return c
}

func (f *connectFlags) run(ctx context.Context, name string, s cli.Streams) error {
	c, app, err := connectTo(ctx, f.cluster, name)
	if err != nil {
		return err
	}
	kind, serves := server.KindOf(&app.Spec)
	if !serves {
		return fmt.Errorf("%s runs no server: spec.server is not set; sparkctl ui %[1]s opens its web interface", name)
	}
	fmt.Fprintf(s.Err, "In the cluster: %s%s.%s:%d\n", kind.Scheme, app.Name, app.Namespace, kind.Port)
	for _, way := range conf.ServerExposures(app) {
		address := way.Host + ":443/;use_ssl=true"
		if in := app.Spec.Server.Ingress; in != nil && way.Field == conf.ServerIngressField && in.TLSSecretName == "" {
			address = way.Host + ":80"
		}
		fmt.Fprintf(s.Err, "By %s: %s%s\n", way.Field, kind.Scheme, address)
	}
	if !f.forward {
		return nil
	}
	local, err := localPort(f.port, uint16(kind.Port))
	if err != nil {
		return err
	}
	return f.follow(ctx, &tunnel{cluster: c, ports: client.Ports{Local: local, Remote: kind.Port}, notes: s.Err, awaited: "the server"}, app, kind, s)
}

// follow forwards the port to one driver of the server after another, until it is interrupted or none is to follow.
func (f *connectFlags) follow(ctx context.Context, t *tunnel, app *v1alpha1.SparkApplication, kind server.Kind, s cli.Streams) error {
	for shown := false; ; shown = true {
		driver, err := awaitServer(ctx, t.cluster, app, s)
		if err != nil || driver == nil {
			return err
		}
		t.driver, t.open = driver, false
		t.answers = func(context.Context, uint16) bool { return true } // its driver is ready
		t.answered = func(local uint16) error {
			if shown {
				_, err := fmt.Fprintf(s.Err, "Connected to %s again; sessions are lost, create new ones\n", app.Name)
				return err
			}
			fmt.Fprintf(s.Err, "Connected to %s until Ctrl-C\n", app.Name)
			_, err := fmt.Fprintf(s.Out, "%slocalhost:%d\n", kind.Scheme, local)
			return err
		}
		ended, err := t.holdUntilEnd(ctx, app)
		if err != nil || ended == "" {
			return err
		}
		fmt.Fprintln(s.Err, ended)
	}
}

// awaitServer waits until the driver of a server is ready, and returns it; nil if it is interrupted. app becomes the
// application as it is then. It returns an error if the server does not come by itself.
func awaitServer(ctx context.Context, c *client.Cluster, app *v1alpha1.SparkApplication, s cli.Streams) (driver *corev1.Pod, err error) {
	ctx, stop := cli.Interruptible(ctx)
	defer stop()
	told := ""
	err = c.FollowApplication(ctx, app.Name, app.UID, func(now *v1alpha1.SparkApplication) (bool, error) {
		stage, _ := status.StageOf(now.Status.Conditions)
		message := status.Summarize(now, s.Clock.Now()).Message
		switch {
		case stage == status.Running:
			*app = *now
			driver, err = c.RunningDriver(ctx, now)
			if err != nil || driver != nil && isReady(driver) {
				return true, err
			}
		case stage.Ended(), stage.Blocked(), stage == status.Suspended, stage == status.Idle:
			return true, fmt.Errorf("%s does not run: %s: %s", now.Name, stage, message)
		}
		if driver = nil; told != message {
			told = message
			fmt.Fprintf(s.Err, "Waiting for %s: %s\n", now.Name, message)
		}
		return false, nil
	})
	if ctx.Err() != nil {
		return nil, nil
	}
	return driver, err
}

// isReady reports whether a pod is ready.
func isReady(pod *corev1.Pod) bool {
	return slices.ContainsFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue
	})
}
