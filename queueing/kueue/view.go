// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package kueue

import (
	"cmp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	kueuev1 "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/optionalkind"
)

// Names of the indexes.
const (
	uidIndex          = "uid"          // Workloads by namespace and uid of their asker; see uidOf
	ownerIndex        = "owner"        // … by its kind, namespace and name
	queueIndex        = "queue"        // … by namespace/name of their LocalQueue
	clusterQueueIndex = "clusterQueue" // LocalQueues by their ClusterQueue
)

// view is what the watches show of Kueue's kinds.
type view struct {
	workloads, localQueues, clusterQueues, flavors, priorities *optionalkind.Watch
}

// watch sets up the watches of all kinds that the gate reads.
func (v *view) watch(o Options, wake *wakeups) {
	ours, err := labels.Parse(v1alpha1.AttemptLabel) // exists
	if err != nil {
		panic(err) // the label is a constant
	}
	watch := func(object client.Object, list client.ObjectList, w optionalkind.Options) *optionalkind.Watch {
		w.Client, w.Object, w.List, w.Interval, w.Clock, w.Log = o.Client, object, list, o.Interval, o.Clock, o.Log
		w.AvailabilityChanged = func(bool) { wake.askers.wakeAll() }
		if w.Changed == nil { // any ask may be for it
			w.Changed = func(client.Object) { wake.askers.wakeAll() }
		}
		return optionalkind.New(w)
	}
	v.workloads = watch(&kueuev1.Workload{}, &kueuev1.WorkloadList{}, optionalkind.Options{
		Namespaces: o.Namespaces, Selector: ours, Indexes: workloadIndexes, Slim: slimWorkload,
		Changed: func(o client.Object) { wake.workloadChanged(o.(*kueuev1.Workload)) },
	})
	v.localQueues = watch(&kueuev1.LocalQueue{}, &kueuev1.LocalQueueList{}, optionalkind.Options{
		Namespaces: o.Namespaces, Indexes: cache.Indexers{clusterQueueIndex: indexOf(func(q *kueuev1.LocalQueue) string { return string(q.Spec.ClusterQueue) })},
		Changed: func(o client.Object) { wake.localQueueChanged(o.(*kueuev1.LocalQueue)) },
	})
	v.clusterQueues = watch(&kueuev1.ClusterQueue{}, &kueuev1.ClusterQueueList{}, optionalkind.Options{
		Slim: slimClusterQueue, Changed: func(o client.Object) { wake.clusterQueueChanged(o.(*kueuev1.ClusterQueue)) },
	})
	v.flavors = watch(&kueuev1.ResourceFlavor{}, &kueuev1.ResourceFlavorList{}, optionalkind.Options{})
	v.priorities = watch(&kueuev1.WorkloadPriorityClass{}, &kueuev1.WorkloadPriorityClassList{}, optionalkind.Options{})
}

func (v *view) all() []*optionalkind.Watch {
	return []*optionalkind.Watch{v.workloads, v.localQueues, v.clusterQueues, v.flavors, v.priorities}
}

// installed reports whether the cluster serves the kinds that Kueue needs to admit anything. WorkloadPriorityClass may
// be absent.
func (v *view) installed() bool {
	return v.workloads.Installed() && v.localQueues.Installed() && v.clusterQueues.Installed() && v.flavors.Installed()
}

// unreadable reports whether there may be objects of a kind that the watches cannot read.
func (v *view) unreadable() bool {
	return slices.ContainsFunc(v.all(), (*optionalkind.Watch).Unreadable)
}

var workloadIndexes = cache.Indexers{
	uidIndex:   byOwner(uidOf),
	ownerIndex: byOwner(func(key queueing.Key) string { return key.Named().String() }),
	queueIndex: indexOf(func(w *kueuev1.Workload) string { return w.Namespace + "/" + string(w.Spec.QueueName) }),
}

// uidOf returns the key of an asker in the index uidIndex. It includes the namespace, because users can write the owner
// references of their Workloads, and may name the uid of an asker in another namespace.
func uidOf(key queueing.Key) string { return key.Namespace + "/" + key.UID }

// byOwner returns an index function of Workloads by a value of their asker.
func byOwner(value func(queueing.Key) string) cache.IndexFunc {
	return indexOf(func(w *kueuev1.Workload) string {
		if key, ok := keyOf(w); ok {
			return value(key)
		}
		return ""
	})
}

// indexOf returns an index function by one value; objects with an empty value are not indexed.
func indexOf[T client.Object](value func(T) string) cache.IndexFunc {
	return func(obj any) ([]string, error) {
		if v := value(obj.(T)); v != "" {
			return []string{v}, nil
		}
		return nil, nil
	}
}

