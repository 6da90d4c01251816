// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package client

import (
	"maps"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/sparkgate/sparkgate/internal/base/nearest"
)

// operatorNamespace is the namespace in which the operator is installed by default.
const operatorNamespace = "sparkgate-system"

// Options select the cluster, by the flags of kubectl.
type Options struct {
	// Operator is the namespace of the operator.
	Operator string
	// Command is the name of the command that connects, such as suspend, so that errors can name the right one; may be
	// empty.
	Command string

	// kubeconfig is a file; if empty, it is $KUBECONFIG, else ~/.kube/config, else the cluster in which the process
	// runs.
	kubeconfig string
	// overrides are the flags that override the kubeconfig.
	overrides clientcmd.ConfigOverrides
}

// shownFlags are kubectl's flags that the help of every command lists, with their descriptions. The other flags are
// accepted but hidden.
var shownFlags = map[string]string{
	clientcmd.FlagNamespace: "the namespace (default: that of the kubeconfig's context)",
	clientcmd.FlagContext:   "the context of the kubeconfig (default: its current one)",
}

// AddFlags declares the flags of kubectl that select cluster, user and namespace.
func (o *Options) AddFlags(flags *pflag.FlagSet) {
	flags.StringVar(&o.kubeconfig, clientcmd.RecommendedConfigPathFlag, "", "the kubeconfig file (default: $KUBECONFIG, otherwise ~/.kube/config, otherwise the cluster in which this runs)")
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

// AddOperatorFlag declares the flag for the namespace of the operator.
func (o *Options) AddOperatorFlag(flags *pflag.FlagSet) {
	flags.StringVar(&o.Operator, "operator-namespace", operatorNamespace, "the namespace in which the operator is installed")
}

// Namespace returns the value of the flag --namespace; empty if it was not given.
func (o *Options) Namespace() string { return o.overrides.Context.Namespace }

// loader returns a loader of the kubeconfig.
func (o *Options) loader() clientcmd.ClientConfig {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = o.kubeconfig
	return clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &o.overrides)
}

// maxContextsNamed is how many contexts an error message lists.
const maxContextsNamed = 10

// contextsThere returns the end of an error message if the named context does not exist: a similar name, or those that
// exist. Otherwise it is empty.
func (o *Options) contextsThere() string {
	named, there := o.overrides.CurrentContext, o.Contexts()
	if named == "" || len(there) == 0 || slices.Contains(there, named) {
		return ""
	}
	if meant := nearest.To(named, there); meant != "" {
		return ": did you mean " + meant + "?"
	}
	more := ""
	if len(there) > maxContextsNamed {
		there, more = there[:maxContextsNamed], ", …"
	}
	return "; there are " + strings.Join(there, ", ") + more
}

// Contexts returns the names of the contexts of the kubeconfig.
func (o *Options) Contexts() []string {
	config, err := o.loader().RawConfig()
	if err != nil {
		return nil
	}
	return slices.Sorted(maps.Keys(config.Contexts))
}
