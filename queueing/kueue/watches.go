// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package kueue

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
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
	allIndex          = "all"
)

// watch sets up the watches of all kinds that the gate reads.
func (g *Gate) watch() {
	ours, err := labels.NewRequirement(v1alpha1.AttemptLabel, selection.Exists, nil)
	if err != nil {
		panic(err) // the label is a constant
	}
	g.workloads = g.watchOf(&kueuev1.Workload{}, &kueuev1.WorkloadList{}, optionalkind.Options{
		Namespaces: g.o.Namespaces, Selector: labels.NewSelector().Add(*ours), Indexes: workloadIndexes, Slim: slimWorkload,
		Changed: g.workloadChanged,
	})
	g.localQueues = g.watchOf(&kueuev1.LocalQueue{}, &kueuev1.LocalQueueList{}, optionalkind.Options{
		Namespaces: g.o.Namespaces, Indexes: cache.Indexers{clusterQueueIndex: indexOf(func(q *kueuev1.LocalQueue) string { return string(q.Spec.ClusterQueue) })},
		Changed: func(o client.Object) { g.localQueueChanged(o.(*kueuev1.LocalQueue)) },
	})
	g.clusterQueues = g.watchOf(&kueuev1.ClusterQueue{}, &kueuev1.ClusterQueueList{}, optionalkind.Options{
		Slim: slimClusterQueue, Changed: func(o client.Object) { g.clusterQueueChanged(o.(*kueuev1.ClusterQueue)) },
	})
	g.flavors = g.watchOf(&kueuev1.ResourceFlavor{}, &kueuev1.ResourceFlavorList{}, optionalkind.Options{
		Changed: func(client.Object) { g.wakeAsking() },
	})
	g.priorities = g.watchOf(&kueuev1.WorkloadPriorityClass{}, &kueuev1.WorkloadPriorityClassList{}, optionalkind.Options{
		Changed: func(client.Object) { g.wakeAsking() },
	})
}

func (g *Gate) watchOf(object client.Object, list client.ObjectList, o optionalkind.Options) *optionalkind.Watch {
	o.Client, o.Object, o.List, o.Interval, o.Clock, o.Log = g.o.Client, object, list, g.o.Interval, g.o.Clock, g.o.Log
	o.AvailabilityChanged = func(bool) { g.wakeAsking() }
	return optionalkind.New(o)
}

// Watches returns the watches. They must be started, and Known, before the gate is used.
func (g *Gate) Watches() []*optionalkind.Watch {
	return []*optionalkind.Watch{g.workloads, g.localQueues, g.clusterQueues, g.flavors, g.priorities}
}

// installed reports whether the cluster serves the kinds that Kueue needs to admit anything. WorkloadPriorityClass may
// be absent.
func (m *mirror) installed() bool {
	return m.workloads.Installed() && m.localQueues.Installed() && m.clusterQueues.Installed() && m.flavors.Installed()
}

// shows reports whether the watch shows this very Workload, by its uid.
func (m *mirror) shows(w *kueuev1.Workload) bool {
	shown := m.workloads.Get(w.Namespace, w.Name)
	return shown != nil && shown.GetUID() == w.UID
}

// unreadable reports whether there may be objects of a kind that the watches cannot read.
func (g *Gate) unreadable() bool {
	return slices.ContainsFunc(g.Watches(), (*optionalkind.Watch).Unreadable)
}

var workloadIndexes = cache.Indexers{
	uidIndex: indexOf(func(w *kueuev1.Workload) string {
		if key, ok := keyOf(w); ok {
			return uidOf(key)
		}
		return ""
	}),
	ownerIndex: indexOf(func(w *kueuev1.Workload) string {
		if key, ok := keyOf(w); ok {
			return key.Named().String()
		}
		return ""
	}),
	queueIndex: indexOf(func(w *kueuev1.Workload) string { return w.Namespace + "/" + string(w.Spec.QueueName) }),
	allIndex:   indexOf(func(*kueuev1.Workload) string { return allIndex }),
}

// uidOf returns the key of an asker in the index uidIndex. It includes the namespace, because users can write the owner
// references of their Workloads, and may name the uid of an asker in another namespace.
func uidOf(key queueing.Key) string { return key.Namespace + "/" + key.UID }

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
	q.Spec = kueuev1.ClusterQueueSpec{StopPolicy: q.Spec.StopPolicy, NamespaceSelector: q.Spec.NamespaceSelector}
	q.Status = kueuev1.ClusterQueueStatus{Conditions: q.Status.Conditions}
}

// keyOf returns the asker for which a Workload was created, or false if there is none.
func keyOf(w *kueuev1.Workload) (key queueing.Key, ok bool) {
	owner := metav1.GetControllerOfNoCopy(w)
	if owner == nil || !strings.HasPrefix(owner.APIVersion, v1alpha1.GroupVersion.Group+"/") {
		return key, false
	}
	return queueing.Key{Kind: owner.Kind, Namespace: w.Namespace, Name: owner.Name, UID: string(owner.UID)}, true
}

// isOf reports whether a Workload represents an attempt.
func isOf(w *kueuev1.Workload, run, attempt int64) bool {
	return w.Labels[v1alpha1.RunLabel] == number(run) && w.Labels[v1alpha1.AttemptLabel] == number(attempt)
}

func number(n int64) string { return strconv.FormatInt(n, 10) }

