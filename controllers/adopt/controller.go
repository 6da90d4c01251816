// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package adopt

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	toolscache "k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/events"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/internal/livemeta"
	"github.com/sparkgate/sparkgate/controllers/internal/waker"
	"github.com/sparkgate/sparkgate/internal/base/fairqueue"
	"github.com/sparkgate/sparkgate/internal/base/namespaces"
	"github.com/sparkgate/sparkgate/internal/job/pods"
	"github.com/sparkgate/sparkgate/queueing/optionalkind"
)

// Label is the label of a namespace whose objects of another operator are adopted; adopted is its value for kubeflow's.
const (
	Label   = v1alpha1.Group + "/adopt"
	adopted = "kubeflow"
)

// Options configure a Reconciler. All fields but Namespaces and Interval are required.
type Options struct {
	// Client reads applications and namespaces from the cache, and writes. Theirs reads and writes objects of the other
	// operator, whose kinds are in its scheme (AddToScheme).
	Client client.Client
	Theirs client.WithWatch
	// Namespaces are those that the operator manages. Default: all.
	Namespaces namespaces.Set
	// Pods has the pods of applications.
	Pods *pods.Store
	// Recorder records events about objects of the other operator.
	Recorder events.EventRecorder
	Clock    clock.Clock
	// Interval is the pause before kinds that could not be read are looked for again. Default: that of optionalkind.
	Interval time.Duration
	// Ready blocks until this process leads and may write.
	Ready func(context.Context) error
	Log   logr.Logger
}

// Reconciler runs the SparkApplications of kubeflow's operator in adopted namespaces. It is safe for concurrent use with
// different applications.
type Reconciler struct {
	Options
	watch *optionalkind.Watch
	waker *waker.Waker
}

// byNamespace is the index of their applications by namespace.
const byNamespace = "namespace"

// New returns a Reconciler.
func New(o Options) *Reconciler {
	r := &Reconciler{Options: o, waker: waker.New()}
	r.watch = optionalkind.New(optionalkind.Options{
		Client: o.Theirs, Object: &Application{}, List: &ApplicationList{}, Namespaces: o.Namespaces, Interval: o.Interval, Clock: o.Clock, Log: o.Log,
		Indexes: toolscache.Indexers{byNamespace: toolscache.MetaNamespaceIndexFunc}, Slim: slim,
		Changed: func(o client.Object) { r.waker.Wake(client.ObjectKeyFromObject(o)) },
	})
	return r
}

// Watch returns the watch of their applications, which has to be started.
func (r *Reconciler) Watch() *optionalkind.Watch { return r.watch }

// minRetryDelay and maxRetryDelay bound the pause after a failure, which doubles each time.
const (
	minRetryDelay = 100 * time.Millisecond
	maxRetryDelay = 30 * time.Second
)

// SetupWithManager registers the reconciler. It reconciles up to concurrent applications at once.
func (r *Reconciler) SetupWithManager(mgr ctrl.Manager, concurrent int) error {
	limiter := workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](minRetryDelay, maxRetryDelay)
	theirs := handler.EnqueueRequestsFromMapFunc(func(_ context.Context, app client.Object) []reconcile.Request {
		if !isTheirs(metav1.GetControllerOfNoCopy(app)) {
			return nil
		}
		return []reconcile.Request{{NamespacedName: client.ObjectKeyFromObject(app)}}
	})
	all := handler.EnqueueRequestsFromMapFunc(func(_ context.Context, namespace client.Object) (found []reconcile.Request) {
		for _, app := range r.watch.By(byNamespace, namespace.GetName()) {
			found = append(found, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(app)})
		}
		return found
	})
	return ctrl.NewControllerManagedBy(mgr).
		Named("adopt").
		Watches(&v1alpha1.SparkApplication{}, theirs).
		WatchesMetadata(&corev1.Namespace{}, all, builder.WithPredicates(predicate.LabelChangedPredicate{})).
		WatchesRawSource(r.waker.Source()).
		WithOptions(controller.Options{MaxConcurrentReconciles: concurrent, RateLimiter: limiter, NewQueue: fairqueue.QueueFor(concurrent)}).
		Complete(r)
}

// isTheirs reports whether an owner is an application of theirs.
func isTheirs(owner *metav1.OwnerReference) bool {
	return owner != nil && owner.Kind == kind.Kind && owner.APIVersion == kind.GroupVersion().String()
}

// staleAfter is the pause before a write is tried again that found its object changed: the cache is about to show it.
const staleAfter = 200 * time.Millisecond

// Reconcile brings the application of ours in line with one of theirs, and the status of theirs with that of ours. Both
// are deleted together, by the garbage collector.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	if err := r.Ready(ctx); err != nil {
		return ctrl.Result{}, err
	}
	if err := r.watch.WaitUntilKnown(ctx); err != nil {
		return ctrl.Result{}, err
	}
	found, ok := r.watch.Get(req.Namespace, req.Name).(*Application)
	if !ok {
		return ctrl.Result{}, nil
	}
	p := pass{Reconciler: r, theirs: found}
	result, err := p.do(ctx)
	if apierrors.IsConflict(err) || apierrors.IsAlreadyExists(err) {
		return ctrl.Result{RequeueAfter: staleAfter}, nil
	}
	return result, client.IgnoreNotFound(err)
}

