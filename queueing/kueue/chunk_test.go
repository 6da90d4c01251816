// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package kueue

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	kueuev1 "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/testing/golden"
	"github.com/sparkgate/sparkgate/internal/testing/randtest"
	"github.com/sparkgate/sparkgate/queueing"
)

// chunk returns a chunk for that many executors, after some changes.
func chunk(number int, count int32, changes ...change) *kueuev1.Workload {
	w := chunkOf(made(), v1alpha1.ExecutorPodSet, number, count)
	w.UID, w.ResourceVersion, w.Generation = "x-1", "10", 1
	for _, c := range changes {
		c(w)
	}
	return w
}

// got returns a change that admits a chunk with that many executors in a flavor.
func got(count int32, flavor kueuev1.ResourceFlavorReference) change {
	return func(w *kueuev1.Workload) {
		isAdmitted(w)
		w.Status.Admission.PodSetAssignments = []kueuev1.PodSetAssignment{
			{Name: "executor", Count: &count, Flavors: map[corev1.ResourceName]kueuev1.ResourceFlavorReference{"cpu": flavor, "memory": flavor}},
		}
	}
}

func needsLess(by int32) change {
	return func(w *kueuev1.Workload) {
		w.Status.ReclaimablePods = []kueuev1.ReclaimablePod{{Name: "executor", Count: by}}
	}
}

func isDeleted(w *kueuev1.Workload) { w.DeletionTimestamp = &noon }

var (
	isFinished  = says(kueuev1.WorkloadFinished, metav1.ConditionTrue, "Succeeded", "somebody said so")
	isPreempted = isEvicted("Preempted", "Preempted to accommodate a workload")
	checksWait  = says(kueuev1.WorkloadAdmitted, metav1.ConditionFalse, "NoChecks", "the checks are not ready")
)

// TestChunkOf: a chunk requests executors only, accepts fewer, and comes after all base gangs.
func TestChunkOf(t *testing.T) {
	t.Parallel()
	base := made()
	c := chunkOf(base, v1alpha1.ExecutorPodSet, 3, 4)
	golden.CompareYAML(t, "testdata/chunk.yaml", c)
	key, ok := keyOf(c)
	if !ok || key != ask().Key || !isOf(c, 3, 2) {
		t.Errorf("it belongs to %+v", key)
	}
	if numberOf(c.Name) != 3 || requestedCount(c) != 4 || !isChunk(c) || isChunk(base) {
		t.Errorf("it is chunk %d for %d executors", numberOf(c.Name), requestedCount(c))
	}
	if one := chunkOf(base, v1alpha1.ExecutorPodSet, 1, 1); one.Spec.PodSets[0].MinCount != nil {
		t.Error("a chunk of one has no least number: Kueue's schema wants it below the count")
	}
	if low := lowered(ptr.To[int32](math.MinInt32 + 5)); *low != math.MinInt32 {
		t.Errorf("the lowest priority is %d", *low)
	}
}

func TestSizes(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		missing, wanted int32
		want            []int32
	}{
		"none":              {0, 4, nil},
		"few, one by one":   {3, 5, []int32{1, 1, 1}},
		"many, by eighths":  {20, 20, []int32{3, 3, 3, 3, 3, 3, 2}},
		"a few beside many": {2, 100, []int32{2}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, sizes(tt.missing, tt.wanted)); diff != "" {
				t.Errorf("sizes (-want +got):\n%s", diff)
			}
		})
	}
}

// holding returns a grant with a base gang of one executor in spot, and that many executors above it.
func holding(above int32) queueing.Grant {
	g := queueing.Grant{Run: 3, Attempt: 2, Gate: Name, SchedulingGated: true, Resizes: 4, PodSets: []queueing.PodSetGrant{
		{Name: "driver", Count: 1, Flavor: "on-demand"},
		{Name: "executor", Count: 1, Flavor: "spot", Requests: queueing.Resources{"cpu": 1000}},
	}}
	if above > 0 {
		g.PodSets = append(g.PodSets, queueing.PodSetGrant{Name: "executor", Count: above, Flavor: "spot", Elastic: true})
	}
	return g
}

