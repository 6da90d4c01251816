// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"encoding/binary"
	"fmt"
	"testing"
	"time"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/embedded/config"
	"github.com/sparkgate/sparkgate/queueing/embedded/internal/placement"
	"github.com/sparkgate/sparkgate/queueing/embedded/internal/state"
	"github.com/sparkgate/sparkgate/queueing/quota"
)

// script makes choices from the bytes of a fuzzer. After their end, all choices are 0.
type script []byte

func (s *script) choice(of int) int {
	if len(*s) == 0 {
		return 0
	}
	b := (*s)[0]
	*s = (*s)[1:]
	return int(b) % of
}

// amount returns a small number, or any at all.
func (s *script) amount() int64 {
	if s.choice(8) > 0 {
		return int64(s.choice(16))
	}
	var word [8]byte
	n := copy(word[:], *s)
	*s = (*s)[n:]
	return int64(binary.LittleEndian.Uint64(word[:]))
}

func (s *script) limit() *int64 {
	if s.choice(2) == 0 {
		return nil
	}
	v := s.amount()
	return &v
}

func (s *script) queueName() string { return fmt.Sprintf("q%d", s.choice(6)) }

func (s *script) queue() config.Queue {
	q := config.Queue{Name: s.queueName(), Admits: func(map[string]string) bool { return true }, Deleted: s.choice(8) == 1}
	if s.choice(2) == 1 {
		q.Parent = s.queueName()
	}
	if s.choice(4) == 1 {
		q.Strategy = config.StrictFIFO
	}
	if s.choice(8) == 1 {
		q.Stop = config.StopHold
	}
	if s.choice(4) == 1 {
		limit := int32(s.amount())
		q.MaxRunning = &limit
	}
	for _, resource := range []string{"cpu", "memory"} {
		if s.choice(3) > 0 {
			r := config.ResourceQuota{Resource: resource, Nominal: s.amount(), Borrowing: s.limit(), Lending: s.limit()}
			q.Flavors = append(q.Flavors, config.FlavorQuota{Name: []string{config.DefaultFlavor, "spot"}[s.choice(9)/8], Quotas: []config.ResourceQuota{r}})
		}
	}
	return q
}

func (s *script) key() queueing.Key { return keyOf(fmt.Sprintf("a%d", s.choice(12))) }

func (s *script) ask() queueing.Ask {
	requests := queueing.Resources{"cpu": s.amount(), "memory": s.amount(), "pods": 1}
	return queueing.Ask{
		Key: s.key(), Run: 1, Attempt: int64(1 + s.choice(2)), Queue: s.queueName(), Priority: int32(s.choice(3)),
		QueuedAt: epoch.Add(time.Duration(s.choice(9)) * time.Second),
		PodSets:  []queueing.PodSet{{Name: "driver", Count: 1, Requests: requests}, {Name: "executor", Count: int32(s.amount()), MinCount: int32(s.choice(4)), Requests: requests}},
	}
}

// P12, P13: whatever is configured, asked, restored and released, with whatever amounts, nothing panics, no grant is
// lost, no grant exceeds the quota, and finally nothing is left.
func FuzzEngine(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte("queues that are each other's parents, and asks of every size"))
	f.Add([]byte("\x00\x01\x00\x00\x00\x00\x01\x05\x01\x01\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f\x10\x11"))
	f.Add([]byte("\x00\x00\x00\x01\x02\x03\x00\xff\xff\xff\xff\xff\xff\xff\x7f\x01\x00\xff\xff\xff\xff\xff\xff\xff\xff\x03\x02\x01"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s := script(data)
		e := New()
		var queues []config.Queue
		grants := map[queueing.Key]queueing.Grant{}
		for step := 0; len(s) > 0 && step < 200; step++ {
			switch s.choice(8) {
			case 0, 1:
				queues = append([]config.Queue{s.queue()}, queues...)
				e.SetQueues(queues)
			case 2, 3, 4:
				e.Submit(s.ask())
			case 5:
				key := s.key()
				e.Release(key)
				delete(grants, key)
			case 6:
				a := s.ask()
				g := queueing.Grant{Run: a.Run, Attempt: a.Attempt, Queue: a.Queue, PodSets: placement.NewSignature(a.PodSets).Grant(placement.Choice{{Name: config.DefaultFlavor}, {Name: config.DefaultFlavor}}, a.PodSets[1].Count, "")}
				e.Restore(a.Key, g)
				grants[a.Key] = g
			default:
				for _, d := range e.Cycle(s.choice(4)) {
					checkRoom(t, e, d)
					grants[d.Key] = d.Grant
				}
			}
		}
		finish(t, e, grants)
	})
}

// checkRoom checks, after all grants of a cycle, that the queue of a grant does not exceed what it could ever hold in
// the cells that the grant needs.
func checkRoom(t *testing.T, e *Engine, d state.Decision) {
	t.Helper()
	n := e.hierarchy.Queues[d.Grant.Queue].Node
	for _, a := range quota.Summed(placement.ChargedAmounts(d.Grant, config.DefaultFlavor)) {
		if limit := e.hierarchy.Forest.Account(n, a.Cell).Limit(); a.Value > limit.Potential {
			t.Fatalf("%s was granted %d of %+v, of which its queue can hold %d", d.Key.Name, a.Value, a.Cell, limit.Potential)
		}
	}
}

// finish reads everything once, and then releases everything.
func finish(t *testing.T, e *Engine, grants map[queueing.Key]queueing.Grant) {
	t.Helper()
	for e.Dirty() {
		for _, d := range e.Cycle(1) {
			grants[d.Key] = d.Grant
		}
	}
	e.Queues().States()
	e.Changed()
	for i := range 12 {
		key := keyOf(fmt.Sprintf("a%d", i))
		e.Explain(key)
		v := e.Verdict(key)
		if _, holds := grants[key]; holds && v.State != queueing.Granted && v.Message[:5] != "waits" {
			t.Fatalf("%s held a grant and is %s", key.Name, says(v))
		}
		e.Release(key)
	}
	for _, s := range e.Queues().States() {
		for _, u := range s.Usage {
			if u.Used != 0 {
				t.Fatalf("%s still uses %+v", s.Name, u)
			}
		}
		if s.Pending != 0 || s.Admitted != 0 {
			t.Fatalf("%s still counts %d and %d", s.Name, s.Pending, s.Admitted)
		}
	}
}
