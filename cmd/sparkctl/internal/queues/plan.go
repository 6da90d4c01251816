// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package queues

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/cmd/sparkctl/internal/cli"
	"github.com/sparkgate/sparkgate/internal/tools/client"
	"github.com/sparkgate/sparkgate/internal/tools/client/live"
	"github.com/sparkgate/sparkgate/internal/tools/offline"
	"github.com/sparkgate/sparkgate/internal/tools/printer"
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/catalog"
)

const planText = `Says what would happen at once if the manifests in FILE were applied, without applying anything: which
applications would be admitted, which would wait and for what, which can never start, and which others a
change of queues or applications would preempt. It reads the queues, flavors and applications of the cluster,
and decides with the operator's engine, from what the status of the applications says.

Objects that the files do not name are not deleted, unless --prune is set: then those that --selector selects
are deleted, as Flux and Argo CD do with what they have applied. Pods of guarded namespaces that belong to no
SparkApplication count as they do for the operator.

Time does not pass in a plan: running applications continue to run. Properties in ConfigMaps and Secrets are
not known. For runs that are still to come, because they belong to a schedule or follow the current run, it
says whether they can be admitted at all.

The exit code is 3 if anything in --fail-on would happen: a check for pull requests.`

// Values of --fail-on.
const (
	onRefused    = "refused"
	onWaiting    = "waiting"
	onPreemption = "preemption"
	onDeletion   = "deletion"
)

// failures are the values of --fail-on.
var failures = []string{onRefused, onWaiting, onPreemption, onDeletion}

// planFlags are the flags of plan.
type planFlags struct {
	cluster client.Options
	files   cli.FileNames
	failOn  []string
	gate    string
	output  string
	// prune makes the plan delete the objects that selector selects and the files do not name.
	prune    bool
	selector string
}

// newPlan returns the command "sparkctl plan".
func newPlan(s cli.Streams) *cobra.Command {
	var f planFlags
	c := &cobra.Command{
		SuggestFor: []string{"diff"},
		Use:        "plan -f FILE", Short: "Say what a change of manifests would do to queues and jobs", Long: planText, Args: cli.NoArguments,
		Example: "  sparkctl plan -f jobs/\n  kustomize build overlays/prod | sparkctl plan -f - --fail-on refused,preemption\n" +
			"  sparkctl plan -f jobs/ --prune -l kustomize.toolkit.fluxcd.io/name=jobs",
		RunE: func(c *cobra.Command, _ []string) error { return f.run(c.Context(), s) },
	}
	cli.AddClusterFlags(c, &f.cluster)
	f.files.Declare(c.Flags())
	c.Flags().StringSliceVar(&f.failOn, "fail-on", []string{onRefused}, "what makes the exit code 3: any of refused, waiting, preemption, deletion (of a job that runs or waits); empty for nothing")
	c.Flags().BoolVar(&f.prune, "prune", false, "assume that what --selector selects and the files do not name is deleted")
	c.Flags().StringVarP(&f.selector, "selector", "l", "", "the `LABELS` of what --prune may delete, such as kustomize.toolkit.fluxcd.io/name=jobs")
	c.Flags().StringVar(&f.gate, "default-gate", string(v1alpha1.GateEmbedded), "the `GATE` of the operator's flag of the same name")
	cli.AddOutputFlag(c, &f.output, "table", "json", "yaml")
	cli.CompleteFlag(c, "default-gate", cobra.FixedCompletions(gateNames(), cobra.ShellCompDirectiveNoFileComp))
	cli.CompleteFlag(c, "fail-on", cobra.FixedCompletions(failures, cobra.ShellCompDirectiveNoFileComp))
	return c
}

func (f *planFlags) run(ctx context.Context, s cli.Streams) error {
	options, err := f.options()
	if err != nil {
		return err
	}
	files, err := f.files.Read(s.In)
	if err != nil {
		return err
	}
	c, err := client.Connect(f.cluster)
	if err != nil {
		return err
	}
	state, without, err := live.Read(ctx, c, live.Options{Now: s.Clock.Now(), Schedules: f.prune, DefaultGate: v1alpha1.GateType(f.gate)})
	if err != nil {
		return err
	}
	for _, note := range without {
		fmt.Fprintln(s.Err, note)
	}
	options.Namespace, options.Applied = c.Namespace, applied(ctx, c, s)
	plan, err := offline.NewPlan(state, files, options)
	if err != nil {
		return fmt.Errorf("the files have errors:\n%w", err)
	}
	for _, warning := range plan.Warnings {
		fmt.Fprintln(s.Err, warning)
	}
	if err := f.print(plan, s); err != nil {
		return err
	}
	return f.verdict(plan)
}