// workloadsBy returns the Workloads with a value in an index, oldest first.
func (m *mirror) workloadsBy(index, value string) []*kueuev1.Workload {
	objects := m.workloads.By(index, value)
	found := make([]*kueuev1.Workload, 0, len(objects))
	for _, o := range objects {
		found = append(found, o.(*kueuev1.Workload))
	}
	slices.SortFunc(found, func(a, b *kueuev1.Workload) int {
		if c := a.CreationTimestamp.Compare(b.CreationTimestamp.Time); c != 0 {
			return c
		}
		return strings.Compare(a.Name, b.Name)
	})
	return found
}

// current returns the Workload to compare with an ask: one that has not ended, else the one that represents the
// attempt, or nil.
func (m *mirror) current(ask queueing.Ask) *kueuev1.Workload {
	var ended *kueuev1.Workload
	for _, w := range m.workloadsBy(uidIndex, uidOf(ask.Key)) {
		if isChunk(w) {
			continue
		}
		if !finished(w) {
			return w
		}
		if isOf(w, ask.Run, ask.Attempt) || w.Name == ask.Objects.Name {
			ended = w
		}
	}
	return ended
}

// workloadFor returns the Workload that represents an attempt, preferably one that has not ended, or nil.
func (m *mirror) workloadFor(key queueing.Key, run, attempt int64) *kueuev1.Workload {
	var ended *kueuev1.Workload
	for _, w := range m.workloadsBy(uidIndex, uidOf(key)) {
		switch {
		case isChunk(w), !isOf(w, run, attempt):
		case !finished(w):
			return w
		default:
			ended = w
		}
	}
	return ended
}

// watchIsBehind reports whether the watch shows a version of a Workload from before the last own write.
func (t *tracker) watchIsBehind(w *kueuev1.Workload) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return !t.written[w.UID].SatisfiedBy(w.ResourceVersion)
}

// recordWrite records the resource version that an own write has produced.
func (t *tracker) recordWrite(w *kueuev1.Workload) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.written[w.UID] = t.written[w.UID].Newest(w.ResourceVersion)
}

// workloadChanged wakes the asker of a Workload that was added, changed or deleted.
func (g *Gate) workloadChanged(o client.Object) {
	w := o.(*kueuev1.Workload)
	key, ok := keyOf(w)
	if !ok {
		return
	}
	g.mu.Lock()
	if g.created[key] == w.Name {
		delete(g.created, key)
	}
	if c, unseen := g.chunks[key][w.Name]; unseen && (c.uid == "" || c.uid == w.UID) {
		delete(g.chunks[key], w.Name)
	}
	gone := !g.shows(w) // another Workload may already have its name
	if gone || g.written[w.UID].SatisfiedBy(w.ResourceVersion) {
		delete(g.written, w.UID)
	}
	if gone {
		delete(g.asks, w.UID)
	}
	if gone && w.DeletionTimestamp.IsZero() && !finished(w) {
		g.lost[key] = append(g.lost[key], w.Name)
	}
	g.mu.Unlock()
	g.o.Waker.Wake(key)
}

// wakeAsking wakes all askers that ask.
func (g *Gate) wakeAsking() {
	g.mu.Lock()
	keys := slices.Collect(maps.Keys(g.asking))
	g.mu.Unlock()
	for _, key := range keys {
		g.o.Waker.Wake(key)
	}
}

// localQueueChanged wakes the askers of a queue if the part of its state that messages mention has changed. Other
// parts, such as counts, change all the time.
func (g *Gate) localQueueChanged(q *kueuev1.LocalQueue) {
	name := q.Namespace + "/" + q.Name
	state := fmt.Sprint(q.Spec.ClusterQueue, stopOf(q.Spec.StopPolicy), activeOf(q.Status.Conditions))
	if g.queueStateChanged("LocalQueue "+name, g.localQueues.Get(q.Namespace, q.Name) != nil, state) {
		g.wakeQueue(name)
	}
}

func (g *Gate) clusterQueueChanged(q *kueuev1.ClusterQueue) {
	state := fmt.Sprint(stopOf(q.Spec.StopPolicy), activeOf(q.Status.Conditions), q.DeletionTimestamp != nil)
	if !g.queueStateChanged("ClusterQueue "+q.Name, g.clusterQueues.Get("", q.Name) != nil, state) {
		return
	}
	for _, o := range g.localQueues.By(clusterQueueIndex, q.Name) {
		g.wakeQueue(o.GetNamespace() + "/" + o.GetName())
	}
}

func (g *Gate) wakeQueue(name string) {
	for _, w := range g.workloadsBy(queueIndex, name) {
		if key, ok := keyOf(w); ok && !finished(w) {
			g.o.Waker.Wake(key)
		}
	}
}

// queueStateChanged reports whether the state of a queue differs from the last one. A queue that does not exist has the
// empty state.
func (t *tracker) queueStateChanged(queue string, exists bool, state string) bool {
	if !exists {
		state = ""
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.lastQueueStates[queue] == state {
		return false
	}
	t.lastQueueStates[queue] = state
	if !exists {
		delete(t.lastQueueStates, queue)
	}
	return true
}

// activeOf returns status, reason and message of the condition Active of a queue.
func activeOf(conditions []metav1.Condition) string {
	c := apimeta.FindStatusCondition(conditions, kueuev1.ClusterQueueActive)
	if c == nil {
		return ""
	}
	return fmt.Sprint(c.Status, c.Reason, c.Message)
}

func stopOf(policy *kueuev1.StopPolicy) kueuev1.StopPolicy {
	if policy == nil {
		return kueuev1.None
	}
	return *policy
}
