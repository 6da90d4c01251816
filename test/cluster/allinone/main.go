// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	_ "time/tzdata" // the API server validates the time zones of CronJobs

	"github.com/coredns/coredns/core/dnsserver"
	"github.com/coredns/coredns/coremain"
	_ "github.com/coredns/coredns/plugin/cache"
	_ "github.com/coredns/coredns/plugin/errors"
	_ "github.com/coredns/coredns/plugin/health"
	_ "github.com/coredns/coredns/plugin/kubernetes"
	_ "github.com/coredns/coredns/plugin/ready"
	"github.com/spf13/cobra"
	"go.etcd.io/etcd/server/v3/etcdmain"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	kubectl "k8s.io/kubectl/pkg/cmd"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllermanager "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	proxy "k8s.io/kubernetes/cmd/kube-proxy/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
	kubelet "k8s.io/kubernetes/cmd/kubelet/app"
)

// components maps the first argument to what it runs. Each function gets the
// remaining arguments by os.Args and returns the exit code.
var components = map[string]func() int{
	"coredns":                 runCoreDNS,
	"etcd":                    runEtcd,
	"kube-apiserver":          cobraComponent(apiserver.NewAPIServerCommand),
	"kube-controller-manager": cobraComponent(controllermanager.NewControllerManagerCommand),
	"kube-proxy":              cobraComponent(proxy.NewProxyCommand),
	"kube-scheduler":          cobraComponent(func() *cobra.Command { return scheduler.NewSchedulerCommand() }),
	"kubectl":                 runKubectl,
	"kubelet":                 cobraComponent(func() *cobra.Command { return kubelet.NewKubeletCommand(context.Background()) }),
}

func main() {
	args := componentArgs(os.Args)
	run := components[first(args)]
	if run == nil {
		fmt.Fprintf(os.Stderr, "usage: %s COMPONENT [ARGUMENT...]\ncomponents: %s\n",
			filepath.Base(os.Args[0]), strings.Join(componentNames(), " "))
		os.Exit(2)
	}
	os.Args = args
	os.Exit(run())
}

// componentArgs returns the arguments as the component is to see them, its
// own name first. A link named like a component works as that component.
func componentArgs(args []string) []string {
	if components[filepath.Base(args[0])] != nil {
		return append([]string{filepath.Base(args[0])}, args[1:]...)
	}
	return args[1:]
}

func first(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return args[0]
}

func componentNames() []string {
	names := make([]string, 0, len(components))
	for name := range components {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func cobraComponent(newCommand func() *cobra.Command) func() int {
	return func() int {
		hideCoreDNSFlags()
		return cli.Run(newCommand())
	}
}

func runKubectl() int {
	hideCoreDNSFlags()
	command := kubectl.NewDefaultKubectlCommand()
	if err := cli.RunNoErrOutput(command); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		return 1
	}
	return 0
}

// runEtcd does not return on success: etcd's main waits for a signal and exits.
func runEtcd() int {
	etcdmain.Main(os.Args)
	return 0
}

// runCoreDNS serves with the five plugins that this cluster needs; their order
// is the order in which a query passes through them.
func runCoreDNS() int {
	dnsserver.Directives = []string{"errors", "health", "ready", "cache", "kubernetes"}
	coremain.Run()
	return 0
}

// coreDNSFlags are the names that CoreDNS and Caddy put on the process-wide
// flag set when their packages are linked in.
var coreDNSFlags = []string{"conf", "dns.port", "p", "pidfile", "plugins", "quiet", "version"}

// hideCoreDNSFlags takes CoreDNS's flags off the process-wide flag set, which
// the Kubernetes components adopt as their own: with two flags named "version"
// `kube-proxy --version` would not print its version.
func hideCoreDNSFlags() {
	all := flag.CommandLine
	kept := flag.NewFlagSet(os.Args[0], flag.ExitOnError)
	all.VisitAll(func(f *flag.Flag) {
		if !slices.Contains(coreDNSFlags, f.Name) {
			kept.Var(f.Value, f.Name, f.Usage)
		}
	})
	flag.CommandLine = kept
}
