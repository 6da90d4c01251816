// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package trees_test

import (
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/trees"
)

// forest reads queues as "name<parent@leader".
func forest(texts ...string) *trees.Forest {
	var items []v1alpha1.SparkQueue
	for _, text := range texts {
		place, leader, _ := strings.Cut(text, "@")
		name, parent, _ := strings.Cut(place, "<")
		items = append(items, v1alpha1.SparkQueue{
			ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: v1alpha1.SparkQueueSpec{Parent: parent}, Status: v1alpha1.SparkQueueStatus{Tree: leader},
		})
	}
	return trees.New(items)
}

func TestForest(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		forest    *trees.Forest
		root      string // of queue q
		trees     []string
		claimable []string // by tree a
	}{
		"nothing":                       {forest: forest()},
		"a root":                        {forest: forest("q"), root: "q", trees: []string{"q"}},
		"below a root":                  {forest: forest("a", "q<a"), root: "a", trees: []string{"a"}, claimable: []string{"a"}},
		"the root is served":            {forest: forest("a@a", "q<a", "r<q"), root: "a", trees: []string{"a"}, claimable: []string{"q"}},
		"all are served":                {forest: forest("a@a", "q<a@a"), root: "a", trees: []string{"a"}},
		"it has moved here":             {forest: forest("a@a", "b@b", "q<a@b"), root: "a", trees: []string{"a", "b"}},
		"it was released":               {forest: forest("a@a", "b@b", "q<a"), root: "a", trees: []string{"a", "b"}, claimable: []string{"q"}},
		"the queue above is not served": {forest: forest("a@a", "p<a@b", "q<p"), root: "a", trees: []string{"a", "b"}},
		"without a queue above":         {forest: forest("q<gone@a"), trees: []string{"a"}},
		"a circle":                      {forest: forest("p<q", "q<p")},
		"a circle of one":               {forest: forest("q<q")},
		"its tree is gone":              {forest: forest("a@a", "q<a@old"), root: "a", trees: []string{"a", "old"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := tt.forest.Root("q"); got != tt.root {
				t.Errorf("root of q is %q, want %q", got, tt.root)
			}
			if got := tt.forest.Trees(); !slices.Equal(got, tt.trees) {
				t.Errorf("trees are %q, want %q", got, tt.trees)
			}
			if got := tt.forest.Claimable("a"); !slices.Equal(got, tt.claimable) {
				t.Errorf("the leader of a may begin to serve %q, want %q", got, tt.claimable)
			}
		})
	}
}

func TestEqual(t *testing.T) {
	t.Parallel()
	base := forest("a@a", "q<a")
	for text, other := range map[string]*trees.Forest{"more": forest("a@a", "q<a", "r<a"), "moved": forest("a@a", "q"), "served": forest("a@a", "q<a@a")} {
		if base.Equal(other) {
			t.Errorf("%s: equal", text)
		}
	}
	if !base.Equal(forest("q<a", "a@a")) {
		t.Error("the order of queues counts")
	}
}
