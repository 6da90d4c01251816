// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package decisionlog

import (
	"encoding/json"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/embedded"
)

// The types below have the same fields as the types that they encode, so that the conversion stops compiling when a
// field is added there. A test checks the types that cannot be converted.

// key is encoded as a list: namespace, name, UID and, unless it is an application, the kind.
type key queueing.Key

func keyOf(k queueing.Key) key { return key(k) }

func (k key) restore() queueing.Key { return queueing.Key(k) }

func (k key) MarshalJSON() ([]byte, error) {
	parts := []string{k.Namespace, k.Name, k.UID}
	if k.Kind != "" {
		parts = append(parts, string(k.Kind))
	}
	return json.Marshal(parts)
}

func (k *key) UnmarshalJSON(text []byte) error {
	var parts [4]string // missing elements stay empty
	if err := json.Unmarshal(text, &parts); err != nil {
		return err
	}
	*k = key{Namespace: parts[0], Name: parts[1], UID: parts[2], Kind: queueing.Kind(parts[3])}
	return nil
}

// convertAll converts the elements of a list. It returns nil for an empty list.
func convertAll[A, B any](in []A, translate func(A) B) []B {
	if len(in) == 0 {
		return nil
	}
	out := make([]B, 0, len(in))
	for _, a := range in {
		out = append(out, translate(a))
	}
	return out
}

// normalize removes from a time what cannot be encoded: the time zone and the monotonic clock reading.
func normalize(t time.Time) time.Time { return t.Round(0).UTC() }

type ask struct {
	Key             key               `json:"key"`
	Run             int64             `json:"run"`
	Attempt         int64             `json:"attempt"`
	Queue           string            `json:"queue"`
	Labels          map[string]string `json:"labels,omitempty"`
	Limits          bool              `json:"needsLimits,omitempty"`
	Priority        int32             `json:"priority,omitempty"`
	QueuedAt        time.Time         `json:"queuedAt,omitzero"`
	HoldsFor        duration          `json:"holdsFor,omitempty"`
	SchedulingGated bool              `json:"gated,omitempty"`
	Part            bool              `json:"part,omitempty"`
	Inputs          string            `json:"inputs,omitempty"`
	PodSets         []podSet          `json:"podSets,omitempty"`
}

func askOf(a queueing.Ask) ask {
	return ask{
		Key: keyOf(a.Key), Run: a.Run, Attempt: a.Attempt, Queue: a.Queue, Labels: a.NamespaceLabels, Limits: a.NeedsLimits,
		Priority: a.Priority, QueuedAt: a.QueuedAt, HoldsFor: duration(a.HoldsFor), SchedulingGated: a.SchedulingGated, Part: a.Part, Inputs: a.Inputs, PodSets: convertAll(a.PodSets, podSetOf),
	}
}

func (a ask) restore() queueing.Ask {
	return queueing.Ask{
		Key: a.Key.restore(), Run: a.Run, Attempt: a.Attempt, Queue: a.Queue, NamespaceLabels: a.Labels, NeedsLimits: a.Limits,
		Priority: a.Priority, QueuedAt: a.QueuedAt, HoldsFor: time.Duration(a.HoldsFor), SchedulingGated: a.SchedulingGated, Part: a.Part, Inputs: a.Inputs, PodSets: convertAll(a.PodSets, podSet.restore),
	}
}

type podSet struct {
	Name         string              `json:"name"`
	Count        int32               `json:"count"`
	MinCount     int32               `json:"minCount,omitempty"`
	Requests     queueing.Resources  `json:"requests,omitempty"`
	Flavors      []string            `json:"flavors,omitempty"`
	Tolerations  []corev1.Toleration `json:"tolerations,omitempty"`
	NodeSelector map[string]string   `json:"nodeSelector,omitempty"`
}

func podSetOf(p queueing.PodSet) podSet { return podSet(p) }

func (p podSet) restore() queueing.PodSet { return queueing.PodSet(p) }

type grant struct {
	Run             int64    `json:"run"`
	Attempt         int64    `json:"attempt"`
	Gate            string   `json:"gate,omitempty"`
	Queue           string   `json:"queue,omitempty"`
	Ancestors       []string `json:"ancestors,omitempty"`
	Priority        int32    `json:"priority,omitempty"`
	Epoch           int64    `json:"epoch,omitempty"`
	SchedulingGated bool     `json:"gated,omitempty"`
	Part            bool     `json:"part,omitempty"`
	Inputs          string   `json:"inputs,omitempty"`
	Resizes         int64    `json:"resizes,omitempty"`
	// HoldsFor is set if the grant was possible only because of this bound.
	HoldsFor duration      `json:"holdsFor,omitzero"`
	PodSets  []podSetGrant `json:"podSets,omitempty"`
}