// slimWorkload drops the pods, because the ask is compared by its fingerprint.
func slimWorkload(o client.Object) { o.(*kueuev1.Workload).Spec.PodSets = nil }

func slimClusterQueue(o client.Object) {
	q := o.(*kueuev1.ClusterQueue)
	q.Spec = kueuev1.ClusterQueueSpec{StopPolicy: q.Spec.StopPolicy}
	q.Status = kueuev1.ClusterQueueStatus{Conditions: q.Status.Conditions}
}

// shows reports whether the watch shows this very Workload, by its uid.
func (v *view) shows(w *kueuev1.Workload) bool {
	shown := v.workloads.Get(w.Namespace, w.Name)
	return shown != nil && shown.GetUID() == w.UID
}

// workloadsOf returns the Workloads of an asker, oldest first.
func (v *view) workloadsOf(key queueing.Key) []*kueuev1.Workload {
	return v.workloadsBy(uidIndex, uidOf(key))
}

// workloadsBy returns the Workloads with a value in an index, oldest first.
func (v *view) workloadsBy(index, value string) []*kueuev1.Workload {
	objects := v.workloads.By(index, value)
	found := make([]*kueuev1.Workload, 0, len(objects))
	for _, o := range objects {
		found = append(found, o.(*kueuev1.Workload))
	}
	slices.SortFunc(found, func(a, b *kueuev1.Workload) int {
		return cmp.Or(a.CreationTimestamp.Compare(b.CreationTimestamp.Time), strings.Compare(a.Name, b.Name))
	})
	return found
}

// current returns the Workload to compare with an ask: one that has not ended, else the one that represents the
// attempt, or nil.
func (v *view) current(ask queueing.Ask) *kueuev1.Workload {
	return v.base(ask.Key, func(w *kueuev1.Workload) bool {
		return !finished(w) || isOf(w, ask.Run, ask.Attempt) || w.Name == ask.Objects.Name
	})
}

// workloadFor returns the Workload that represents an attempt, preferably one that has not ended, or nil.
func (v *view) workloadFor(key queueing.Key, run, attempt int64) *kueuev1.Workload {
	return v.base(key, func(w *kueuev1.Workload) bool { return isOf(w, run, attempt) })
}

// base returns the oldest Workload of a base gang that has not ended and matches, else the newest one that matches, or
// nil.
func (v *view) base(key queueing.Key, matches func(*kueuev1.Workload) bool) *kueuev1.Workload {
	var ended *kueuev1.Workload
	for _, w := range v.workloadsOf(key) {
		switch {
		case isChunk(w), !matches(w):
		case !finished(w):
			return w
		default:
			ended = w
		}
	}
	return ended
}

// chunksOf returns the chunks of an asker, oldest first.
func (v *view) chunksOf(key queueing.Key) []*kueuev1.Workload {
	chunks := slices.DeleteFunc(v.workloadsOf(key), func(w *kueuev1.Workload) bool { return !isChunk(w) })
	slices.SortStableFunc(chunks, func(a, b *kueuev1.Workload) int { return numberOf(a.Name) - numberOf(b.Name) })
	return chunks
}

// flavor returns a ResourceFlavor, or nil if it does not exist.
func (v *view) flavor(name string) *kueuev1.ResourceFlavor {
	f, _ := v.flavors.Get("", name).(*kueuev1.ResourceFlavor)
	return f
}

// around looks up the surroundings of the Workload of an ask.
func (v *view) around(ask queueing.Ask) surroundings {
	s := surroundings{flavor: v.flavor}
	s.localQueue, _ = v.localQueues.Get(ask.Key.Namespace, ask.Queue).(*kueuev1.LocalQueue)
	if s.localQueue != nil {
		s.clusterQueue, _ = v.clusterQueues.Get("", string(s.localQueue.Spec.ClusterQueue)).(*kueuev1.ClusterQueue)
	}
	return s
}

// priority returns the value of a WorkloadPriorityClass, and whether it is known to exist.
func (v *view) priority(class string) (value int32, exists bool) {
	c, exists := v.priorities.Get("", class).(*kueuev1.WorkloadPriorityClass)
	if !exists {
		return 0, false
	}
	return c.Value, true
}

// priorityOf returns the class that the ask names, a WorkloadPriorityClass or else a PriorityClass, or nil if it names
// none.
func (v *view) priorityOf(ask queueing.Ask) *priorityClass {
	name := ask.Objects.PriorityClass
	if name == "" {
		return nil
	}
	if value, exists := v.priority(name); exists {
		return &priorityClass{*kueuev1.NewWorkloadPriorityClassRef(name), value}
	}
	return &priorityClass{*kueuev1.NewPodPriorityClassRef(name), ask.Priority}
}
