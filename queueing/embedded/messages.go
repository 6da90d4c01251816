// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"fmt"
	"strings"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/amounts"
	"github.com/sparkgate/sparkgate/queueing/embedded/config"
	"github.com/sparkgate/sparkgate/queueing/quota"
)

// maxNamesListed is how many names a message lists.
const maxNamesListed = 5

// named returns a queue in words for an asker of the queue of, which is the same queue or one below it.
func named(q, of *queue) string {
	if q == of {
		return "queue " + q.name
	}
	return fmt.Sprintf("queue %s, above %s,", q.name, of.name)
}

// stopText says that queue q is stopped, and how, for an asker of the queue of.
func stopText(q, of *queue) string {
	how := "held"
	if q.config.Stop == config.StopHoldAndDrain {
		how = "drained"
	}
	return fmt.Sprintf("%s is %s (stopPolicy %s)", named(q, of), how, q.config.Stop)
}

// needsText says what is needed and not available.
func needsText(class *equivalenceClass, b quota.Block) string {
	least := ""
	if class.signature.elastic >= 0 {
		least = "at least "
	}
	return fmt.Sprintf("needs %s%s %s of flavor %s", least, b.Cell.Resource, amountText(b.Cell.Resource, b.Need), b.Cell.Flavor)
}

// limitText returns a limit with its parts.
func limitText(resource string, most int64, limit quota.Limit, pool bool) string {
	children := ""
	if pool {
		children = " with what its children lend"
	}
	return fmt.Sprintf("%s (nominal %s%s, borrowing %s)", amountText(resource, most), amountText(resource, limit.Nominal), children,
		amountText(resource, limit.Borrowing))
}

// negativeAsk returns the verdict on asks with a negative amount. Users cannot create such asks, so the operator has
// misread or miscalculated an amount.
func negativeAsk(s *signature) queueing.Verdict {
	return queueing.Verdict{State: queueing.Refused, Reason: queueing.ReasonExceedsQuota, Message: fmt.Sprintf(
		"the request is invalid, %s is negative: this is a bug in the operator, please report it", s.broken)}
}

// notFoundWithin returns the verdict on asks with so many pod sets and flavors that the search stopped early.
func notFoundWithin(class *equivalenceClass, steps int) queueing.Verdict {
	return queueing.Verdict{State: queueing.Waiting, Reason: queueing.ReasonFlavorMismatch, Message: fmt.Sprintf(
		"no placement of the %d pod sets in the flavors of queue %s was found within %d steps; there may be one: name fewer flavors for each pod set",
		len(class.signature.podSets), class.queue.name, steps)}
}

// unusable returns the verdict on asks for a queue that cannot admit anything until its configuration is corrected.
func unusable(message string) queueing.Verdict {
	return queueing.Verdict{State: queueing.Waiting, Reason: queueing.ReasonReferenceNotFound, Message: message}
}

// NoQuota is the problem of queues in a tree that has no quota and whose root is not unlimited. The other problems are
// defined in package quota.
const NoQuota = "NoQuota"

// noQuota returns the message for a queue with the problem NoQuota.
func noQuota(q *queue) string {
	if top := q.root(); top != q {
		return fmt.Sprintf("queue %s admits nothing: neither it nor another queue of its tree has a quota, and its root %s is not unlimited", q.name, top.name)
	}
	return fmt.Sprintf("queue %s admits nothing: it has no quota and is not unlimited", q.name)
}

func notLeaf(queue string, leaves []string) queueing.Verdict {
	return unusable(fmt.Sprintf("queue %s admits nothing itself; submit to one of its leaf queues: %s", queue, list(leaves)))
}

func notAllowed(q *queue) queueing.Verdict {
	v := queueing.Verdict{State: queueing.Waiting, Reason: queueing.ReasonNamespaceNotAllowed}
	if q.config.Admits == nil && q.config.SelectorText != "" {
		v.Message = fmt.Sprintf("queue %s admits no namespace: its namespaceSelector is invalid", q.name)
		return v
	}
	if q.config.Admits == nil {
		v.Message = fmt.Sprintf("queue %s admits no namespace: it has no namespaceSelector", q.name)
		return v
	}
	v.Message = fmt.Sprintf("queue %s admits namespaces with %s; the labels of this namespace do not match", q.name, q.config.SelectorText)
	return v
}

// limitsNeeded returns the verdict on asks that may not use a queue without limits.
func limitsNeeded(q *queue) queueing.Verdict {
	return queueing.Verdict{State: queueing.Waiting, Reason: queueing.ReasonNamespaceNotAllowed, Message: fmt.Sprintf(
		"queue %s has no limits, and a guarded namespace needs an administrator's permission for such a queue: use a queue with quotas, or ask an "+
			"administrator to add queue %s to the namespace's allowed queues or to name the namespace in the queue's namespaceSelector", q.name, q.name)}
}

// behindOwnGrant returns the verdict on an ask of an asker that still holds the grant of another attempt.
func behindOwnGrant(g queueing.Grant) queueing.Verdict {
	return queueing.Verdict{State: queueing.Waiting, Reason: queueing.ReasonWaitingForQuota,
		Message: fmt.Sprintf("waiting for run %d attempt %d to release its grant", g.Run, g.Attempt)}
}

// list joins the first names, and says how many more there are.
func list(names []string) string {
	if len(names) <= maxNamesListed {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:maxNamesListed], ", "), len(names)-maxNamesListed)
}

// amountText returns an amount as text for messages.
func amountText(name string, amount int64) string {
	if amount == quota.Unlimited {
		return "without limit"
	}
	q := amounts.Quantity(name, amount)
	return q.String()
}