func grantOf(g queueing.Grant) grant {
	return grant{
		Run: g.Run, Attempt: g.Attempt, Gate: g.Gate, Queue: g.Queue, Ancestors: g.Ancestors, Priority: g.Priority, Epoch: g.Epoch, SchedulingGated: g.SchedulingGated, Part: g.Part, Inputs: g.Inputs, Resizes: g.Resizes,
		HoldsFor: duration(g.HoldsFor), PodSets: convertAll(g.PodSets, podSetGrantOf),
	}
}

func (g grant) restore() queueing.Grant {
	return queueing.Grant{
		Run: g.Run, Attempt: g.Attempt, Gate: g.Gate, Queue: g.Queue, Ancestors: g.Ancestors, Priority: g.Priority, Epoch: g.Epoch, SchedulingGated: g.SchedulingGated, Part: g.Part, Inputs: g.Inputs, Resizes: g.Resizes,
		HoldsFor: time.Duration(g.HoldsFor), PodSets: convertAll(g.PodSets, podSetGrant.restore),
	}
}

type podSetGrant struct {
	Name         string              `json:"name"`
	Flavor       string              `json:"flavor,omitempty"`
	Count        int32               `json:"count"`
	Requests     queueing.Resources  `json:"requests,omitempty"`
	NodeSelector map[string]string   `json:"nodeSelector,omitempty"`
	Tolerations  []corev1.Toleration `json:"tolerations,omitempty"`

	Labels        map[string]string `json:"labels,omitempty"`
	Annotations   map[string]string `json:"annotations,omitempty"`
	SchedulerName string            `json:"schedulerName,omitempty"`
	Elastic       bool              `json:"elastic,omitempty"`
	Flavors       []string          `json:"flavors,omitempty"`

	SchedulingGates []string `json:"schedulingGates,omitempty"`
}

func podSetGrantOf(p queueing.PodSetGrant) podSetGrant { return podSetGrant(p) }

func (p podSetGrant) restore() queueing.PodSetGrant { return queueing.PodSetGrant(p) }

type holderState struct {
	Priority    int32     `json:"priority,omitempty"`
	QueuedAt    time.Time `json:"queuedAt,omitzero"`
	Terminating bool      `json:"leaving,omitempty"`
	Stuck       bool      `json:"stuck,omitempty"`
	ReleasedBy  time.Time `json:"until,omitzero"`
}

type resizeRequest struct {
	PodSet       string              `json:"podSet,omitempty"`
	Count        int32               `json:"count,omitempty"`
	Tolerations  []corev1.Toleration `json:"tolerations,omitempty"`
	NodeSelector map[string]string   `json:"nodeSelector,omitempty"`
	Ready        map[string]int32    `json:"-"` // no decision depends on it
}

// decision is one grant of a cycle, or the growth of one.
type decision struct {
	Key   key    `json:"key"`
	Grown int32  `json:"grown,omitempty"`
	Root  string `json:"root"`
	Grant grant  `json:"grant"`
}

func decisionOf(d embedded.Decision) decision {
	return decision{Key: keyOf(d.Key), Grown: d.Grown, Root: d.Root, Grant: grantOf(d.Grant)}
}

// change is a new verdict of one or more applications, which are ordered by key.
type change struct {
	Keys    []key  `json:"keys"`
	State   string `json:"state"`
	Reason  string `json:"reason,omitempty"`
	Message string `json:"message,omitempty"`
	// PreemptedBy is the application that preempts them.
	PreemptedBy key `json:"by,omitzero"`
	// Why is the reason why a holder does not have all the pods that it wants. GivesBack is how many pods above its
	// base gang it must release.
	Why       string `json:"why,omitempty"`
	GivesBack int32  `json:"givesBack,omitempty"`
}

// changesOf groups applications by their verdicts, in the order of the first application of each group.
func changesOf(e *embedded.Engine, keys []queueing.Key) []change {
	type reported struct {
		state, reason, message, why string
		by                          key
		givesBack                   int32
	}
	out := []change{}
	at := map[reported]int{}
	for _, k := range keys {
		v := e.Verdict(k)
		t := reported{state: v.State.String(), reason: v.Reason, message: v.Message}
		if v.Grant != nil {
			if why := e.Eviction(k, v.Grant.Run, v.Grant.Attempt); why != nil {
				t.reason, t.message, t.by = why.Reason, why.Message, keyOf(why.By)
			}
			allocation := e.Allocation(k, v.Grant.Run, v.Grant.Attempt)
			t.why = allocation.Why
			for _, g := range allocation.Reclaims {
				t.givesBack += g.Count
			}
		}
		i, known := at[t]
		if !known {
			i = len(out)
			at[t] = i
			out = append(out, change{State: t.state, Reason: t.reason, Message: t.message, PreemptedBy: t.by, Why: t.why, GivesBack: t.givesBack})
		}
		out[i].Keys = append(out[i].Keys, keyOf(k))
	}
	return out
}

// duration is encoded like 1h30m0s.
type duration time.Duration

func (d duration) MarshalText() ([]byte, error) { return []byte(time.Duration(d).String()), nil }

func (d *duration) UnmarshalText(text []byte) error {
	parsed, err := time.ParseDuration(string(text))
	*d = duration(parsed)
	return err
}