// asking sets the number of executors in the annotation of a chunk, which users may change.
func asking(number string) change {
	return func(w *kueuev1.Workload) { w.Annotations[chunkAnnotation] = number }
}

// TestAllocationOfChunks: the quota of the chunks belongs to the holder. Quota that they lose is reclaimed from it.
func TestAllocationOfChunks(t *testing.T) {
	t.Parallel()
	spot, onDemand := kueuev1.ResourceFlavorReference("spot"), kueuev1.ResourceFlavorReference("on-demand")
	tests := map[string]struct {
		held   int32
		chunks []*kueuev1.Workload
		want   string // sets above the base gang; what is asked back; how many are asked for; growth; chunks without use
	}{
		"no chunks":              {0, nil, "[] back [] asked 0 grown 4 useless 0"},
		"pending":                {0, []*kueuev1.Workload{chunk(1, 2), chunk(2, 1)}, "[] back [] asked 3 grown 4 useless 0"},
		"admitted":               {0, []*kueuev1.Workload{chunk(1, 2, got(2, spot))}, "[spot 2] back [] asked 2 grown 5 useless 0"},
		"admitted before":        {2, []*kueuev1.Workload{chunk(1, 2, got(2, spot))}, "[spot 2] back [] asked 2 grown 4 useless 0"},
		"admitted in part":       {0, []*kueuev1.Workload{chunk(1, 5, got(2, spot))}, "[spot 2] back [] asked 2 grown 5 useless 0"},
		"in two flavors":         {0, []*kueuev1.Workload{chunk(1, 2, got(2, spot)), chunk(2, 1, got(1, onDemand))}, "[spot 2 on-demand 1] back [] asked 3 grown 5 useless 0"},
		"two in one flavor":      {1, []*kueuev1.Workload{chunk(1, 1, got(1, spot)), chunk(2, 1, got(1, spot))}, "[spot 2] back [] asked 2 grown 5 useless 0"},
		"some are gone":          {2, []*kueuev1.Workload{chunk(1, 3, got(3, spot), needsLess(1))}, "[spot 2] back [] asked 2 grown 4 useless 0"},
		"gone from a part":       {1, []*kueuev1.Workload{chunk(1, 5, got(2, spot), needsLess(4))}, "[spot 1] back [] asked 1 grown 4 useless 0"},
		"checks are pending":     {0, []*kueuev1.Workload{chunk(1, 2, got(2, spot), checksWait)}, "[] back [] asked 2 grown 4 useless 0"},
		"evicted":                {2, []*kueuev1.Workload{chunk(1, 2, got(2, spot), isPreempted)}, "[spot 2] back [spot 2] asked 2 grown 4 useless 0"},
		"deactivated":            {1, []*kueuev1.Workload{chunk(1, 1, got(1, spot), isInactive)}, "[spot 1] back [spot 1] asked 1 grown 4 useless 0"},
		"deactivated, pending":   {0, []*kueuev1.Workload{chunk(1, 1, isInactive)}, "[] back [] asked 1 grown 4 useless 0"},
		"being deleted":          {1, []*kueuev1.Workload{chunk(1, 1, got(1, spot), isDeleted)}, "[spot 1] back [spot 1] asked 1 grown 4 useless 0"},
		"being deleted, pending": {0, []*kueuev1.Workload{chunk(1, 1, isDeleted)}, "[] back [] asked 0 grown 4 useless 1"},
		"deleted":                {2, nil, "[spot 2] back [spot 2] asked 0 grown 4 useless 0"},
		"one of two deleted":     {2, []*kueuev1.Workload{chunk(2, 1, got(1, spot))}, "[spot 2] back [spot 1] asked 1 grown 4 useless 0"},
		"ended by somebody":      {1, []*kueuev1.Workload{chunk(1, 1, got(1, spot), isFinished)}, "[spot 1] back [spot 1] asked 0 grown 4 useless 1"},
		"asks again too late":    {0, []*kueuev1.Workload{chunk(1, 2, needsLess(1))}, "[] back [] asked 0 grown 4 useless 1"},
		"number was changed": {1, []*kueuev1.Workload{chunk(1, 1, got(1, spot), func(w *kueuev1.Workload) { w.Annotations[chunkAnnotation] = "many" })},
			"[spot 1] back [spot 1] asked 0 grown 4 useless 0"},
		"number was made negative":   {0, []*kueuev1.Workload{chunk(1, 1, asking("-2147483648")), chunk(2, 1)}, "[] back [] asked 1 grown 4 useless 0"},
		"numbers were made enormous": {0, []*kueuev1.Workload{chunk(1, 1, asking("2147483647")), chunk(2, 1, asking("2147483647"))}, "[] back [] asked 2147483647 grown 4 useless 0"},
		"enormous numbers have quota": {0, []*kueuev1.Workload{chunk(1, 1, asking("2147483647"), got(math.MaxInt32, spot)), chunk(2, 1, asking("2147483647"), got(math.MaxInt32, spot))},
			"[spot 2147483647] back [] asked 2147483647 grown 5 useless 0"},
		"enormous numbers are not needed": {0, []*kueuev1.Workload{chunk(1, 1, asking("2147483647"), got(math.MaxInt32, spot), func(w *kueuev1.Workload) {
			needsLess(math.MaxInt32)(w)
			w.Status.ReclaimablePods = append(w.Status.ReclaimablePods, w.Status.ReclaimablePods...)
		})}, "[] back [] asked 0 grown 4 useless 1"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			held := holding(tt.held)
			tally := usageOf(tt.chunks, func(w *kueuev1.Workload) (*queueing.PodSetGrant, error) {
				return &queueing.PodSetGrant{Name: "executor", Flavor: flavorOf(w)}, nil
			})
			room := tally.allocation(held)
			var sets, back []string
			for _, p := range room.Grant.PodSets {
				if p.Elastic {
					sets = append(sets, fmt.Sprint(p.Flavor, " ", p.Count))
				}
			}
			for _, b := range room.Reclaims {
				back = append(back, fmt.Sprint(b.Flavor, " ", b.Count))
				if b.Why.Message == "" || b.Why.Reason == "" {
					t.Errorf("nobody is told why: %+v", b)
				}
			}
			got := fmt.Sprintf("%v back %v asked %d grown %d useless %d", sets, back, tally.asked, room.Grant.Resizes, len(tally.useless))
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestUnusable: a chunk whose flavor contradicts the pods is not usable, and its message says so. A chunk with an
// unknown flavor is not usable for now.
func TestUnusable(t *testing.T) {
	t.Parallel()
	contrary := &contradiction{podSet: "executor", kind: "node selector", key: "class", has: "gpu", wants: "spot"}
	for name, err := range map[string]error{"contradiction": contrary, "no such flavor": missingFlavor("spot")} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tally := usageOf([]*kueuev1.Workload{chunk(1, 2, got(2, "spot"))}, func(*kueuev1.Workload) (*queueing.PodSetGrant, error) { return nil, err })
			if len(tally.sets) > 0 || tally.asked != 2 {
				t.Errorf("room %v, asked for %d", tally.sets, tally.asked)
			}
			if why := tally.why(made(isAdmitted)); why != err.Error() {
				t.Errorf("told %q, want %q", why, err)
			}
			if held := len(tally.unusable) == 1; held != (err == error(contrary)) {
				t.Errorf("%d chunks are to be held", len(tally.unusable))
			}
		})
	}
}

