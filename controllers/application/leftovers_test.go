// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	testingclock "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/internal/livemeta"
	"github.com/sparkgate/sparkgate/controllers/internal/waker"
	"github.com/sparkgate/sparkgate/internal/pods"
	"github.com/sparkgate/sparkgate/internal/spark/expose"
	"github.com/sparkgate/sparkgate/internal/spark/leftover"
	"github.com/sparkgate/sparkgate/internal/spark/render"
)

// yard is an API server with the metadata of objects that applications may have left behind.
type yard struct {
	client.Client
	objects map[livemeta.Key]*metav1.PartialObjectMetadata
	// selectors are the selectors of Services by name.
	selectors map[string]map[string]string
	// alive are the applications that exist.
	alive map[types.NamespacedName]types.UID
	// missing kinds are not installed, and failing kinds and namespaces cannot be listed.
	missing, failing map[string]bool
	// kept objects cannot be deleted.
	kept map[string]bool
	// answer is the error of every patch.
	answer error
	// mu guards the fields that a test changes while another goroutine lists: failing and lists.
	mu sync.Mutex
	// lists counts list requests.
	lists int
}

func (y *yard) List(_ context.Context, list client.ObjectList, options ...client.ListOption) error {
	y.mu.Lock()
	defer y.mu.Unlock()
	y.lists++
	o := (&client.ListOptions{}).ApplyOptions(options)
	kind := list.GetObjectKind().GroupVersionKind().Kind
	switch {
	case y.missing[kind[:len(kind)-len("List")]]:
		return &apimeta.NoKindMatchError{}
	case y.failing[kind[:len(kind)-len("List")]], y.failing[o.Namespace]:
		return errors.New("try again")
	}
	var found []metav1.PartialObjectMetadata
	for m, obj := range y.objects {
		if m.Kind.Kind+"List" == kind && (o.Namespace == "" || obj.Namespace == o.Namespace) && o.LabelSelector.Matches(labels.Set(obj.Labels)) {
			found = append(found, *obj.DeepCopy())
		}
	}
	// One object a page.
	slices.SortFunc(found, func(a, b metav1.PartialObjectMetadata) int { return strings.Compare(a.Name, b.Name) })
	page := list.(*metav1.PartialObjectMetadataList)
	page.Continue = ""
	found = slices.DeleteFunc(found, func(obj metav1.PartialObjectMetadata) bool { return obj.Name <= o.Continue })
	if len(found) > 1 {
		found, page.Continue = found[:1], found[0].Name
	}
	page.Items = found
	return nil
}

func (y *yard) Get(_ context.Context, key client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	gone := apierrors.NewNotFound(schema.GroupResource{}, key.Name)
	switch o := into.(type) {
	case *corev1.Service:
		obj := y.objects[livemeta.Key{Kind: expose.ServiceKind, Name: key.Name}]
		if obj == nil {
			return gone
		}
		o.ObjectMeta, o.Spec.Selector = obj.ObjectMeta, y.selectors[key.Name]
		return nil
	case *metav1.PartialObjectMetadata:
		if o.Kind == v1alpha1.SparkApplicationKind {
			if o.UID = y.alive[key]; o.UID == "" {
				return gone
			}
			return nil
		}
		if obj := y.objects[livemeta.Key{Kind: o.GroupVersionKind(), Name: key.Name}]; obj != nil && obj.Namespace == key.Namespace {
			*o = *obj.DeepCopy()
			return nil
		}
	}
	return gone
}

func (y *yard) Patch(context.Context, client.Object, client.Patch, ...client.PatchOption) error {
	return y.answer
}

