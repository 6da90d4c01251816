// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package pods

import (
	"slices"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"
)

// Store holds the records of all Spark pods. It is the target of a Reflector. Safe for concurrent use.
type Store struct {
	// changed is called, without a lock held, with the application whose pods have changed.
	changed func(types.NamespacedName)

	mu   sync.RWMutex
	apps map[types.NamespacedName][]*Record
	pods map[string]map[string]*Record // namespace → pod name → record
	// failed are the failed executors of the newest attempt of each application that has any, as long as it has pods.
	failed map[types.NamespacedName]*failures
	// floors are the versions of the newest whole list of each namespace, or of all under the empty name: what it did
	// not have and is not younger is gone.
	floors map[string]uint64
	// watchVersion is the version of the newest event of the watch, which come in the order of versions: what is not
	// younger and not here is gone.
	watchVersion uint64
}

var _ cache.TransformingStore = (*Store)(nil)

// NewStore returns an empty store that reports changes to changed.
func NewStore(changed func(types.NamespacedName)) *Store {
	return &Store{
		changed: changed,
		apps:    map[types.NamespacedName][]*Record{},
		pods:    map[string]map[string]*Record{},
		failed:  map[types.NamespacedName]*failures{},
		floors:  map[string]uint64{},
	}
}

// Of returns the records of the pods that carry the application's name in their label, in no particular order. They may
// belong to an earlier application of that name: compare AppUID.
func (s *Store) Of(app types.NamespacedName) []*Record {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return slices.Clone(s.apps[app])
}

// Applications returns all applications that have a pod.
func (s *Store) Applications() []types.NamespacedName {
	s.mu.RLock()
	defer s.mu.RUnlock()
	names := make([]types.NamespacedName, 0, len(s.apps))
	for name := range s.apps {
		names = append(names, name)
	}
	return names
}

// Len returns the number of pods.
func (s *Store) Len() int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	n := 0
	for _, records := range s.apps {
		n += len(records)
	}
	return n
}

// Add files a pod. It is called by the Reflector.
func (s *Store) Add(obj any) error { return s.putObject(obj) }

// Update files a pod's new state. It is called by the Reflector.
func (s *Store) Update(obj any) error { return s.putObject(obj) }

func (s *Store) putObject(obj any) error {
	record := recordIn(obj)
	if record == nil {
		return nil
	}
	s.mu.Lock()
	s.watchVersion = max(s.watchVersion, record.Version)
	moved, differs := s.put(record)
	s.mu.Unlock()
	if differs {
		s.report(moved, appOf(record))
	}
	return nil
}

// recordIn returns the record of what the Reflector or a list brings; nil if it is nothing of ours.
func recordIn(obj any) *Record {
	switch o := obj.(type) {
	case *kept:
		return o.Record
	case *corev1.Pod:
		return RecordOf(o)
	}
	return nil
}

// kept is a record on its way to the store. The Reflector collects the first list in a store of its own, by name.
type kept struct {
	metav1.ObjectMeta
	*Record
}

// Transformer makes the Reflector keep records, not pods, while it collects the first list: only their writer bounds
// how large pods are and how many.
func (s *Store) Transformer() cache.TransformFunc {
	return func(obj any) (any, error) {
		if pod, ok := obj.(*corev1.Pod); ok {
			return &kept{metav1.ObjectMeta{Namespace: pod.Namespace, Name: pod.Name, ResourceVersion: pod.ResourceVersion}, RecordOf(pod)}, nil
		}
		return obj, nil
	}
}

// ObservedWrite files a pod as the API server has returned it to a write of this process. The watch may be behind it,
// or may have shown already that the pod has gone since.
func (s *Store) ObservedWrite(pod *corev1.Pod) {
	record := RecordOf(pod)
	s.mu.Lock()
	moved, differs := types.NamespacedName{}, false
	if known := s.pods[record.Namespace][record.Name]; known != nil || record.Version > s.watchVersion {
		moved, differs = s.put(record)
	}
	s.mu.Unlock()
	if differs {
		s.report(moved, appOf(record))
	}
}

// put puts a record in its place, unless something newer is known. It returns the application that the pod was filed
// under before, if that is another one, and whether anything differs from before.
func (s *Store) put(r *Record) (moved types.NamespacedName, differs bool) {
	pod, app := types.NamespacedName{Namespace: r.Namespace, Name: r.Name}, appOf(r)
	if s.isOld(pod, r.Version) {
		return moved, false
	}
	old := s.pods[pod.Namespace][pod.Name]
	if old != nil && appOf(old) != app {
		s.drop(old)
		moved = appOf(old)
	}
	s.insert(app, r)
	s.noteChange(old, r)
	return moved, old == nil || moved.Name != "" || !same(old, r)
}

// insert adds a record to those of its application, in place of the one of the same name if there is one.
func (s *Store) insert(app types.NamespacedName, r *Record) {
	mine := s.apps[app]
	for _, sibling := range mine[max(0, len(mine)-siblings):] {
		if r.share(sibling) {
			break
		}
	}
	if i := slices.IndexFunc(mine, func(known *Record) bool { return known.Name == r.Name }); i >= 0 {
		mine[i] = r
	} else {
		s.apps[app] = append(mine, r)
	}
	if s.pods[r.Namespace] == nil {
		s.pods[r.Namespace] = map[string]*Record{}
	}
	s.pods[r.Namespace][r.Name] = r
}

