// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package viewer

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"k8s.io/apimachinery/pkg/types"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// object returns an application as the API server sends it.
func object(uid, version, queue string) []byte {
	return fmt.Appendf(nil, `{"metadata":{"name":"pi","uid":%q,"resourceVersion":%q,"labels":{"long":%q}},"spec":{"queue":{"name":%q}}}`,
		uid, version, strings.Repeat("x", 4096), queue)
}

func newTable(of *RowCache) *Table[Application] {
	return &Table[Application]{Source: newSource(), pool: poolOf[Application](of)}
}

// lists has a table read a list.
func (t *Table[T]) lists(tt *testing.T, objects ...[]byte) {
	tt.Helper()
	t.Begin()
	for _, o := range objects {
		if err := t.Listed(o); err != nil {
			tt.Fatal(err)
		}
	}
	t.Complete()
}

// TestViewersShareRows: of a version of an object there is one row for all viewers; another version and another type are
// others, and a table has only what was sent to its viewer.
func TestViewersShareRows(t *testing.T) {
	t.Parallel()
	rows := NewRowCache()
	all, some := newTable(rows), newTable(rows)
	all.lists(t, object("a", "1", "etl"), object("b", "1", "etl"))
	some.lists(t, object("a", "1", "etl"))
	if len(some.All()) != 1 || len(all.All()) != 2 || some.rows["a"] != all.rows["a"] {
		t.Fatalf("rows are not shared, or too many: %v, %v", all.rows, some.rows)
	}
	if err := all.Changed(object("a", "2", "adhoc"), false); err != nil {
		t.Fatal(err)
	}
	if is, was := all.rows["a"].App.Spec.Queue.Name, some.rows["a"].App.Spec.Queue.Name; is != "adhoc" || was != "etl" {
		t.Errorf("%s before, %s after a change", was, is)
	}
	if err := some.Changed(object("a", "2", "adhoc"), false); err != nil || some.rows["a"] != all.rows["a"] {
		t.Errorf("the new row is not shared (%v)", err)
	}
	_, whole, err := poolOf[v1alpha1.SparkApplication](rows).row(object("a", "2", "adhoc"))
	if err != nil || whole.Name != "pi" {
		t.Errorf("another type: %+v, %v", whole, err)
	}
	if err := some.Changed(object("a", "3", ""), true); err != nil || len(some.All()) != 0 || len(all.All()) != 2 {
		t.Errorf("deleted for one viewer: %d and %d rows, %v", len(some.All()), len(all.All()), err)
	}
}

// TestRowsAreForgotten: the cache keeps no row that no table has.
func TestRowsAreForgotten(t *testing.T) {
	t.Parallel()
	rows := NewRowCache()
	p := poolOf[Application](rows)
	size := func() int {
		p.mu.Lock()
		defer p.mu.Unlock()
		return len(p.known)
	}
	kept, left := newTable(rows), newTable(rows)
	kept.lists(t, object("a", "1", ""))
	left.lists(t, object("a", "1", ""), object("b", "1", ""), object("c", "1", ""))
	if size() != 3 {
		t.Fatalf("%d rows", size())
	}
	left.lists(t)
	for range 1000 {
		if runtime.GC(); size() == 1 {
			break
		}
		runtime.Gosched() // cleanups have a goroutine of their own
	}
	if size() != 1 || p.find(version{"a", "1"}) != kept.rows["a"] {
		t.Errorf("%d rows are left", size())
	}
	runtime.KeepAlive(left)
}

// TestViewersAtTheSameTime read the same list.
func TestViewersAtTheSameTime(t *testing.T) {
	t.Parallel()
	rows := NewRowCache()
	tables := make([]*Table[Application], 8)
	var reading sync.WaitGroup
	for i := range tables {
		tables[i] = newTable(rows)
		reading.Go(func() {
			tables[i].Begin()
			for n := range 50 {
				if err := tables[i].Listed(object(fmt.Sprint(n), "1", "")); err != nil {
					t.Error(err)
				}
			}
			tables[i].Complete()
		})
	}
	reading.Wait()
	for _, other := range tables[1:] {
		for uid, row := range tables[0].rows {
			if other.rows[uid] != row {
				t.Fatalf("two rows of %s", uid)
			}
		}
	}
}

// TestListThatArrives: what there is of the first list is shown until it is complete; afterwards the old one is shown until
// a new one is, and a list that breaks off leaves no trace.
func TestListThatArrives(t *testing.T) {
	t.Parallel()
	rows := newTable(NewRowCache())
	wake := make(chan struct{}, 1)
	rows.Listen(wake)
	shows := func(when string, known bool, want ...types.UID) {
		t.Helper()
		_, _, is := rows.Standing()
		got := rows.All()
		if is != known || len(got) != len(want) || (rows.some != (len(want) > 0)) {
			t.Fatalf("%s: %d rows, known: %t", when, len(got), is)
		}
		for _, uid := range want {
			found := false
			for _, row := range got {
				found = found || row.App.UID == uid
			}
			if !found {
				t.Fatalf("%s: %s is missing", when, uid)
			}
		}
	}
	listed := func(uids ...string) {
		t.Helper()
		for _, uid := range uids {
			if err := rows.Listed(object(uid, "1", "")); err != nil {
				t.Fatal(err)
			}
		}
	}
	rows.Begin()
	shows("at first", false)
	listed("a", "b")
	shows("on the way", false, "a", "b")
	select {
	case <-wake:
	default:
		t.Error("pages do not learn that something has arrived")
	}
	rows.Begin() // it broke off
	listed("c")
	rows.Complete()
	shows("complete", true, "c")
	rows.Begin()
	listed("d", "e")
	shows("read again", true, "c")
	rows.Complete()
	shows("complete again", true, "d", "e")
	if err := rows.Listed([]byte(`{"metadata":`)); err == nil {
		t.Error("half an object was accepted")
	}
}