func (y *yard) Delete(_ context.Context, obj client.Object, options ...client.DeleteOption) error {
	o := (&client.DeleteOptions{}).ApplyOptions(options)
	m := livemeta.Key{Kind: obj.(*metav1.PartialObjectMetadata).GroupVersionKind(), Name: obj.GetName()}
	switch has := y.objects[m]; {
	case y.kept[m.Name]:
		return errors.New("a webhook is away")
	case has == nil:
		return apierrors.NewNotFound(schema.GroupResource{}, m.Name)
	case o.Preconditions == nil || o.Preconditions.UID == nil || *o.Preconditions.UID != has.UID:
		return apierrors.NewConflict(schema.GroupResource{}, m.Name, errors.New("another one"))
	}
	delete(y.objects, m)
	return nil
}

func (y *yard) add(kind schema.GroupVersionKind, name string, change ...func(*metav1.PartialObjectMetadata)) {
	obj := livemeta.Key{Kind: kind, Name: name}.Metadata("a")
	obj.UID = types.UID(kind.Kind + "/" + name)
	obj.Labels = labelsOf(gone)
	obj.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: v1alpha1.FieldOwner, Operation: metav1.ManagedFieldsOperationUpdate}}
	for _, c := range change {
		c(obj)
	}
	y.objects[livemeta.Key{Kind: kind, Name: name}] = obj
}

// names returns the existing objects, as kind and name.
func (y *yard) names() []string {
	names := []string{}
	for m := range y.objects {
		names = append(names, m.Kind.Kind+" "+m.Name)
	}
	slices.Sort(names)
	return names
}

// gone is the deleted application of the tests. prefix begins the names of the objects of its first attempt.
var (
	gone   = leftover.Application{NamespacedName: types.NamespacedName{Namespace: "a", Name: "pi"}, UID: "6d0cbd5d-3bb5-4a58-8d5b-6d3ba3d3a9c1"}
	prefix = render.NamesOf(gone.Object(), 1, 1).Prefix
)

func labelsOf(of leftover.Application) map[string]string {
	return render.LabelsOf(of.Object(), 1, 1, "queue")
}

var podGroups = schema.GroupVersionKind{Group: "scheduling.volcano.sh", Version: "v1beta1", Kind: "PodGroup"}

func newYard() *yard {
	return &yard{objects: map[livemeta.Key]*metav1.PartialObjectMetadata{}, selectors: map[string]map[string]string{}, alive: map[types.NamespacedName]types.UID{},
		missing: map[string]bool{}, failing: map[string]bool{}, kept: map[string]bool{}}
}

// everything adds one object of each kind that the operator creates, without an owner, and applies the changes to each.
func (y *yard) everything(change ...func(*metav1.PartialObjectMetadata)) {
	names := render.NamesOf(gone.Object(), 1, 1)
	y.add(expose.ServiceKind, names.Service, change...)
	y.add(expose.ServiceKind, gone.Name, change...)
	y.selectors[gone.Name] = map[string]string{v1alpha1.ApplicationUIDLabel: string(gone.UID), v1alpha1.SparkRoleLabel: v1alpha1.SparkRoleDriver}
	y.add(expose.BudgetKind, names.DriverBudget(), change...)
	y.add(expose.IngressKind, names.UI(), change...)
	y.add(expose.RouteKind, names.UI(), change...)
	y.add(leftover.ConfigMapKind, names.ConfigMap, change...)
	y.add(leftover.ConfigMapKind, names.Files("conf"), change...)
	y.add(leftover.ClaimKind, "data-"+names.Prefix+"-driver-pvc-0", change...)
	y.add(leftover.SecretKind, names.Secret, change...)
	y.add(leftover.NetworkPolicyKind, names.NetworkPolicy, change...)
	y.add(podGroups, names.Prefix, change...)
}

func sweeper(y *yard) *Reconciler {
	return New(Options{Client: y, Live: y, Pods: pods.NewStore(nil), Clock: testingclock.NewFakeClock(noon), GateKinds: []schema.GroupVersionKind{podGroups}})
}

func disowned(*metav1.PartialObjectMetadata) {}

// ownedByGone makes the application the owner.
func ownedByGone(obj *metav1.PartialObjectMetadata) {
	obj.OwnerReferences = []metav1.OwnerReference{render.OwnerOf(gone.Object())}
}