// TestChunkWithoutAWord: a message says that Kueue has not evaluated a chunk only if no chunk has a reason.
func TestChunkWithoutAWord(t *testing.T) {
	t.Parallel()
	silent := chunk(1, 2)
	for name, tt := range map[string]struct {
		chunks []*kueuev1.Workload
		want   string
	}{
		"none":          {nil, ""},
		"silent":        {[]*kueuev1.Workload{silent}, "has not evaluated Workload " + silent.Name},
		"another waits": {[]*kueuev1.Workload{silent, chunk(2, 2, says(kueuev1.WorkloadQuotaReserved, metav1.ConditionFalse, "Pending", "no fit"))}, "no fit"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tally := usageOf(tt.chunks, nil)
			why := tally.why(made(isAdmitted))
			if !strings.Contains(why, tt.want) || (why == "") != (tt.want == "") {
				t.Errorf("%q, want %q", why, tt.want)
			}
		})
	}
}

// TestSurplus: waiting chunks beyond the wanted executors are deleted, the newest first, and only as a whole.
func TestSurplus(t *testing.T) {
	t.Parallel()
	waiting := []*kueuev1.Workload{chunk(1, 2, got(2, "spot")), chunk(2, 2), chunk(3, 3), chunk(4, 1)}
	for wanted, want := range map[int32]string{9: "", 8: "", 7: "4", 6: "4", 4: "4 3", 2: "4 3 2", 0: "4 3 2"} {
		tally := usageOf(waiting, func(*kueuev1.Workload) (*queueing.PodSetGrant, error) {
			return &queueing.PodSetGrant{Flavor: "spot"}, nil
		})
		var gone []string
		for _, w := range tally.surplus(wanted) {
			gone = append(gone, fmt.Sprint(numberOf(w.Name)))
		}
		if got := strings.Join(gone, " "); got != want {
			t.Errorf("wanted %d: chunks %q go, want %q", wanted, got, want)
		}
	}
}

