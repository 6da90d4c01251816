// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package install

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/cmd/sparkctl/internal/cli"
	"github.com/sparkgate/sparkgate/internal/tools/client"
	"github.com/sparkgate/sparkgate/internal/tools/printer"
)

const uninstallText = `Removes the finalizers that only the operator would remove, once the operator is gone, so that applications,
namespaces and CRDs can be deleted without hanging. It first shows what there is, and asks.

It removes sparkgate.io/finalizer from SparkApplications, and kueue.x-k8s.io/resource-in-use from the
Workloads that Sparkgate has created for them. Other finalizers, objects and pods are left alone: pods of jobs
continue to run, without timeouts and retries, and executors that wait for quota continue to wait, until their
application is deleted. Kubernetes' garbage collector then deletes them.`

// workloadFinalizer is Kueue's finalizer. The Kueue gate sets it on the Workloads that it creates.
const workloadFinalizer = "kueue.x-k8s.io/resource-in-use"

// installed are the objects of Sparkgate in a cluster.
type installed struct {
	// operator is the namespace of the operator.
	operator                                 string
	applications, schedules, queues, flavors []client.Object
	// pods are the pods of applications that have not ended, and operators the pods of the operator.
	pods, operators []client.Object
	// held maps each finalizer to the objects from which it has to be removed.
	held map[string][]client.Object
}

// uninstallFlags are the flags of uninstall.
type uninstallFlags struct {
	cluster     client.Options
	yes, dryRun bool
}

// newUninstall returns the command "sparkctl uninstall".
func newUninstall(s cli.Streams) *cobra.Command {
	var f uninstallFlags
	c := &cobra.Command{
		Use: "uninstall", Short: "Remove finalizers that nothing else removes once the operator is gone", Long: uninstallText,
		Example: "  sparkctl uninstall --dry-run\n  sparkctl uninstall --yes",
		Args:    cli.NoArguments,
		RunE:    func(c *cobra.Command, _ []string) error { return f.run(c.Context(), s) },
	}
	cli.AddClusterFlags(c, &f.cluster)
	f.cluster.AddOperatorFlag(c.Flags())
	c.Flags().BoolVar(&f.yes, "yes", false, "do not ask")
	c.Flags().BoolVar(&f.dryRun, "dry-run", false, "show what there is and what would be removed; change nothing")
	return c
}

func (f *uninstallFlags) run(ctx context.Context, s cli.Streams) error {
	c, err := client.Connect(f.cluster)
	if err != nil {
		return err
	}
	found, err := look(ctx, c, f.cluster.Operator)
	if err != nil {
		return err
	}
	if err := found.write(s.Out); err != nil {
		return err
	}
	switch {
	case len(found.operators) > 0:
		return found.operatorRuns()
	case found.finalizers() == 0 || f.dryRun:
		return nil
	case !f.yes:
		if err := confirm(s, found.finalizers()); err != nil {
			return err
		}
	}
	return found.removeFinalizers(ctx, c, s.Out)
}

// look reads the objects of Sparkgate.
func look(ctx context.Context, c *client.Cluster, operator string) (*installed, error) {
	found := &installed{operator: operator, held: map[string][]client.Object{}}
	var workloads []client.Object
	for _, list := range []struct {
		kind client.Kind
		into *[]client.Object
	}{
		{client.Applications, &found.applications},
		{client.Schedules, &found.schedules},
		{client.Queues, &found.queues},
		{client.Flavors, &found.flavors},
		{client.Workloads, &workloads},
	} {
		var err error
		if *list.into, err = client.ListAll[client.Object](ctx, c, list.kind, client.Selection{}); err != nil && !client.IsNotFound(err) { // it need not be installed
			return nil, fmt.Errorf("list %s: %w", list.kind.Resource, err)
		}
	}
	var err error
	const notEnded = "status.phase!=Succeeded,status.phase!=Failed"
	ofApplications := client.Selection{Labels: v1alpha1.ApplicationLabel, Fields: notEnded}
	if found.pods, err = client.ListAll[client.Object](ctx, c, client.Pods, ofApplications); err != nil {
		return nil, fmt.Errorf("list the pods of applications: %w", err)
	}
	ofOperator := client.Selection{Namespace: operator, Labels: client.OperatorLabel, Fields: notEnded}
	if found.operators, err = client.ListAll[client.Object](ctx, c, client.Pods, ofOperator); err != nil {
		return nil, fmt.Errorf("list the operator's pods: %w", err)
	}
	for _, o := range found.applications {
		if slices.Contains(o.Finalizers, v1alpha1.Finalizer) {
			found.held[v1alpha1.Finalizer] = append(found.held[v1alpha1.Finalizer], o)
		}
	}
	for _, o := range workloads {
		if slices.Contains(o.Finalizers, workloadFinalizer) && ofApplication(o) {
			found.held[workloadFinalizer] = append(found.held[workloadFinalizer], o)
		}
	}
	return found, nil
}