// TestSweep: one object of each kind that the operator creates is found and deleted, page by page, whether or not the
// garbage collector has processed it already, and even if a kind is not installed.
func TestSweep(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		change  func(*metav1.PartialObjectMetadata)
		missing string
		left    []string
	}{
		"without owners":            {change: disowned, left: []string{}},
		"still owned":               {change: ownedByGone, left: []string{}},
		"no Gateway API, no budget": {change: disowned, missing: "HTTPRoute", left: []string{"HTTPRoute " + prefix + "-ui"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			y := newYard()
			y.everything(tt.change)
			y.missing[tt.missing] = true
			if err := sweeper(y).sweep(t.Context(), gone); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.left, y.names()); diff != "" {
				t.Errorf("what is left (-want +got):\n%s", diff)
			}
		})
	}
}

// TestSweepKeepsWhatOthersCreated: neither labels nor a name alone prove that the operator created an object. Each
// object here differs in one point from one that the operator created.
func TestSweepKeepsWhatOthersCreated(t *testing.T) {
	t.Parallel()
	other := metav1.OwnerReference{APIVersion: "apps/v1", Kind: "Deployment", Name: "web", UID: "web"}
	live := leftover.Application{NamespacedName: types.NamespacedName{Namespace: "a", Name: "pi-live"}, UID: "live"}
	for name, change := range map[string]func(*metav1.PartialObjectMetadata){
		"copied by a user": func(o *metav1.PartialObjectMetadata) {
			o.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "kubectl-create"}}
		},
		"written by the operator in its status only": func(o *metav1.PartialObjectMetadata) { o.ManagedFields[0].Subresource = "status" },
		"another owner": func(o *metav1.PartialObjectMetadata) { o.OwnerReferences = []metav1.OwnerReference{other} },
		"another owner beside the application": func(o *metav1.PartialObjectMetadata) {
			ownedByGone(o)
			o.OwnerReferences = append(o.OwnerReferences, other)
		},
		"an owner of the same uid and another kind": func(o *metav1.PartialObjectMetadata) {
			ownedByGone(o)
			o.OwnerReferences[0].Kind = "Deployment"
		},
		"an owner of another group": func(o *metav1.PartialObjectMetadata) {
			ownedByGone(o)
			o.OwnerReferences[0].APIVersion = "sparkgate.io.example.org/v1"
		},
		"owned by an application that exists": func(o *metav1.PartialObjectMetadata) {
			o.OwnerReferences = []metav1.OwnerReference{render.OwnerOf(live.Object())}
		},
		"labels of another application":    func(o *metav1.PartialObjectMetadata) { o.Labels[v1alpha1.ApplicationLabel] = "pi-live" },
		"labels of another uid":            func(o *metav1.PartialObjectMetadata) { o.Labels[v1alpha1.ApplicationUIDLabel] = "live" },
		"labels of another attempt":        func(o *metav1.PartialObjectMetadata) { o.Labels[v1alpha1.AttemptLabel] = "2" },
		"no attempt":                       func(o *metav1.PartialObjectMetadata) { delete(o.Labels, v1alpha1.AttemptLabel) },
		"an attempt that is not a number":  func(o *metav1.PartialObjectMetadata) { o.Labels[v1alpha1.RunLabel] = "1-1" },
		"being deleted, held by finalizer": func(o *metav1.PartialObjectMetadata) { o.DeletionTimestamp = &metav1.Time{Time: noon} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			y := newYard()
			y.everything(change)
			delete(y.objects, livemeta.Key{Kind: expose.ServiceKind, Name: gone.Name}) // TestSweepStableService
			before := y.names()
			if err := sweeper(y).sweep(t.Context(), gone); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(before, y.names()); diff != "" {
				t.Errorf("what is left (-want +got):\n%s", diff)
			}

			// Objects that are read by name. The names follow from objects that are the operator's.
			y = newYard()
			y.add(leftover.ConfigMapKind, prefix+"-driver-conf-map")
			y.add(leftover.SecretKind, prefix+"-driver-conf-secret", change)
			y.add(leftover.NetworkPolicyKind, prefix+"-policy", change)
			if err := sweeper(y).sweep(t.Context(), gone); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]string{"NetworkPolicy " + prefix + "-policy", "Secret " + prefix + "-driver-conf-secret"}, y.names()); diff != "" {
				t.Errorf("what is left (-want +got):\n%s", diff)
			}
		})
	}
	t.Run("another name", func(t *testing.T) {
		t.Parallel()
		y := newYard()
		for _, kind := range []schema.GroupVersionKind{expose.ServiceKind, leftover.ConfigMapKind, leftover.ClaimKind, expose.IngressKind} {
			for _, name := range []string{"data", "pi", "pi-abcde-1-1-ui", prefix + "0-ui", "x" + prefix, "my-" + prefix + "-ui"} {
				y.add(kind, name)
			}
		}
		y.add(leftover.ClaimKind, prefix+"-data") // the operator gives no claim such a name
		before := y.names()
		if err := sweeper(y).sweep(t.Context(), gone); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(before, y.names()); diff != "" {
			t.Errorf("what is left (-want +got):\n%s", diff)
		}
	})
}