// applied returns a function for what objects become if manifests are applied to them. If that cannot be found out, they
// become the manifests, and a note says so.
func applied(ctx context.Context, c *client.Cluster, s cli.Streams) func(kind, namespace, name string, manifest []byte) []byte {
	kinds := map[string]client.Kind{
		v1alpha1.SparkApplicationKind: client.Applications, v1alpha1.ScheduledSparkApplicationKind: client.Schedules,
		v1alpha1.SparkQueueKind: client.Queues, v1alpha1.SparkFlavorKind: client.Flavors,
	}
	return func(kind, namespace, name string, manifest []byte) []byte {
		of, known := kinds[kind]
		if !known {
			return manifest
		}
		in := *c
		in.Namespace = namespace
		result, err := client.Applied(ctx, &in, of, name, manifest)
		if err != nil {
			fmt.Fprintf(s.Err, "The plan replaces %s %s, though applying it keeps what others have set: %v\n", kind, name, err)
			return manifest
		}
		return result
	}
}

// gateNames returns the gates that can be the default of an operator.
func gateNames() []string {
	var names []string
	for _, gate := range catalog.Names(func(queueing.Capabilities) bool { return true }) {
		names = append(names, string(gate))
	}
	return names
}

// options validates the flags.
func (f *planFlags) options() (offline.PlanOptions, error) {
	for _, what := range f.failOn {
		if !slices.Contains(failures, what) {
			return offline.PlanOptions{}, cli.UsageErrorf("--fail-on has %q%s; set it to some of %s", what, cli.DidYouMean(what, failures), strings.Join(failures, ", "))
		}
	}
	if gates := gateNames(); !slices.Contains(gates, f.gate) {
		return offline.PlanOptions{}, cli.UsageErrorf("--default-gate: unknown gate %q%s; gates are %s", f.gate, cli.DidYouMean(f.gate, gates), strings.Join(gates, ", "))
	}
	if f.prune != (f.selector != "") {
		return offline.PlanOptions{}, cli.UsageErrorf("--prune and --selector go together: say with --selector which objects would be deleted " +
			"if the files do not name them, such as -l kustomize.toolkit.fluxcd.io/name=jobs")
	}
	if !f.prune {
		return offline.PlanOptions{}, nil
	}
	selector, err := labels.Parse(f.selector)
	if err != nil {
		return offline.PlanOptions{}, cli.UsageErrorf("--selector: value %q: %w", f.selector, err)
	}
	return offline.PlanOptions{Prune: selector}, nil
}

func (f *planFlags) print(plan offline.Plan, s cli.Streams) error {
	if f.output != "table" {
		return cli.WriteObject(s.Out, f.output, map[string]any{
			"queues": nonNil(plan.Queues), "flavors": nonNil(plan.Flavors), "deletedQueues": nonNil(plan.DeletedQueues),
			"deletedFlavors": nonNil(plan.DeletedFlavors), "effects": nonNil(plan.Effects),
		})
	}
	return printer.WritePlan(s.Out, plan, s.Width())
}

// nonNil replaces nil with an empty list, so that JSON has [] instead of null.
func nonNil[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// verdict returns an error if the plan has an effect listed by --fail-on.
func (f *planFlags) verdict(plan offline.Plan) error {
	happens := map[string]int{}
	for _, e := range plan.Effects {
		if e.Change == offline.Deleted && e.Before != offline.Absent {
			happens[onDeletion]++
		}
		if e.Reason == offline.ExecutorsReclaimed {
			happens[onPreemption]++
		}
		switch e.After {
		case offline.Refused:
			happens[onRefused]++
		case offline.Waiting:
			happens[onWaiting]++
		case offline.Preempted:
			happens[onPreemption]++
		}
	}
	for _, what := range f.failOn {
		if n := happens[what]; n > 0 {
			return cli.WithExitCode(cli.ExitPlan, fmt.Errorf("the plan has %d of what --fail-on names: %s", n, what))
		}
	}
	return nil
}
