// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package applications

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/utils/clock"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/cmd/sparkctl/internal/cli"
	"github.com/sparkgate/sparkgate/internal/tools/client"
)

const deleteText = `Deletes applications. The operator first stops what runs and releases the quota; the command waits until the
applications are gone.`

// deletion are the flags of delete.
type deletion struct {
	several
	wait bool
	// hintAfter is how long the command waits before it says what it is waiting for.
	hintAfter time.Duration
}

// deletedWithin is how long the operator usually takes to stop a driver.
const deletedWithin = 30 * time.Second

// newDelete returns the command "sparkctl delete".
func newDelete(s cli.Streams) *cobra.Command {
	d := deletion{several: several{streams: s}, wait: true, hintAfter: deletedWithin}
	c := d.declare(&cobra.Command{
		SuggestFor: []string{"rm", "remove"},
		Use:        "delete NAME...", Short: "Delete applications", Long: deleteText,
		Example: "  sparkctl delete pi\n  sparkctl delete pi etl --wait=false\n  sparkctl delete --stage Failed,RetriesExceeded --yes",
	}, func(ctx context.Context, c *client.Cluster, names []string) error { return d.run(ctx, c, names, s) })
	c.Flags().BoolVar(&d.wait, "wait", true, "wait until they are gone")
	return c
}

// run deletes the applications. If some fail, it deletes the others and returns the joined errors.
func (d *deletion) run(ctx context.Context, c *client.Cluster, names []string, s cli.Streams) error {
	var failed []error
	var deleted []string
	for _, name := range names {
		comesBack, err := c.DeleteApplication(ctx, name)
		if err != nil {
			failed = append(failed, err)
			continue
		}
		s.Warn(cli.KindName+name, comesBack)
		deleted = append(deleted, name)
	}
	for _, name := range deleted {
		word := "is being deleted"
		if d.wait {
			word = "deleted"
			if err := d.untilGone(ctx, c, name, s.Err); err != nil {
				failed = append(failed, err)
				continue
			}
		}
		fmt.Fprintf(s.Out, "%s%s %s\n", cli.KindName, name, word)
	}
	return errors.Join(failed...)
}

// untilGone waits until an application that is being deleted is gone. It also returns if another application has the
// name by then.
func (d *deletion) untilGone(ctx context.Context, c *client.Cluster, name string, notes io.Writer) error {
	late := clock.RealClock{}.AfterFunc(d.hintAfter, func() {
		fmt.Fprintf(notes, "%s%s is still being deleted: the operator stops its pods first. Where no operator runs, "+
			"sparkctl uninstall removes what keeps it.\n", cli.KindName, name)
	})
	defer late.Stop()
	err := c.FollowApplication(ctx, name, "", func(app *v1alpha1.SparkApplication) (bool, error) { return app.DeletionTimestamp == nil, nil })
	if client.IsGone(err) || client.IsNotFound(err) {
		return nil
	}
	return err
}