// TestSweepStableService: the Service of spec.driverService has the name of the application. It is the operator's if it
// selects the driver of that application.
func TestSweepStableService(t *testing.T) {
	t.Parallel()
	ours := map[string]string{v1alpha1.ApplicationUIDLabel: string(gone.UID), v1alpha1.SparkRoleLabel: v1alpha1.SparkRoleDriver}
	for name, tt := range map[string]struct {
		selector map[string]string
		change   func(*metav1.PartialObjectMetadata)
		stays    bool
	}{
		"ours":                        {ours, disowned, false},
		"of a user, leads elsewhere":  {map[string]string{"app": "web"}, disowned, true},
		"of a user, leads nowhere":    {nil, disowned, true},
		"leads to executors":          {map[string]string{v1alpha1.ApplicationUIDLabel: string(gone.UID)}, disowned, true},
		"copied by a user":            {ours, func(o *metav1.PartialObjectMetadata) { o.ManagedFields[0].Manager = "kubectl-create" }, true},
		"of an application of a name": {ours, func(o *metav1.PartialObjectMetadata) { o.OwnerReferences = []metav1.OwnerReference{{UID: "live"}} }, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			y := newYard()
			y.add(expose.ServiceKind, gone.Name, tt.change)
			y.selectors[gone.Name] = tt.selector
			if err := sweeper(y).sweep(t.Context(), gone); err != nil {
				t.Fatal(err)
			}
			if stays := len(y.objects) == 1; stays != tt.stays {
				t.Errorf("it stays: %t, want %t", stays, tt.stays)
			}
		})
	}
}

// TestSweepGoesOn: an object that cannot be deleted, or a kind that cannot be listed, is reported and does not prevent
// the deletion of others.
func TestSweepGoesOn(t *testing.T) {
	t.Parallel()
	y := newYard()
	y.everything()
	y.kept[prefix+"-driver-svc"], y.failing["Ingress"] = true, true
	r := sweeper(y)
	if err := r.sweep(t.Context(), gone); err == nil {
		t.Error("it does not say what was left")
	}
	if diff := cmp.Diff([]string{"Ingress " + prefix + "-ui", "Service " + prefix + "-driver-svc"}, y.names()); diff != "" {
		t.Errorf("what is left (-want +got):\n%s", diff)
	}
	clear(y.kept)
	clear(y.failing)
	if err := r.sweep(t.Context(), gone); err != nil || len(y.objects) > 0 {
		t.Errorf("left: %v, %v", y.names(), err)
	}
}