// siblings is among how many of the latest pods of its application a record looks for one of the same origin.
const siblings = 4

// isOld reports whether a version of a pod is older than what is known of pods of that name. All pods count in one
// sequence of versions.
func (s *Store) isOld(pod types.NamespacedName, version uint64) bool {
	if known := s.pods[pod.Namespace][pod.Name]; known != nil {
		return known.Version > version
	}
	return version <= max(s.floors[pod.Namespace], s.floors[metav1.NamespaceAll])
}

// Delete forgets a pod. It is called by the Reflector.
func (s *Store) Delete(obj any) error {
	if gone, ok := obj.(cache.DeletedFinalStateUnknown); ok {
		obj = gone.Obj
	}
	pod, ok := obj.(*corev1.Pod)
	if !ok {
		return nil
	}
	key := types.NamespacedName{Namespace: pod.Namespace, Name: pod.Name}
	s.mu.Lock()
	s.watchVersion = max(s.watchVersion, VersionOf(pod.ResourceVersion))
	known := s.pods[key.Namespace][key.Name]
	mine := known != nil && known.UID == pod.UID
	if mine {
		s.drop(known)
	}
	s.mu.Unlock()
	if mine {
		s.report(appOf(known))
	}
	return nil
}

// Replace takes a whole list of all namespaces, made at the given resource version: by the Reflector after every LIST,
// and by Watcher.Seed. A record newer than the list stays.
func (s *Store) Replace(list []any, resourceVersion string) error {
	return s.replace(metav1.NamespaceAll, list, resourceVersion)
}

// namespaced is the store for the Reflector of one namespace, or of all under the empty name.
type namespaced struct {
	*Store
	namespace string
}

// Replace takes a whole list of the namespace.
func (n namespaced) Replace(list []any, resourceVersion string) error {
	return n.replace(n.namespace, list, resourceVersion)
}

func (s *Store) replace(namespace string, list []any, resourceVersion string) error {
	version := VersionOf(resourceVersion)
	touched := map[types.NamespacedName]bool{}
	seen := make(map[types.NamespacedName]bool, len(list))
	s.mu.Lock()
	for _, obj := range list {
		record := recordIn(obj)
		if record == nil {
			continue
		}
		seen[types.NamespacedName{Namespace: record.Namespace, Name: record.Name}] = true
		moved, differs := s.put(record)
		if differs {
			touched[moved], touched[appOf(record)] = true, true
		}
	}
	s.floors[namespace] = max(s.floors[namespace], version)
	for _, known := range s.unseen(namespace, seen, version) {
		s.drop(known)
		touched[appOf(known)] = true
	}
	s.mu.Unlock()
	for app := range touched {
		s.report(app)
	}
	return nil
}

// unseen returns the records that a list of a namespace, or of all, should have at a version and does not. The caller
// holds the lock.
func (s *Store) unseen(namespace string, seen map[types.NamespacedName]bool, version uint64) []*Record {
	var gone []*Record
	for app, records := range s.apps {
		if namespace != metav1.NamespaceAll && app.Namespace != namespace {
			continue
		}
		for _, r := range records {
			if !seen[types.NamespacedName{Namespace: r.Namespace, Name: r.Name}] && r.Version <= version {
				gone = append(gone, r)
			}
		}
	}
	return gone
}

// Resync does nothing: reports come with changes only.
func (s *Store) Resync() error { return nil }

// drop forgets a record that is in the store. The caller holds the lock.
func (s *Store) drop(known *Record) {
	app := appOf(known)
	if f, lost := failureOfLostPod(known); lost {
		s.remember(known, f)
	}
	delete(s.pods[known.Namespace], known.Name)
	if len(s.pods[known.Namespace]) == 0 {
		delete(s.pods, known.Namespace)
	}
	s.apps[app] = slices.DeleteFunc(s.apps[app], func(r *Record) bool { return r == known })
	if len(s.apps[app]) == 0 {
		delete(s.apps, app)
		delete(s.failed, app)
	}
}

func (s *Store) report(apps ...types.NamespacedName) {
	for _, app := range apps {
		if app.Name != "" {
			s.changed(app)
		}
	}
}

func appOf(r *Record) types.NamespacedName {
	return types.NamespacedName{Namespace: r.Namespace, Name: r.Application}
}

// same reports whether two records of a pod lead to the same decisions.
func same(a, b *Record) bool {
	x, y := *a, *b
	x.Origin, y.Origin = nil, nil
	x.Trouble, y.Trouble = nil, nil
	x.Ended, y.Ended = nil, nil
	x.Version, y.Version = 0, 0
	x.SchedulingGate, y.SchedulingGate = nil, nil
	if x != y || *a.Origin != *b.Origin || *a.Trouble != *b.Trouble || (a.SchedulingGate == nil) != (b.SchedulingGate == nil) {
		return false
	}
	if a.Ended == nil || b.Ended == nil {
		return a.Ended == b.Ended
	}
	return *a.Ended == *b.Ended
}
