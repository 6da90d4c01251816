// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"time"
)

// options are the flags.
type options struct {
	kubectl   kubectl
	queues    string
	timeout   time.Duration
	manifests []string
}

func main() {
	var o options
	flag.StringVar(&o.kubectl.program, "kubectl", "kubectl", "program to talk to the cluster with")
	flag.StringVar(&o.kubectl.namespace, "namespace", "default", "namespace of the applications")
	flag.StringVar(&o.queues, "queues", "", "manifest with the queues, applied first")
	flag.DurationVar(&o.timeout, "timeout", 15*time.Minute, "how long to wait for the end of the applications")
	flag.Parse()
	o.manifests = flag.Args()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := o.run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

func (o options) run(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, o.timeout)
	defer cancel()
	apps, err := o.apply(ctx)
	if err != nil {
		return err
	}
	v := newView(os.Stdout, time.Now())
	if err := o.follow(ctx, v, apps); err != nil {
		return err
	}
	return o.conclude(ctx, v, apps)
}

// apply makes the queues and starts the applications afresh.
func (o options) apply(ctx context.Context) ([]*progress, error) {
	if o.queues != "" {
		fmt.Println("==> queues:", o.queues)
		if _, err := o.kubectl.run(ctx, "apply", "--filename", o.queues); err != nil {
			return nil, err
		}
	}
	var apps []*progress
	for _, m := range o.manifests {
		names, err := o.kubectl.names(ctx, m)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			apps = append(apps, &progress{name: name})
		}
		if _, err := o.kubectl.run(ctx, "delete", "--ignore-not-found", "--wait", "--timeout=2m", "--filename", m); err != nil {
			return nil, err
		}
	}
	fmt.Println("==> applications:", strings.Join(o.manifests, " "))
	for _, m := range o.manifests {
		if _, err := o.kubectl.run(ctx, "apply", "--filename", m); err != nil {
			return nil, err
		}
	}
	return apps, nil
}

// follow shows what happens until every application has ended.
func (o options) follow(ctx context.Context, v *view, apps []*progress) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	states := make(chan application)
	go o.kubectl.watch(ctx, states)
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for !ended(apps) {
		select {
		case a := <-states:
			take(v, apps, a)
		case now := <-tick.C:
			v.live(now, apps)
		case <-ctx.Done():
			v.erase()
			return fmt.Errorf("stopped waiting while %s; look with: bin/kubectl describe sgapp", summary(apps))
		}
	}
	return nil
}

func take(v *view, apps []*progress, a application) {
	if a.Metadata.DeletionTimestamp != "" {
		return
	}
	for _, p := range apps {
		if p.name != a.Metadata.Name {
			continue
		}
		for _, s := range p.update(a) {
			v.step(time.Now(), p.name, s)
		}
	}
}

func ended(apps []*progress) bool {
	for _, p := range apps {
		if !p.reached.final() {
			return false
		}
	}
	return true
}

// conclude prints the result of each application, and what to do next.
func (o options) conclude(ctx context.Context, v *view, apps []*progress) error {
	var failures []error
	v.say("==> results, from the drivers' logs")
	for _, p := range apps {
		text, err := o.result(ctx, p)
		if err != nil {
			failures = append(failures, fmt.Errorf("%s: %w", p.name, err))
			continue
		}
		v.say("%-12s %s", p.name, text)
	}
	if err := errors.Join(failures...); err != nil {
		return err
	}
	v.say("%s\n%s", next, removal(os.Getenv("DEMO_KUBECONFIG")))
	return nil
}

func (o options) result(ctx context.Context, p *progress) (string, error) {
	if p.reached != succeeded {
		return "", fmt.Errorf("%s; see: bin/kubectl describe sgapp %s", p.reached, p.name)
	}
	log, err := o.kubectl.run(ctx, "logs", p.last.Status.Driver.PodName)
	if err != nil {
		return "", err
	}
	line := resultLine(log)
	if line == "" {
		return "", fmt.Errorf("no result in the log; see: bin/kubectl logs %s", p.last.Status.Driver.PodName)
	}
	return line, nil
}

// next is what to type after the demo.
const next = `
The cluster is still there. Try:

  bin/kubectl get sgapp,sgq                        what ran, and the queues
  bin/kubectl describe sgapp pi                    its stages and the reason of each
  bin/kubectl get sgapp -w                         watch, while in another terminal you
  bin/kubectl patch sgapp pi --type merge -p '{"spec":{"runID":"again"}}'
  make demo                                        once more, in seconds`

// removal returns how to get rid of it all; a cluster of the user's own stays.
func removal(kubeconfig string) string {
	if kubeconfig == "" {
		return "  make cluster-down                                remove everything"
	}
	return "  bin/kubectl delete sgapp --all --all-namespaces && bin/kubectl delete -k config/demo\n" +
		"                                                   remove everything (with DEMO_KUBECONFIG exported)"
}
