// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package pods

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/testing/randtest"
)

// reports collects the names of applications that a store has reported.
type reports []string

// storeUnderTest returns a store and what it has reported since the last look.
func storeUnderTest() (*Store, *reports) {
	var told reports
	return NewStore(func(name types.NamespacedName) { told = append(told, name.Name) }), &told
}

func (r *reports) take() []string {
	taken := slices.Sorted(slices.Values(*r))
	*r = nil
	return taken
}

func do(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// names returns the pods filed under an application, each with its version.
func names(s *Store, app string) []string {
	var all []string
	for _, r := range s.Of(types.NamespacedName{Namespace: "default", Name: app}) {
		all = append(all, fmt.Sprintf("%s@%d", r.Name, r.Version))
	}
	return slices.Sorted(slices.Values(all))
}

// expect compares the pods of an application and the reports.
func expect(t *testing.T, s *Store, told *reports, wantPods, wantReports []string) {
	t.Helper()
	if diff := gocmp.Diff(wantPods, names(s, "pi")); diff != "" {
		t.Errorf("pods of pi (-want +got):\n%s", diff)
	}
	if diff := gocmp.Diff(wantReports, told.take()); diff != "" {
		t.Errorf("reports (-want +got):\n%s", diff)
	}
}

func TestReportsWhatMatters(t *testing.T) {
	t.Parallel()
	s, told := storeUnderTest()
	do(t, s.Add(podOf("driver", at(1))))
	expect(t, s, told, []string{"driver@1"}, []string{"pi"})
	do(t, s.Update(podOf("driver", at(2), func(pod *corev1.Pod) { pod.Annotations = map[string]string{"note": "x"} })))
	expect(t, s, told, []string{"driver@2"}, nil) // nothing that decides anything
	do(t, s.Update(podOf("driver", at(3), container(spark, runs()))))
	expect(t, s, told, []string{"driver@3"}, []string{"pi"})
	do(t, s.Update(podOf("driver", at(4), container(spark, ended(1, "Error")))))
	expect(t, s, told, []string{"driver@4"}, []string{"pi"})
	do(t, s.Update(podOf("driver", at(5), container(spark, ended(1, "Error")))))
	expect(t, s, told, []string{"driver@5"}, nil)
	do(t, s.Update(podOf("driver", at(6), container(spark, ended(2, "Error")))))
	expect(t, s, told, []string{"driver@6"}, []string{"pi"})
	do(t, s.Delete(podOf("driver", at(7))))
	expect(t, s, told, nil, []string{"pi"})
	do(t, s.Delete(podOf("driver", at(7)))) // twice
	expect(t, s, told, nil, nil)
	if s.Len() != 0 || len(s.Applications()) != 0 {
		t.Errorf("%d pods, applications %v", s.Len(), s.Applications())
	}
}

func TestOlderVersionsAreIgnored(t *testing.T) {
	t.Parallel()
	s, told := storeUnderTest()
	do(t, s.Add(podOf("driver", at(5), container(spark, runs()))))
	told.take()
	do(t, s.Update(podOf("driver", at(4))))
	expect(t, s, told, []string{"driver@5"}, nil)
}

// TestAnotherPodOfTheSameName: the old pod's last event may come after the new pod's first.
func TestAnotherPodOfTheSameName(t *testing.T) {
	t.Parallel()
	s, told := storeUnderTest()
	another := func(pod *corev1.Pod) { pod.UID = "another" }
	do(t, s.Add(podOf("driver", at(5))))
	do(t, s.Add(podOf("driver", at(9), another)))
	expect(t, s, told, []string{"driver@9"}, []string{"pi", "pi"})
	do(t, s.Delete(podOf("driver", at(8))))
	expect(t, s, told, []string{"driver@9"}, nil)
	do(t, s.Delete(cache.DeletedFinalStateUnknown{Key: "default/driver", Obj: podOf("driver", at(10), another)}))
	expect(t, s, told, nil, []string{"pi"})
}

// TestOlderPodOfTheSameName: a pod that was replaced must not come back by a late event.
func TestOlderPodOfTheSameName(t *testing.T) {
	t.Parallel()
	s, _ := storeUnderTest()
	do(t, s.Add(podOf("driver", at(9), func(pod *corev1.Pod) { pod.UID = "another" })))
	do(t, s.Update(podOf("driver", at(5))))
	if got := s.Of(types.NamespacedName{Namespace: "default", Name: "pi"}); len(got) != 1 || got[0].UID != "another" {
		t.Errorf("the store has %+v", got)
	}
}

// TestListIsNotUndone: events that are older than a whole list, and older lists, come late and bring nothing back.
func TestListIsNotUndone(t *testing.T) {
	t.Parallel()
	s, told := storeUnderTest()
	do(t, s.Replace([]any{podOf("here", at(8))}, "10"))
	told.take()
	do(t, s.Add(podOf("gone", at(9))))
	do(t, s.Replace([]any{podOf("here", at(8)), podOf("gone", at(5))}, "7"))
	do(t, s.Update(podOf("here", at(6), deleting)))
	expect(t, s, told, []string{"here@8"}, nil)
	do(t, s.Add(podOf("gone", at(11)))) // made again
	expect(t, s, told, []string{"gone@11", "here@8"}, []string{"pi"})
}

// TestAnswersOfWrites: what the API server has answered counts at once, and brings nothing back that the watch has shown to be gone.
func TestAnswersOfWrites(t *testing.T) {
	t.Parallel()
	s, told := storeUnderTest()
	do(t, s.Add(podOf("patched", at(3))))
	do(t, s.Add(podOf("ended", at(4))))
	told.take()
	s.ObservedWrite(podOf("patched", at(6), deleting))
	expect(t, s, told, []string{"ended@4", "patched@6"}, []string{"pi"})
	do(t, s.Update(podOf("ended", at(5), deleting)))
	do(t, s.Delete(podOf("ended", at(8))))
	told.take()
	s.ObservedWrite(podOf("ended", at(7)))   // its own event and its end were faster than the answer
	s.ObservedWrite(podOf("patched", at(2))) // something newer is known
	expect(t, s, told, []string{"patched@6"}, nil)
	s.ObservedWrite(podOf("made", at(9))) // the watch has not got that far
	expect(t, s, told, []string{"made@9", "patched@6"}, []string{"pi"})
}

func TestPodChangesItsApplication(t *testing.T) {
	t.Parallel()
	s, told := storeUnderTest()
	do(t, s.Add(podOf("driver", at(1))))
	told.take()
	do(t, s.Update(podOf("driver", at(2), label(v1alpha1.ApplicationLabel, "other"))))
	expect(t, s, told, nil, []string{"other", "pi"})
	if diff := gocmp.Diff([]string{"driver@2"}, names(s, "other")); diff != "" {
		t.Errorf("pods of other (-want +got):\n%s", diff)
	}
}

func TestReplace(t *testing.T) {
	t.Parallel()
	s, told := storeUnderTest()
	do(t, s.Add(podOf("same", at(3))))
	do(t, s.Add(podOf("changed", at(3))))
	do(t, s.Add(podOf("gone", at(3))))
	do(t, s.Add(podOf("gone-elsewhere", at(3), label(v1alpha1.ApplicationLabel, "other"))))
	do(t, s.Add(podOf("newer", at(12), container(spark, runs()))))
	do(t, s.Add(podOf("younger-than-the-list", at(11))))
	told.take()
	do(t, s.Replace([]any{podOf("same", at(3)), podOf("changed", at(5), deleting), podOf("new", at(6)), podOf("newer", at(9)), "no pod"}, "10"))
	expect(t, s, told, []string{"changed@5", "new@6", "newer@12", "same@3", "younger-than-the-list@11"}, []string{"other", "pi"})
	do(t, s.Resync())
	do(t, s.Add("no pod"))
	do(t, s.Delete("no pod"))
	expect(t, s, told, []string{"changed@5", "new@6", "newer@12", "same@3", "younger-than-the-list@11"}, nil)
}

// TestAgainstALog plays a random life of pods, in which events come late and lists in between, against the truth.
func TestAgainstALog(t *testing.T) {
	t.Parallel()
	randtest.Each(t, 200, func(seed uint64) {
		random := rand.New(rand.NewPCG(seed, 0))
		s, _ := storeUnderTest()
		listed := 0 // version of the newest list
		truth, version := map[string]*corev1.Pod{}, 0
		var log []func() error    // events, in order, that the store has not seen yet
		var answers []*corev1.Pod // of writes, that have not arrived yet
		for range 60 {
			version++
			name := fmt.Sprintf("pod-%d", random.IntN(4))
			pod, exists := truth[name]
			switch {
			case exists && random.IntN(3) == 0:
				last := podOf(name, at(version), func(p *corev1.Pod) { p.UID = pod.UID })
				delete(truth, name)
				log = append(log, func() error { return s.Delete(last) })
			default:
				next := podOf(name, at(version), label(v1alpha1.ApplicationLabel, fmt.Sprintf("app-%d", random.IntN(2))))
				if next.UID = types.UID(fmt.Sprint(version)); exists {
					next.UID = pod.UID
				}
				truth[name] = next
				log = append(log, func() error { return s.Update(next) })
				if random.IntN(3) == 0 { // a write of this process, answered at some time
					answers = append(answers, next)
				}
			}
			if random.IntN(10) == 0 { // a list, which the watch is behind
				var list []any
				for _, pod := range truth {
					list = append(list, pod)
				}
				do(t, s.Replace(list, fmt.Sprint(version)))
				compare(t, s, truth, "after a list")
				listed = version
			}
			for len(log) > 0 && random.IntN(2) == 0 {
				do(t, log[0]())
				log = log[1:]
			}
			if len(answers) > 0 && random.IntN(3) == 0 {
				s.ObservedWrite(answers[0])
				answers = answers[1:]
			}
			if listed == version { // nothing has happened since
				compare(t, s, truth, "after late events")
			}
		}
		for _, event := range log {
			do(t, event())
		}
		for _, pod := range answers {
			s.ObservedWrite(pod)
		}
		compare(t, s, truth, "in the end")
	})
}

func compare(t *testing.T, s *Store, truth map[string]*corev1.Pod, when string) {
	t.Helper()
	var want, got []*Record
	for _, pod := range truth {
		want = append(want, RecordOf(pod))
	}
	for _, app := range s.Applications() {
		got = append(got, s.Of(app)...)
	}
	byName := func(a, b *Record) int { return cmp.Compare(a.Name, b.Name) }
	slices.SortFunc(want, byName)
	slices.SortFunc(got, byName)
	if diff := gocmp.Diff(want, got); diff != "" || s.Len() != len(want) {
		t.Fatalf("%s: %d pods (-want +got):\n%s", when, s.Len(), diff)
	}
}

// TestTakeGone: the driver is remembered as the watch showed it last, also if only its deletion shows that.
func TestTakeGone(t *testing.T) {
	t.Parallel()
	s := NewStore(func(types.NamespacedName) {})
	do(t, s.Add(podOf("pi-driver")))
	do(t, s.Delete(podOf("pi-driver", at(11), condition(corev1.DisruptionTarget, corev1.ConditionTrue, byEvictionAPI))))
	app := types.NamespacedName{Namespace: "default", Name: "pi"}
	gone := s.TakeGone(app)
	if gone == nil || !gone.Disrupted() || len(s.Of(app)) > 0 {
		t.Fatalf("gone: %+v, there: %v", gone, s.Of(app))
	}
	if o, ended := DriverEnded(gone.AsEnded()); !ended || o.Succeeded || o.Reason != byEvictionAPI {
		t.Errorf("ended %t: %+v", ended, o)
	}
	if s.TakeGone(app) != nil {
		t.Error("it is remembered for ever")
	}
}
