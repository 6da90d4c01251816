// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/rest"

	v1 "github.com/sparkgate/sparkgate/api/explain/v1"
)

const (
	// service is the name of the operator's Service, and of the ServiceAccount for users without a token.
	service = "sparkgate-explain"
	// tries is how often the request is sent: the proxy picks a replica each time, and only the leader answers.
	tries = 32
)

// ExplainApplication asks the operator about an application of the namespace. An error says why there is no answer.
func (c *Cluster) ExplainApplication(ctx context.Context, name string) (v1.Application, error) {
	var out v1.Application
	return out, c.ask(ctx, &out, "namespaces", c.Namespace, "applications", name)
}

// ExplainQueue asks the operator about a queue. An error says why there is no answer.
func (c *Cluster) ExplainQueue(ctx context.Context, name string) (v1.Queue, error) {
	var out v1.Queue
	return out, c.ask(ctx, &out, "queues", name)
}

func (c *Cluster) ask(ctx context.Context, into any, path ...string) error {
	if other := c.config.Impersonate.UserName; other != "" {
		// The operator would answer the user whose token it gets, who may see more.
		return fmt.Errorf("the operator cannot be asked as another user (--as %s)", other)
	}
	config := rest.CopyConfig(c.config)
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { return &carrier{next: next, borrow: c.borrowToken} })
	client, err := clientOf(config)
	if err != nil {
		return err
	}
	way := append([]string{"/api/v1/namespaces", c.operator, "services", "https:" + service + ":https", "proxy/explain/v1"}, path...)
	for range tries {
		var data []byte
		data, err = bodyOf(client.Get().AbsPath(way...).Do(ctx))
		if err == nil {
			return json.Unmarshal(data, into)
		}
		var p v1.Problem
		if json.Unmarshal(data, &p) != nil || p.Reason == "" {
			return unreachable(err, c.operator)
		}
		if err = errors.New(p.Message); p.Reason != v1.NotLeader {
			return err
		}
	}
	return err
}

// unreachable returns an error which says why the operator could not be asked.
func unreachable(err error, operator string) error {
	var borrowing *borrowError
	switch {
	case errors.As(err, &borrowing):
		return borrowing
	case apierrors.IsNotFound(err):
		return fmt.Errorf("service %s not found in namespace %s: is the operator in another one (--operator-namespace)?", service, operator)
	case apierrors.IsForbidden(err):
		return fmt.Errorf("you may not ask the operator through the API server's proxy: ask to be bound to Role %s-proxy in namespace %s", service, operator)
	case apierrors.IsServiceUnavailable(err), apierrors.IsInternalError(err):
		return fmt.Errorf("the operator does not answer: it does not run, or its flag --explain-addr is 0 (%w)", err)
	}
	return fmt.Errorf("the operator could not be reached: %w", err)
}

// carrier copies the user's token into a header that the proxy passes on.
type carrier struct {
	next   http.RoundTripper
	borrow func(context.Context) (string, error)
	// borrowed is a token of the ServiceAccount, for all requests of one call.
	borrowed string
}

// RoundTrip implements http.RoundTripper.
func (c *carrier) RoundTrip(r *http.Request) (*http.Response, error) {
	token, has := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !has {
		if c.borrowed == "" {
			var err error
			if c.borrowed, err = c.borrow(r.Context()); err != nil {
				return nil, err
			}
		}
		token = c.borrowed
	}
	r = r.Clone(r.Context())
	r.Header.Set(v1.TokenHeader, token)
	return c.next.RoundTrip(r)
}