// TestChunkWithQuotaBeforeItsChecks: a chunk that has quota but waits for admission checks is not part of a grant yet.
// It is kept as long as it is wanted.
func TestChunkWithQuotaBeforeItsChecks(t *testing.T) {
	t.Parallel()
	w := chunk(1, 2, got(2, "spot"), checksWait)
	g, c := gateOver(t, made(isAdmitted), w)
	pass := func(wanted int32) error {
		room := g.Resize(t.Context(), ask().Key, holding(0), queueing.ResizeRequest{PodSet: "executor", Count: wanted, Ready: map[string]int32{}})
		if len(room.Grant.PodSets) > 2 || wanted > 0 && !strings.Contains(room.Why, "waits for Kueue to admit it") {
			t.Errorf("it has %+v, and says %q", room.Grant.PodSets, room.Why)
		}
		g.Persisted(t.Context(), ask().Key, *room.Grant)
		return c.Get(t.Context(), client.ObjectKeyFromObject(w), &kueuev1.Workload{})
	}
	if err := pass(2); err != nil {
		t.Errorf("after a pass: %v", err)
	}
	if err := pass(0); !apierrors.IsNotFound(err) {
		t.Errorf("no longer wanted, it is still there: %v", err)
	}
}

// TestChecksPassInMidPass: the checks of a chunk pass while its application writes a grant without it. The application
// has not seen that yet, so the chunk is kept.
func TestChecksPassInMidPass(t *testing.T) {
	t.Parallel()
	w := chunk(1, 2, got(2, "spot"), checksWait)
	g, c := gateOver(t, made(isAdmitted), w)
	room := g.Resize(t.Context(), ask().Key, holding(0), queueing.ResizeRequest{PodSet: "executor", Count: 2, Ready: map[string]int32{}})
	passed := &kueuev1.Workload{}
	if err := c.Get(t.Context(), client.ObjectKeyFromObject(w), passed); err != nil {
		t.Fatal(err)
	}
	isAdmitted(passed)
	got(2, "spot")(passed)
	if err := c.Status().Update(t.Context(), passed); err != nil {
		t.Fatal(err)
	}
	err := wait.PollUntilContextTimeout(t.Context(), time.Millisecond, 30*time.Second, true, func(context.Context) (bool, error) {
		shown, _ := g.view.workloads.Get(w.Namespace, w.Name).(*kueuev1.Workload)
		return shown != nil && admitted(shown), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	g.Persisted(t.Context(), ask().Key, *room.Grant)
	if err := c.Get(t.Context(), client.ObjectKeyFromObject(w), passed); err != nil {
		t.Errorf("what has just passed its checks: %v", err)
	}
}

// TestGrowthThatWasNotWritten: an application has seen a chunk's quota, failed to write it, and then does not see it,
// because the watch is behind. The chunk is kept.
func TestGrowthThatWasNotWritten(t *testing.T) {
	t.Parallel()
	w, base := chunk(1, 2, got(2, "spot")), made(isAdmitted)
	g, c := gateOver(t, base, w)
	wanted := queueing.ResizeRequest{PodSet: "executor", Count: 2, Ready: map[string]int32{}}
	g.Resize(t.Context(), ask().Key, holding(0), wanted)
	g.resizer.writer.recordDeletion(base)
	g.Persisted(t.Context(), ask().Key, *g.Resize(t.Context(), ask().Key, holding(0), wanted).Grant)
	if err := c.Get(t.Context(), client.ObjectKeyFromObject(w), &kueuev1.Workload{}); err != nil {
		t.Errorf("what was not written: %v", err)
	}
}

// TestFlavorChanges: a flavor is changed so that it contradicts the executors of a chunk. Existing executors keep its
// quota while they run. A chunk without executors is not used.
func TestFlavorChanges(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ above, stay int32 }{"executors are there": {2, 2}, "none is there": {0, 0}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := chunk(1, 2, got(2, "spot"))
			g, c := gateOver(t, made(isAdmitted), w, flavorNamed("spot"))
			room := g.Resize(t.Context(), ask().Key, holding(tt.above), queueing.ResizeRequest{
				PodSet: "executor", Count: 2, Ready: map[string]int32{}, NodeSelector: map[string]string{"class": "gpu"},
			})
			if n := elasticCount(room.Grant.PodSets, "spot"); n != tt.stay || len(room.Reclaims) > 0 {
				t.Errorf("%d executors have quota, and %v are to end; want %d", n, room.Reclaims, tt.stay)
			}
			after := &kueuev1.Workload{}
			if err := c.Get(t.Context(), client.ObjectKeyFromObject(w), after); err != nil || reserved(after) != (tt.stay > 0) {
				t.Errorf("the chunk has quota: %t, %v", reserved(after), err)
			}
		})
	}
}