// ofApplication reports whether the object's controller is a SparkApplication.
func ofApplication(o client.Object) bool {
	for _, owner := range o.OwnerReferences {
		if owner.Controller != nil && *owner.Controller && owner.Kind == v1alpha1.SparkApplicationKind && strings.HasPrefix(owner.APIVersion, v1alpha1.Group+"/") {
			return true
		}
	}
	return false
}

// finalizers returns the number of finalizers to remove.
func (i *installed) finalizers() int {
	n := 0
	for _, objects := range i.held {
		n += len(objects)
	}
	return n
}

func (i *installed) write(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 3, ' ', 0)
	fmt.Fprintf(w, "SparkApplications\t%d\t%s\n", len(i.applications), stages(i.applications))
	fmt.Fprintf(w, "Pods of applications\t%d\tthat have not ended; they continue to run\n", len(i.pods))
	fmt.Fprintf(w, "ScheduledSparkApplications\t%d\n", len(i.schedules))
	fmt.Fprintf(w, "SparkQueues\t%d\n", len(i.queues))
	fmt.Fprintf(w, "SparkFlavors\t%d\n", len(i.flavors))
	fmt.Fprintf(w, "Finalizers to remove\t%d\t%s of SparkApplications\n", len(i.held[v1alpha1.Finalizer]), v1alpha1.Finalizer)
	if n := len(i.held[workloadFinalizer]); n > 0 {
		fmt.Fprintf(w, "\t%d\t%s of Workloads that Sparkgate has created\n", n, workloadFinalizer)
	}
	return w.Flush()
}

// stages returns the number of applications by stage, such as "2 Running, 1 Succeeded".
func stages(applications []client.Object) string {
	counts := map[string]int{}
	for _, o := range applications {
		stage := "without a status"
		if ready := meta.FindStatusCondition(o.Status.Conditions, v1alpha1.ReadyCondition); ready != nil {
			stage = ready.Reason
		}
		counts[stage]++
	}
	var words []string
	for _, stage := range slices.Sorted(maps.Keys(counts)) {
		words = append(words, fmt.Sprintf("%d %s", counts[stage], stage))
	}
	return strings.Join(words, ", ")
}

// operatorRuns returns the error for an operator that is still running: it would add the finalizers again and carry on.
func (i *installed) operatorRuns() error {
	return fmt.Errorf("the operator still runs: pod %s in namespace %s. While it does, it removes its finalizers itself: delete applications as usual. To go on without it, remove it "+
		"(helm uninstall sparkgate -n %s, or kubectl -n %s delete deployment sparkgate), then repeat this command", i.operators[0].Name, i.operator, i.operator, i.operator)
}

// confirm asks whether to continue. It returns an error unless the answer is yes.
func confirm(s cli.Streams, n int) error {
	fmt.Fprintf(s.Out, "\nRemove %s? [y/N] ", printer.Count(n, "finalizer"))
	line, err := bufio.NewReader(s.In).ReadString('\n')
	if answer := strings.ToLower(strings.TrimSpace(line)); answer == "y" || answer == "yes" {
		return nil
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	return errors.New("nothing was changed; answer y, or pass --yes")
}

// removeFinalizers removes the finalizers, and looks again: an operator that does not run in a pod would have restored
// them.
func (i *installed) removeFinalizers(ctx context.Context, c *client.Cluster, out io.Writer) error {
	var failed []error
	removed := 0
	for _, finalizer := range slices.Sorted(maps.Keys(i.held)) {
		kind := client.Applications
		if finalizer == workloadFinalizer {
			kind = client.Workloads
		}
		for j := range i.held[finalizer] {
			if err := client.RemoveFinalizer(ctx, c, kind, &i.held[finalizer][j], finalizer); err != nil {
				failed = append(failed, err)
				continue
			}
			removed++
		}
	}
	fmt.Fprintf(out, "removed %d of %s\n", removed, printer.Count(i.finalizers(), "finalizer"))
	if len(failed) > 0 {
		return errors.Join(failed...)
	}
	again, err := look(ctx, c, i.operator)
	if err != nil {
		return err
	}
	if n := again.finalizers(); n > 0 {
		return fmt.Errorf("a finalizer was put on again (%s): an operator still runs somewhere, perhaps outside of the namespace of --operator-namespace; stop it, then repeat this command", printer.Count(n, "object"))
	}
	fmt.Fprintln(out, "kubectl delete crd "+strings.Join(crds, " ")+"\ndeletes all applications, with their pods, and all queues.")
	return nil
}

// crds are the names of Sparkgate's CRDs.
var crds = []string{
	"sparkapplications.sparkgate.io", "scheduledsparkapplications.sparkgate.io", "sparkqueues.sparkgate.io", "sparkflavors.sparkgate.io",
}
