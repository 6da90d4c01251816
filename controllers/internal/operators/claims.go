// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package operators

import (
	"context"
	"time"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// yield is how old an application must be before an operator that does not lead its queue takes it, so that the
// operator that leads the queue can take it first.
const yield = 5 * time.Second

// Queues is what a leader's embedded queue knows about who leads which queues.
type Queues interface {
	// Serves reports whether this leader decides on a queue.
	Serves(queue string) bool
	// LedBy returns the other operator that leads the tree of a queue, or the empty string if none is known.
	LedBy(queue string) string
}

// Claims determines which applications this operator, rather than another one, decides on. A nil Claims decides on all
// of them.
type Claims struct {
	*Operators
	Queues Queues
	// Selective is true if there may be queues that this operator does not see.
	Selective bool
	// QueueOf returns the queue of an application's grant, or else the queue that it would ask, and whether the
	// embedded queue decides there.
	QueueOf func(context.Context, *v1alpha1.SparkApplication) (queue string, embedded bool, err error)
}

// Name returns the name of this operator, or the empty string if it has none.
func (c *Claims) Name() string {
	if c == nil {
		return ""
	}
	return c.Operators.Name()
}

// Decides reports whether this operator decides on an application. If the answer may change with time, after is the
// pause until the next call; else it is 0.
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

// takes reports whether this operator takes an application that no other operator holds, in a queue that it does not
// serve. It waits for yield if another operator may lead the queue, and if an operator had taken the application before
// and counts as gone, because that one may have restarted since its lease was read.
func (c *Claims) takes(app *v1alpha1.SparkApplication, queue string) (now bool, after time.Duration) {
	if app.Status.Operator == "" && !c.elsewhere(queue) {
		return true, 0
	}
	young := yield - c.o.Clock.Since(app.CreationTimestamp.Time)
	return young <= 0, max(young, 0)
}

// elsewhere reports whether another operator may lead a queue that this one does not serve.
func (c *Claims) elsewhere(queue string) bool { return c.Selective || c.Queues.LedBy(queue) != "" }

// Contested reports whether it is a mistake that another operator decides on an application: this operator manages the
// same namespace, and no queue selector separates the two.
func (c *Claims) Contested(ctx context.Context, app *v1alpha1.SparkApplication) bool {
	if c == nil || app.Status.Times.Finished != nil || app.Status.Operator == "" || app.Status.OtherOperator != "" || !c.Other(ctx, app.Status.Operator) {
		return false
	}
	queue, embedded, err := c.QueueOf(ctx, app)
	hidden := embedded && c.Selective && !c.Queues.Serves(queue) && c.Queues.LedBy(queue) == ""
	return err == nil && !hidden
}