// TestUnseenChunk: a chunk that the watch has not shown counts as requested, also if the watch shows the deletion of an
// earlier one of the same name.
func TestUnseenChunk(t *testing.T) {
	t.Parallel()
	g, _ := gateOver(t, made(isAdmitted))
	earlier, later := chunk(1, 2), chunk(1, 2, func(w *kueuev1.Workload) { w.UID = "x-2" })
	unseen := g.requester.unseen
	unseen.add(ask().Key, later)
	g.view.workloads.Changed(earlier)
	if n, _ := unseen.chunks(ask().Key); n != 2 {
		t.Errorf("%d executors are asked for by what the watch has not shown, want 2", n)
	}
	g.view.workloads.Changed(later)
	if n, _ := unseen.chunks(ask().Key); n != 0 {
		t.Errorf("%d executors count twice", n)
	}
}

// TestSettlements: quota is returned from reclaimed chunks once all their executors have ended, and otherwise from the
// newest chunks.
func TestSettlements(t *testing.T) {
	t.Parallel()
	one, two := chunk(1, 3, got(3, "spot")), chunk(2, 2, got(2, "spot"))
	out := chunk(3, 2, got(2, "spot"), isPreempted)
	for name, tt := range map[string]struct {
		chunks  []*kueuev1.Workload
		surplus int32
		want    string
	}{
		"nothing":                    {[]*kueuev1.Workload{one, two}, 0, ""},
		"more is used than granted":  {[]*kueuev1.Workload{one, two}, -1, ""},
		"a part":                     {[]*kueuev1.Workload{one, two}, 1, "2:1"},
		"a whole":                    {[]*kueuev1.Workload{one, two}, 2, "2:2"},
		"a whole and a part":         {[]*kueuev1.Workload{one, two}, 3, "2:2 1:1"},
		"all":                        {[]*kueuev1.Workload{one, two}, 5, "2:2 1:3"},
		"asked back, some have left": {[]*kueuev1.Workload{one, two, out}, 1, ""},
		"asked back, gone":           {[]*kueuev1.Workload{one, two, out}, 2, "3:2"},
		"asked back, and more":       {[]*kueuev1.Workload{one, two, out}, 3, "3:2 2:1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, s := range reclaims(tt.chunks, tt.surplus) {
				got = append(got, fmt.Sprintf("%d:%d", numberOf(s.chunk.Name), s.count))
			}
			if diff := cmp.Diff(tt.want, strings.Join(got, " ")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestSettlementsNeverGiveTooMuch: whatever the chunks, no more than the surplus is returned, and no more than a chunk
// has. Without reclaimed chunks, the whole surplus is returned.
func TestSettlementsNeverGiveTooMuch(t *testing.T) {
	t.Parallel()
	randtest.Each(t, 500, func(seed uint64) {
		r := rand.New(rand.NewPCG(seed, 1))
		var chunks []*kueuev1.Workload
		var total int32
		anyBack := false
		for i := range r.IntN(6) {
			asked := int32(1 + r.IntN(5))
			c := chunk(i+1, asked, got(1+r.Int32N(asked), "spot"))
			if r.IntN(3) == 0 {
				isPreempted(c)
				anyBack = true
			}
			total += charged(c)
			chunks = append(chunks, c)
		}
		surplus := r.Int32N(total+2) - 1
		var back int32
		for _, s := range reclaims(chunks, surplus) {
			if s.count <= 0 || s.count > charged(s.chunk) || reclaimRequested(s.chunk) && s.count != charged(s.chunk) {
				t.Errorf("chunk %d gives %d of %d back", numberOf(s.chunk.Name), s.count, charged(s.chunk))
			}
			back += s.count
		}
		if back > max(0, surplus) || !anyBack && back != min(total, max(0, surplus)) {
			t.Errorf("%d go back of a surplus of %d, with %d in all", back, surplus, total)
		}
	})
}

// TestReadyOf: a chunk is ready when all its executors are. Ready executors count for the base gang and older chunks
// first.
func TestReadyOf(t *testing.T) {
	t.Parallel()
	chunks := []*kueuev1.Workload{chunk(1, 2, got(2, "spot")), chunk(2, 1, got(1, "spot")), chunk(3, 1, got(1, "on-demand")), chunk(4, 1)}
	for ready, want := range map[[2]int32]string{{0, 0}: "", {2, 0}: "", {3, 0}: "1", {4, 1}: "1 2 3", {0, 1}: "3"} {
		var got []string
		for _, w := range readyOf(chunks, holding(4), queueing.ResizeRequest{PodSet: v1alpha1.ExecutorPodSet, Ready: map[string]int32{"spot": ready[0], "on-demand": ready[1]}}) {
			got = append(got, fmt.Sprint(numberOf(w.Name)))
		}
		if got := strings.Join(got, " "); got != want {
			t.Errorf("%v ready: chunks %q, want %q", ready, got, want)
		}
	}
}
