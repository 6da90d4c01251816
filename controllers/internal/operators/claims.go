// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package operators

import (
	"context"
	"time"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// yield is how old an application has to be before an operator that does not lead its queue takes it: the one that leads the
// queue comes first.
const yield = 5 * time.Second

// Queues is what the embedded queue of a leader knows of who leads queues.
type Queues interface {
	// Serves reports whether this leader decides on what is in a queue.
	Serves(queue string) bool
	// LedBy returns the other operator that leads the tree of a queue; empty if none is known.
	LedBy(queue string) string
}

// Claims says which applications a leader decides on, as far as other operators are concerned. A nil one decides on all.
type Claims struct {
	*Operators
	Queues Queues
	// Selective says that there may be queues that this operator does not see.
	Selective bool
	// QueueOf returns the queue of the grant of an application, else the one that it would ask, and whether the embedded
	// queue decides there.
	QueueOf func(context.Context, *v1alpha1.SparkApplication) (queue string, embedded bool, err error)
}

// Name of this operator; empty if it has none.
func (c *Claims) Name() string {
	if c == nil {
		return ""
	}
	return c.Operators.Name()
}

// Decides reports whether this operator decides on an application. after is the pause before the next call, if the answer may
// change with time; else 0.
func (c *Claims) Decides(ctx context.Context, app *v1alpha1.SparkApplication) (mine bool, after time.Duration, err error) {
	if c == nil || app.Status.Operator == c.Name() {
		return true, 0, nil
	}
	queue, embedded, err := c.QueueOf(ctx, app)
	if err != nil {
		return false, 0, err
	}
	holds, serves := app.Status.Grant != nil, embedded && c.Queues.Serves(queue)
	switch {
	case c.Other(ctx, app.Status.Operator):
		return serves && !holds, 0, nil
	case serves || !embedded:
		return true, 0, nil
	case holds:
		return c.Queues.LedBy(queue) == "", 0, nil
	}
	mine, after = c.takes(app, queue)
	return mine, after, nil
}

// takes reports whether this operator takes an application that no other one holds, in a queue that it does not serve. An operator that
// has taken it before and counts as gone may have restarted since its lease was read.
func (c *Claims) takes(app *v1alpha1.SparkApplication, queue string) (now bool, after time.Duration) {
	if app.Status.Operator == "" && !c.elsewhere(queue) {
		return true, 0
	}
	young := yield - c.o.Clock.Since(app.CreationTimestamp.Time)
	return young <= 0, max(young, 0)
}

// elsewhere reports whether another operator may lead a queue that this one does not serve.
func (c *Claims) elsewhere(queue string) bool { return c.Selective || c.Queues.LedBy(queue) != "" }

// Contested reports whether it is a mistake that another operator decides on an application: this one deals with the same
// namespace, and no selector of queues says that it should not.
func (c *Claims) Contested(ctx context.Context, app *v1alpha1.SparkApplication) bool {
	if c == nil || app.Status.Times.Finished != nil || app.Status.Operator == "" || app.Status.OtherOperator != "" || !c.Other(ctx, app.Status.Operator) {
		return false
	}
	queue, embedded, err := c.QueueOf(ctx, app)
	hidden := embedded && c.Selective && !c.Queues.Serves(queue) && c.Queues.LedBy(queue) == ""
	return err == nil && !hidden
}
