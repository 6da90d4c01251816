// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package applications

import (
	"strings"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/cmd/sparkctl/internal/fake"
)

// lockedText is a writer for several goroutines.
type lockedText struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lockedText) Write(text []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(text)
}

func (l *lockedText) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// TestDeletionThatTakesLong: the command says once what it is waiting for.
func TestDeletionThatTakesLong(t *testing.T) {
	t.Parallel()
	app := &v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{Namespace: "spark", Name: "pi", UID: "1"}}
	app.DeletionTimestamp = &metav1.Time{Time: time.Date(2026, 9, 1, 11, 0, 0, 0, time.UTC)}
	c := fake.Cluster(t, map[string][]any{
		fake.Namespaced + "sparkapplications/pi": {app, nil}, fake.Namespaced + "sparkapplications": {app},
	})
	var notes lockedText
	d := deletion{wait: true, hintAfter: time.Millisecond}
	if err := d.untilGone(t.Context(), c, "pi", &notes); err != nil {
		t.Fatal(err)
	}
	if want := "sparkapplication.sparkgate.io/pi is still being deleted: the operator stops its pods first."; strings.Count(notes.String(), want) != 1 {
		t.Errorf("%q, want %q", notes.String(), want)
	}
}