// pass is one look at an application of theirs.
type pass struct {
	*Reconciler
	theirs *Application
	// namespace is that of the application, ours is what runs for it; nil if there is none.
	namespace *metav1.PartialObjectMetadata
	ours      *v1alpha1.SparkApplication
}

func (p *pass) do(ctx context.Context) (ctrl.Result, error) {
	if err := p.observe(ctx); err != nil {
		return ctrl.Result{}, err
	}
	own := p.ours != nil && metav1.IsControlledBy(p.ours, p.theirs)
	switch other := p.theirs.Status.ofOther(); {
	case !p.theirs.DeletionTimestamp.IsZero():
		return ctrl.Result{}, p.end(ctx, own)
	case p.namespace.Labels[Label] != adopted:
		return ctrl.Result{}, p.leave(ctx, own)
	case p.ours != nil && !own:
		return ctrl.Result{}, p.taken(ctx)
	case other && (p.ours == nil || !p.theirs.Status.ended()):
		return ctrl.Result{}, p.respect(ctx)
	}
	return p.run(ctx)
}

// end ends what runs for an application of theirs that is being deleted, whatever else holds that.
func (p *pass) end(ctx context.Context, own bool) error {
	if own && !slices.Contains(p.theirs.Finalizers, metav1.FinalizerOrphanDependents) {
		return p.deleteOurs(ctx)
	}
	return nil
}

// leave starts nothing in a namespace that is not adopted. What has begun continues.
func (p *pass) leave(ctx context.Context, own bool) error {
	if value, set := p.namespace.Labels[Label]; set {
		p.event(corev1.EventTypeWarning, "UnknownLabel", "label %s of the namespace: value %q is not known: write %s", Label, value, adopted)
	}
	if own {
		return p.mirror(ctx)
	}
	return nil
}

// respect leaves alone what another operator runs or has run.
func (p *pass) respect(ctx context.Context) error {
	if !p.theirs.Status.ended() {
		p.event(corev1.EventTypeWarning, "OtherOperator", "status.submissionID: value %q is of another operator, which runs it: delete and create the object when it has ended, "+
			"and let only one operator serve the namespace", p.theirs.Status.SubmissionID)
		return nil
	}
	ended := p.theirs.Status
	ended.SubmissionID = submission + p.theirs.kept.made + "-0" // it has run as it is
	return p.publish(ctx, ended)
}

// run makes the application of ours if it has to be made, and follows it.
func (p *pass) run(ctx context.Context) (ctrl.Result, error) {
	switch {
	case p.ours == nil && !p.theirs.Status.isOf(p.theirs.kept.made),
		p.ours != nil && p.ours.Annotations[madeFrom] != p.theirs.kept.made:
		return ctrl.Result{}, p.make(ctx)
	case p.ours == nil && !p.theirs.Status.ended():
		return ctrl.Result{}, p.lost(ctx)
	}
	return p.follow(ctx)
}

// observe reads the namespace, and the application of ours of the same name.
func (p *pass) observe(ctx context.Context) error {
	p.namespace = livemeta.Namespace(p.theirs.Namespace)
	if err := p.Client.Get(ctx, client.ObjectKeyFromObject(p.namespace), p.namespace); err != nil {
		return err
	}
	app := &v1alpha1.SparkApplication{}
	err := p.Client.Get(ctx, client.ObjectKeyFromObject(p.theirs), app)
	if err == nil {
		p.ours = app
	}
	return client.IgnoreNotFound(err)
}

// follow carries what changes about a run over to ours, the status back, and deletes theirs when its time has come.
func (p *pass) follow(ctx context.Context) (ctrl.Result, error) {
	if p.ours != nil {
		if refused, err := p.suspend(ctx); err != nil || refused {
			return ctrl.Result{}, err
		}
		if err := p.mirror(ctx); err != nil {
			return ctrl.Result{}, err
		}
	}
	return p.expire(ctx)
}

func (p *pass) event(kind, reason, format string, args ...any) {
	p.Recorder.Eventf(p.theirs, nil, kind, reason, "Adopt", format, args...)
}

func (p *pass) name() types.NamespacedName { return client.ObjectKeyFromObject(p.theirs) }

// publish writes a status, unless it is as before.
func (p *pass) publish(ctx context.Context, s Status) error {
	if equality.Semantic.DeepEqual(p.theirs.Status, s) {
		return nil
	}
	after := p.theirs.DeepCopy()
	if after.Status = s; p.theirs.Status.ended() && !s.ended() {
		after.Status.ExecutorState = nil // those of the last run go first
	}
	err := p.Theirs.Status().Patch(ctx, after, client.MergeFromWithOptions(p.theirs, client.MergeFromWithOptimisticLock{}), client.FieldOwner(v1alpha1.FieldOwner))
	if apierrors.IsNotFound(err) && p.Theirs.Get(ctx, p.name(), after) == nil {
		return fmt.Errorf("the CRD of %s does not have the subresource status: install that of kubeflow's operator, or config/adopt/crd", kind.GroupKind())
	}
	return err
}