// TestFind: a new leader suspects objects without an owner, and checks them live before it deletes them. Objects of
// existing applications stay, also if an object names one by its UID under a name that does not exist.
func TestFind(t *testing.T) {
	t.Parallel()
	y := newYard()
	y.everything()
	delete(y.objects, livemeta.Key{Kind: leftover.SecretKind, Name: prefix + "-driver-conf-secret"}) // Secrets are not listed
	live, young := leftover.Application{NamespacedName: types.NamespacedName{Namespace: "a", Name: "live"}, UID: "live"}, leftover.Application{NamespacedName: types.NamespacedName{Namespace: "a", Name: "young"}, UID: "young"}
	for _, of := range []leftover.Application{live, young} {
		y.add(leftover.ConfigMapKind, render.NamesOf(of.Object(), 1, 1).ConfigMap, func(o *metav1.PartialObjectMetadata) { o.Labels = labelsOf(of) })
		y.alive[of.NamespacedName] = of.UID
	}
	forged := leftover.Application{NamespacedName: types.NamespacedName{Namespace: "a", Name: "ghost"}, UID: live.UID}
	y.add(leftover.ConfigMapKind, render.NamesOf(forged.Object(), 1, 1).ConfigMap, func(o *metav1.PartialObjectMetadata) { o.Labels = labelsOf(forged) })
	y.add(leftover.ConfigMapKind, "without", func(o *metav1.PartialObjectMetadata) { o.Labels = map[string]string{v1alpha1.ApplicationUIDLabel: ""} })
	y.failing["PodDisruptionBudget"] = true

	r := sweeper(y)
	r.expectations.Observed(live.Object())
	clock := testingclock.NewFakeClock(noon)
	r.Clock = clock
	wakes := waker.New()
	found := map[string]int{}
	f := &LeftoverFinder{Reconciler: r, Waker: wakes, Pauses: clock, Listed: func(kind schema.GroupVersionKind, _ *metav1.PartialObjectMetadata) { found[kind.Kind]++ }}
	if err := f.find(t.Context()); err == nil || found["PodDisruptionBudget"] > 0 {
		t.Error("a list that failed is no list")
	}
	before := maps.Clone(found)
	clear(y.failing)
	if err := f.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	woken := wokenBy(t, wakes)
	want := map[types.NamespacedName]bool{gone.NamespacedName: true, young.NamespacedName: true, forged.NamespacedName: true}
	if diff := cmp.Diff(want, woken); diff != "" {
		t.Errorf("woken (-want +got):\n%s", diff)
	}
	before["PodDisruptionBudget"] = found["PodDisruptionBudget"]
	if diff := cmp.Diff(before, found); diff != "" || found["PodDisruptionBudget"] == 0 {
		t.Errorf("kinds are listed that were listed before (-want +got):\n%s", diff)
	}
	for name := range woken {
		if err := r.sweepLeftovers(t.Context(), name); err != nil {
			t.Error(err)
		}
	}
	left := []string{"ConfigMap " + render.NamesOf(live.Object(), 1, 1).ConfigMap, "ConfigMap without", "ConfigMap " + render.NamesOf(young.Object(), 1, 1).ConfigMap}
	if diff := cmp.Diff(left, y.names()); diff != "" {
		t.Errorf("what is left (-want +got):\n%s", diff)
	}
	if names := r.deletions.withLeftovers(); len(names) > 0 {
		t.Errorf("still to be swept: %v", names)
	}
}

// wokenBy returns the applications that a waker has woken.
func wokenBy(t *testing.T, wakes *waker.Waker) map[types.NamespacedName]bool {
	t.Helper()
	queue := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[reconcile.Request]())
	defer queue.ShutDown()
	if err := wakes.Source().Start(t.Context(), queue); err != nil {
		t.Fatal(err)
	}
	woken := map[types.NamespacedName]bool{}
	for queue.Len() > 0 {
		request, _ := queue.Get()
		woken[request.NamespacedName] = true
	}
	return woken
}

