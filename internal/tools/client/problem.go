// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package client

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/base/nearest"
)

// problem is an error of the API server with a message that names the remedy. It wraps the original error.
type problem struct {
	text  string
	cause error
}

func (p *problem) Error() string { return p.text }
func (p *problem) Unwrap() error { return p.cause }

// action is what was tried, for error messages.
type action struct {
	verb, resource, namespace, name string
}

// explain turns an error of a request into one whose message says what to do about it.
func (c *Cluster) explain(ctx context.Context, err error, a action) error {
	var unreachable *url.Error
	var text string
	switch {
	case err == nil:
		return nil
	case errors.Is(err, context.Canceled):
		return err
	case apierrors.IsUnauthorized(err):
		text = fmt.Sprintf("the API server at %s does not accept your credentials: the token may have expired; log in again, or choose another context with --context", c.config.Host)
	case apierrors.IsForbidden(err):
		text = fmt.Sprintf("you may not %s %s%s: ask for a role with that verb on that resource (%s)", a.verb, a.resource, a.in(), firstLine(err))
	case apierrors.IsNotFound(err) && noSuchKind(err):
		text = fmt.Sprintf("the cluster at %s does not serve %s: install Sparkgate there, or choose another context with --context", c.config.Host, a.resource)
	case apierrors.IsNotFound(err) && a.name != "":
		text = fmt.Sprintf("%s %s not found%s%s", strings.TrimSuffix(a.resource, "s"), a.name, a.in(), didYouMean(ctx, c, a))
	case errors.As(err, &unreachable):
		text = fmt.Sprintf("the cluster at %s does not answer: %v; start it, or choose another one with --context or --kubeconfig", c.config.Host, unreachable.Err)
	default:
		text = fmt.Sprintf("%s %s%s: %v", a.verb, a.resource, a.in(), err)
	}
	return &problem{text, err}
}

// IsPassing reports whether err means that the API server does not answer for now, so that the same request may succeed
// in a moment.
func IsPassing(err error) bool {
	var unreachable *url.Error
	return errors.As(err, &unreachable) && !errors.Is(err, context.Canceled) || apierrors.IsServiceUnavailable(err) || apierrors.IsTooManyRequests(err) ||
		apierrors.IsServerTimeout(err) || apierrors.IsTimeout(err) || apierrors.IsUnauthorized(err)
}

// allNamespaces is the namespace of an action on all namespaces.
const allNamespaces = "*"

// in returns " in namespace x" or " in all namespaces", or nothing for kinds without a namespace.
func (a action) in() string {
	switch a.namespace {
	case "":
		return ""
	case allNamespaces:
		return " in all namespaces"
	}
	return " in namespace " + a.namespace
}

// noSuchKind reports whether a not-found error means that the API server does not know the resource, rather than the
// object.
func noSuchKind(err error) bool {
	var status apierrors.APIStatus
	return errors.As(err, &status) && (status.Status().Details == nil || status.Status().Details.Name == "")
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}

// didYouMean returns the end of a not-found message: a similar name that exists, or which other kind has an object of
// that name.
func didYouMean(ctx context.Context, c *Cluster, a action) string {
	for _, kind := range []Kind{Applications, Schedules, Queues} {
		if kind.Resource != a.resource {
			continue
		}
		switch {
		case kind == Applications && has(ctx, c, Schedules, a.name):
			return fmt.Sprintf(": it is a schedule: %s, sparkctl list -n %s -l %s=%s lists its applications",
				instead(ofSchedules, c.command, a), a.namespace, v1alpha1.ScheduleLabel, a.name)
		case kind == Schedules && has(ctx, c, Applications, a.name):
			return ": it is an application: " + instead(ofApplications, c.command, a)
		}
		names, err := c.Names(ctx, kind)
		if meant := nearest.To(a.name, names); err == nil && meant != "" {
			return fmt.Sprintf(": did you mean %s?", meant)
		}
		if kind.Namespaced {
			return ": -n names another namespace"
		}
	}
	return ""
}

// ofSchedules and ofApplications are what to run on the one kind, by the command that was run on the other. The empty name
// is for all other commands. %s is the object.
var (
	ofSchedules = map[string]string{
		"suspend": "sparkctl schedule suspend %s stops it", "resume": "sparkctl schedule resume %s continues it", "rerun": "sparkctl schedule run %s runs it now",
		"delete": "kubectl delete scheduledsparkapplication %s deletes it", "": "sparkctl schedule next %s shows it",
	}
	ofApplications = map[string]string{
		"suspend": "sparkctl suspend %s stops its run", "resume": "sparkctl resume %s continues its run", "run": "sparkctl rerun %s runs it again",
		"": "sparkctl get %s shows it",
	}
)

// instead returns the command to run on the object instead of the named one.
func instead(commands map[string]string, command string, a action) string {
	text, known := commands[command]
	if !known {
		text = commands[""]
	}
	return fmt.Sprintf(text, a.name+" -n "+a.namespace)
}

// has reports whether the namespace has an object of a kind with that name; false if that cannot be read.
func has(ctx context.Context, c *Cluster, kind Kind, name string) bool {
	names, err := c.Names(ctx, kind)
	return err == nil && slices.Contains(names, name)
}

// IsUnanswered reports whether err leaves open if the API server has done what it was asked to.
func IsUnanswered(err error) bool {
	var dial *net.OpError
	if errors.As(err, &dial) && dial.Op == "dial" { // nothing was sent
		return false
	}
	var unreachable *url.Error
	return errors.As(err, &unreachable) || errors.Is(err, context.Canceled) || apierrors.IsServiceUnavailable(err) ||
		apierrors.IsServerTimeout(err) || apierrors.IsTimeout(err) || apierrors.IsInternalError(err)
}
