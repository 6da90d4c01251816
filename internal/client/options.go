// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package client

import (
	"github.com/spf13/pflag"
	"k8s.io/client-go/tools/clientcmd"
)

// operatorNamespace is where the operator is installed by default.
const operatorNamespace = "sparkgate-system"

// Options say which cluster is meant, by the flags of kubectl.
type Options struct {
	// Operator is the namespace of the operator.
	Operator string

	// kubeconfig is a file; empty is $KUBECONFIG, else ~/.kube/config, else the cluster that the process runs in.
	kubeconfig string
	// overrides of what the kubeconfig says.
	overrides clientcmd.ConfigOverrides
}

// shownFlags are the flags of kubectl that help lists with every command. The others work as well.
var shownFlags = map[string]string{
	clientcmd.FlagNamespace: "the namespace (default: that of the kubeconfig's context)",
	clientcmd.FlagContext:   "the context of the kubeconfig (default: its current one)",
}

// AddFlags declares the flags of kubectl that say which cluster, user and namespace are meant.
func (o *Options) AddFlags(flags *pflag.FlagSet) {
	flags.StringVar(&o.kubeconfig, clientcmd.RecommendedConfigPathFlag, "", "the kubeconfig file (default: $KUBECONFIG, else ~/.kube/config, else the cluster that this runs in)")
	connection := pflag.NewFlagSet("", pflag.ContinueOnError)
	named := clientcmd.RecommendedConfigOverrideFlags("")
	named.ClusterOverrideFlags.APIServer.ShortName = "s"
	clientcmd.BindOverrideFlags(&o.overrides, connection, named)
	connection.VisitAll(func(f *pflag.Flag) {
		usage, shown := shownFlags[f.Name]
		if f.Hidden = !shown; shown {
			f.Usage = usage
		}
		flags.AddFlag(f)
	})
}

// AddOperatorFlag declares the flag that says where the operator is.
func (o *Options) AddOperatorFlag(flags *pflag.FlagSet) {
	flags.StringVar(&o.Operator, "operator-namespace", operatorNamespace, "the namespace in which the operator is installed")
}

// Namespace is the one of the flag; empty if there was none.
func (o *Options) Namespace() string { return o.overrides.Context.Namespace }

// loader reads the kubeconfig.
func (o *Options) loader() clientcmd.ClientConfig {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = o.kubeconfig
	return clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &o.overrides)
}
