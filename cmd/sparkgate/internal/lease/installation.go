// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lease

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/base/namespaces"
)

// The annotations of a lease, which say what its installation covers.
const (
	// namespacesAnnotation lists the managed namespaces, separated by commas, or is all.
	namespacesAnnotation = "sparkgate.io/namespaces"
	// queuesAnnotation is the selector of the queues that the installation leads; empty for all.
	queuesAnnotation = "sparkgate.io/queue-selector"
	// accountAnnotation is the service account of the operator, in the namespace of the lease.
	accountAnnotation = "sparkgate.io/service-account"
)

const (
	all = "*"
	// durationsUntilGone is after how many of its lease durations an installation that has not renewed its lease counts
	// as gone.
	durationsUntilGone = 6
	// checkInterval is the pause between two checks while an installation waits for another one to go.
	checkInterval = 10 * time.Second
	// checkTimeout bounds one check, which a process makes when it has just acquired the lease.
	checkTimeout = 5 * time.Second
)

// Installation is this installation of the operator among those of a cluster. All of its replicas share one lease. A
// nil Installation has none and knows no others. It is safe for concurrent use.
type Installation struct {
	// Namespace is where the installation has its lease.
	Namespace string
	// Namespaces are those that it manages.
	Namespaces namespaces.Set
	// Queues selects the queues that it leads; nil selects all.
	Queues labels.Selector
	// Client is not cached.
	Client client.Client
	Clock  clock.Clock
	Log    logr.Logger

	account string
	// waits is why the last check failed; nil if it did not.
	waits atomic.Pointer[error]
}

// Ready is the readiness check: it fails while another installation covers the same. If the last check failed it makes
// another one, because a replica that does not become the leader makes no other.
func (i *Installation) Ready(r *http.Request) error {
	if i == nil || ptr.Deref(i.waits.Load(), nil) == nil {
		return nil
	}
	return i.alone(r.Context())
}

// Wait returns once no other installation covers the same, or ctx is done.
func (i *Installation) Wait(ctx context.Context) error {
	self := &authenticationv1.SelfSubjectReview{}
	if err := i.Client.Create(ctx, self); err != nil {
		i.Log.Info("Other installations do not see this one, because its service account is not known", "error", err.Error())
	}
	i.account, _ = strings.CutPrefix(self.Status.UserInfo.Username, accountIn(i.Namespace, ""))
	for i.alone(ctx) != nil {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-i.Clock.After(checkInterval):
		}
	}
	return nil
}

// alone returns an error if a live installation covers some of what this one does. The API server has to be asked for
// that; where the right to ask is missing, others are not known.
func (i *Installation) alone(ctx context.Context) error {
	if i == nil {
		return nil
	}
	bounded, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	err := i.findOther(bounded)
	if was := i.waits.Swap(&err); err != nil && (was == nil || *was == nil || (*was).Error() != err.Error()) {
		i.Log.Info("Waiting: "+err.Error(), "again", checkInterval.String())
	}
	return err
}

func (i *Installation) findOther(ctx context.Context) error {
	list := &coordinationv1.LeaseList{}
	err := i.Client.List(ctx, list, client.MatchingFields{metav1.ObjectNameField: Name}) // by name, as the right to list is limited to it
	if apierrors.IsForbidden(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("list the leases of other installations: %w", err)
	}
	for j := range list.Items {
		other := &list.Items[j]
		if other.Namespace == i.Namespace || !i.lives(other) {
			continue
		}
		common, remedy, err := i.shared(ctx, other.Annotations)
		if err != nil {
			return err
		}
		if common == "" {
			continue
		}
		if is, err := i.isOperator(ctx, other); err != nil {
			return err
		} else if is {
			return fmt.Errorf("the operator in namespace %s covers %s as well: %s, or stop one of the two", other.Namespace, common, remedy)
		}
	}
	return nil
}

// lives reports whether the lease was renewed lately.
func (i *Installation) lives(l *coordinationv1.Lease) bool {
	if l.Spec.RenewTime == nil || l.Annotations[namespacesAnnotation] == "" {
		return false
	}
	timeout := durationsUntilGone * time.Duration(ptr.Deref(l.Spec.LeaseDurationSeconds, 0)) * time.Second
	return i.Clock.Since(l.Spec.RenewTime.Time).Abs() <= timeout // a time in the future is as wrong as an old one
}

// shared returns something that this installation and that of these annotations both cover, and how to part them. It
// returns the empty string if there is nothing.
func (i *Installation) shared(ctx context.Context, other map[string]string) (what, remedy string, err error) {
	if what := commonNamespace(i.annotations()[namespacesAnnotation], other[namespacesAnnotation]); what != "" {
		return what, "give each its own namespaces (--watch-namespaces, --namespace-selector)", nil
	}
	theirs, err := labels.Parse(other[queuesAnnotation])
	if err != nil {
		return "", "", nil // no operator has written that
	}
	queues := &metav1.PartialObjectMetadataList{}
	queues.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind(v1alpha1.SparkQueueKind + "List"))
	if err := i.Client.List(ctx, queues, &client.ListOptions{LabelSelector: i.Queues}); err != nil {
		return "", "", fmt.Errorf("list queues: %w", err)
	}
	for j := range queues.Items {
		if queue := &queues.Items[j]; theirs.Matches(labels.Set(queue.Labels)) {
			return "queue " + queue.Name, "give each its own trees of queues (--queue-selector)", nil
		}
	}
	return "", "", nil
}

// commonNamespace returns a namespace that is in both lists; empty if there is none.
func commonNamespace(a, b string) string {
	switch {
	case a == all && b == all:
		return "all namespaces"
	case a == all:
		a, b = b, a
	}
	names, theirs := strings.Split(a, ","), strings.Split(b, ",")
	if k := slices.IndexFunc(names, func(name string) bool { return b == all || slices.Contains(theirs, name) }); k >= 0 {
		return "namespace " + names[k]
	}
	return ""
}

// isOperator reports whether a lease is that of an operator, whose service account may write the ledgers of queues.
// Tenants may create leases too, and must not be able to keep an operator from starting.
func (i *Installation) isOperator(ctx context.Context, l *coordinationv1.Lease) (bool, error) {
	account := l.Annotations[accountAnnotation]
	if account == "" {
		return false, nil
	}
	review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
		User: accountIn(l.Namespace, account), Groups: []string{"system:serviceaccounts", "system:serviceaccounts:" + l.Namespace, "system:authenticated"},
		ResourceAttributes: &authorizationv1.ResourceAttributes{Verb: "patch", Group: v1alpha1.Group, Resource: "sparkqueues", Subresource: "status"},
	}}
	if err := i.Client.Create(ctx, review); err != nil {
		return false, fmt.Errorf("review the rights of the operator in namespace %s: %w", l.Namespace, err)
	}
	return review.Status.Allowed, nil
}

func accountIn(namespace, name string) string {
	return "system:serviceaccount:" + namespace + ":" + name
}

// annotations say in the lease what this installation covers.
func (i *Installation) annotations() map[string]string {
	a := map[string]string{namespacesAnnotation: all, queuesAnnotation: "", accountAnnotation: i.account}
	if len(i.Namespaces) > 0 {
		a[namespacesAnnotation] = strings.Join(i.Namespaces, ",")
	}
	if i.Queues != nil {
		a[queuesAnnotation] = i.Queues.String()
	}
	return a
}
