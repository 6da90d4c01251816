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

// Store holds the records of all Spark pods. Reflectors fill it. It is safe for concurrent use.
type Store struct {
	// changed is called with the application whose pods have changed, without a lock held.
	changed func(types.NamespacedName)

	mu   sync.RWMutex
	apps map[types.NamespacedName][]*Record
	pods map[string]map[string]*Record // namespace → pod name → record
	// failed are the failed executors of the newest attempt of each application that has any. They are kept as long as
	// the application has pods.
	failed map[types.NamespacedName]*failures
	// floors are the versions of the newest complete list of each namespace, or of all namespaces under the empty name.
	// A pod that was not in that list and is not newer is gone.
	floors map[string]uint64
	// watchVersion is the version of the newest event of the watch, whose events are ordered by version. A pod that is
	// not in the store and is not newer is gone.
	watchVersion uint64
}

var _ cache.TransformingStore = (*Store)(nil)

// NewStore returns an empty store that calls changed for each application whose pods change.
func NewStore(changed func(types.NamespacedName)) *Store {
	return &Store{
		changed: changed,
		apps:    map[types.NamespacedName][]*Record{},
		pods:    map[string]map[string]*Record{},
		failed:  map[types.NamespacedName]*failures{},
		floors:  map[string]uint64{},
	}
}

// Of returns the records of all pods that have the name of the application in their label, in no particular order. They
// may belong to an earlier application with that name, so compare AppUID.
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

// Len returns the number of records.
func (s *Store) Len() int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	n := 0
	for _, records := range s.apps {
		n += len(records)
	}
	return n
}

// Add stores the record of a new pod. The Reflector calls it.
func (s *Store) Add(obj any) error { return s.putObject(obj) }

// Update stores the record of a changed pod. The Reflector calls it.
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

// recordIn returns the record of an object from the Reflector or a list; nil if it is not a pod.
func recordIn(obj any) *Record {
	switch o := obj.(type) {
	case *kept:
		return o.Record
	case *corev1.Pod:
		return RecordOf(o)
	}
	return nil
}

// kept is a record on its way to the store. The Reflector collects its first list in a temporary store, which needs
// metadata.
type kept struct {
	metav1.ObjectMeta
	*Record
}

// Transformer returns a function that lets the Reflector keep records instead of pods while it collects its first list.
// Nothing but the quota of their creators bounds the number and size of pods.
func (s *Store) Transformer() cache.TransformFunc {
	return func(obj any) (any, error) {
		if pod, ok := obj.(*corev1.Pod); ok {
			return &kept{metav1.ObjectMeta{Namespace: pod.Namespace, Name: pod.Name, ResourceVersion: pod.ResourceVersion}, RecordOf(pod)}, nil
		}
		return obj, nil
	}
}

// ObservedWrite stores a pod as the API server returned it to a write of this process. It is ignored if the watch has
// shown something newer, such as the deletion of the pod.
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

// put stores a record, unless a newer version is known. It returns the application under which the pod was stored
// before, if that is another one, and whether the new record differs from the old one.
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

// insert adds a record to those of its application, or replaces the one with the same name.
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

// siblings is the number of latest pods of the application among which a record looks for one with the same origin.
const siblings = 4

// isOld reports whether a version of a pod is older than what is known about pods of that name. The versions of all
// pods form one sequence.
func (s *Store) isOld(pod types.NamespacedName, version uint64) bool {
	if known := s.pods[pod.Namespace][pod.Name]; known != nil {
		return known.Version > version
	}
	return version <= max(s.floors[pod.Namespace], s.floors[metav1.NamespaceAll])
}

// Delete removes the record of a pod. The Reflector calls it.
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

// Replace stores a complete list of the pods of all namespaces, read at that resource version, and removes the pods
// that are not in it. The Reflector calls it after every LIST, and so does Watcher.Seed. Records newer than the list
// stay.
func (s *Store) Replace(list []any, resourceVersion string) error {
	return s.replace(metav1.NamespaceAll, list, resourceVersion)
}

// namespaced is the store as the Reflector of one namespace sees it, or of all under the empty name.
type namespaced struct {
	*Store
	namespace string
}

// Replace stores a complete list of the pods of the namespace.
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

// unseen returns the records of a namespace, or of all, which a list at that version should contain but does not. The
// caller holds the lock.
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

// Resync does nothing: changes are the only reports.
func (s *Store) Resync() error { return nil }

// drop removes a record from the store. The caller holds the lock.
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