// TestDeletions: only an application that may have left objects is swept, and nothing is stored about one that is gone.
func TestDeletions(t *testing.T) {
	t.Parallel()
	finalizer := func(a *v1alpha1.SparkApplication) { a.Finalizers = append(a.Finalizers, v1alpha1.Finalizer) }
	deleted := func(a *v1alpha1.SparkApplication) { a.DeletionTimestamp = &metav1.Time{Time: noon} }
	orphan := func(a *v1alpha1.SparkApplication) {
		a.Finalizers = append(a.Finalizers, metav1.FinalizerOrphanDependents)
	}
	type change = func(*v1alpha1.SparkApplication)
	for name, tt := range map[string]struct {
		passes  [][]change
		watched []change // a version that no pass has seen
		removed bool     // the finalizer, by this process
		orphans bool
		unknown bool
		swept   bool
	}{
		"never held anything":                 {passes: [][]change{{}}},
		"deleted":                             {passes: [][]change{{finalizer}, {finalizer, deleted}}, removed: true},
		"finalizer removed by hand":           {passes: [][]change{{finalizer}}, swept: true},
		"finalizer removed while it ends":     {passes: [][]change{{finalizer}, {finalizer, deleted}}, swept: true},
		"orphaned":                            {passes: [][]change{{finalizer}, {finalizer, deleted, orphan}}, removed: true, orphans: true},
		"orphaned, before a pass could see":   {passes: [][]change{{finalizer}, {finalizer, deleted}}, watched: []change{finalizer, deleted, orphan}, removed: true, orphans: true},
		"deleted before this process started": {passes: [][]change{{finalizer, deleted}}, removed: true, unknown: true},
		"orphaned before it started":          {passes: [][]change{{finalizer, deleted, orphan}}, removed: true, orphans: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, app := sweeper(newYard()), gone.Object()
			version := func(changes []change) *v1alpha1.SparkApplication {
				after := gone.Object()
				for _, c := range changes {
					c(after)
				}
				return after
			}
			for i, changes := range tt.passes {
				if i > 0 && tt.watched != nil {
					r.deletions.orphanPredicate().Update(event.UpdateEvent{ObjectOld: app, ObjectNew: version(tt.watched)})
				}
				r.deletions.observe(version(changes))
			}
			if orphans, known := r.deletions.orphansDependents(app); orphans != tt.orphans || known == tt.unknown {
				t.Errorf("it leaves its objects: %t, known: %t; want %t, %t", orphans, known, tt.orphans, !tt.unknown)
			}
			if tt.removed {
				r.deletions.finalizerRemoved(app)
			}
			if swept := r.deletions.mayHaveLeftovers(gone.NamespacedName); swept != tt.swept {
				t.Errorf("it is swept: %t, want %t", swept, tt.swept)
			}
			y := r.Live.(*yard)
			if _, err := r.cleanUpDeleted(t.Context(), gone.NamespacedName); err != nil {
				t.Fatal(err)
			}
			if looked := y.lists > 0; looked != tt.swept {
				t.Errorf("objects were listed: %t, want %t", looked, tt.swept)
			}
			if len(r.expectations.apps) > 0 || len(r.deletions.apps) > 0 || len(r.deletions.leftovers) > 0 {
				t.Errorf("remembered: %v, %v", slices.Collect(maps.Keys(r.deletions.apps)), r.deletions.leftovers)
			}
		})
	}
}

// TestFinalizerRemovedByAnother: if another client removes the finalizer before this process can, the application is
// swept once it is gone.
func TestFinalizerRemovedByAnother(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		answer error
		swept  bool
	}{
		"removed by this process": {nil, false},
		"removed by another":      {apierrors.NewNotFound(schema.GroupResource{}, "pi"), true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			y, app := newYard(), gone.Object()
			y.answer = tt.answer
			r := sweeper(y)
			app.Finalizers = []string{v1alpha1.Finalizer}
			r.deletions.observe(app)
			if err := newPass(r, app).finalizer.removeFinalizer(t.Context()); err != nil {
				t.Fatal(err)
			}
			if swept := r.deletions.mayHaveLeftovers(gone.NamespacedName); swept != tt.swept {
				t.Errorf("it is swept: %t, want %t", swept, tt.swept)
			}
		})
	}
}
