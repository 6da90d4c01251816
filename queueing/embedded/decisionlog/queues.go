// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package decisionlog

import (
	"encoding/json"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/sparkgate/sparkgate/queueing/embedded"
)

// Values of admits: how to determine which namespaces a queue admits. With the empty value it admits none.
const (
	bySelector = "selector" // by parsing the text of its selector
	byAnswers  = "answers"  // by recorded answers of its selector
)

type queueConfig struct {
	Name             string                    `json:"name"`
	Parent           string                    `json:"parent,omitempty"`
	Weight           int32                     `json:"weight"`
	FairSharing      bool                      `json:"fairSharing,omitempty"`
	FlavorPreference embedded.FlavorPreference `json:"flavorPreference,omitempty"`
	FairPreemption   embedded.FairPreemption   `json:"fairPreemption,omitempty"`
	Flavors          []flavorQuota             `json:"flavors,omitempty"`
	Unlimited        bool                      `json:"unlimited,omitempty"`
	Preemption       preemption                `json:"preemption,omitzero"`
	MaxRunning       *int32                    `json:"maxRunning,omitempty"`
	Strategy         embedded.Strategy         `json:"strategy,omitempty"`
	HeadTimeout      *duration                 `json:"headTimeout,omitempty"`
	Stop             embedded.StopPolicy       `json:"stop,omitempty"`
	Admits           string                    `json:"admits,omitempty"`
	Selector         string                    `json:"selector,omitempty"`
	Names            bool                      `json:"namesNamespaces,omitempty"`
	Deleted          bool                      `json:"deleted,omitempty"`
}

func queueOf(q embedded.QueueConfig) queueConfig {
	return queueConfig{
		Name: q.Name, Parent: q.Parent, Weight: q.Weight, FairSharing: q.FairSharing, FairPreemption: q.FairPreemption, FlavorPreference: q.FlavorPreference, Flavors: convertAll(q.Flavors, flavorQuotaOf),
		Unlimited:  q.Unlimited,
		Preemption: preemption(q.Preemption), MaxRunning: q.MaxRunning, Strategy: q.Strategy, HeadTimeout: (*duration)(q.HeadTimeout),
		Stop: q.Stop, Admits: admission(&q), Selector: q.SelectorText, Names: q.NamesNamespaces, Deleted: q.Deleted,
	}
}

// restore returns the queue's configuration. answers returns the recorded answers of a selector whose text cannot be
// parsed.
func (q queueConfig) restore(answers func(map[string]string) bool) (embedded.QueueConfig, error) {
	out := embedded.QueueConfig{
		Name: q.Name, Parent: q.Parent, Weight: q.Weight, FairSharing: q.FairSharing, FairPreemption: q.FairPreemption, FlavorPreference: q.FlavorPreference, Flavors: convertAll(q.Flavors, flavorQuota.restore),
		Unlimited:  q.Unlimited,
		Preemption: embedded.Preemption(q.Preemption), MaxRunning: q.MaxRunning, Strategy: q.Strategy, HeadTimeout: (*time.Duration)(q.HeadTimeout),
		Stop: q.Stop, SelectorText: q.Selector, NamesNamespaces: q.Names, Deleted: q.Deleted,
	}
	switch q.Admits {
	case "":
	case bySelector:
		selector, err := selectorOf(q.Selector)
		if err != nil {
			return out, err
		}
		out.Admits = func(l map[string]string) bool { return selector.Matches(labels.Set(l)) }
	case byAnswers:
		out.Admits = answers
	default:
		return out, fmt.Errorf("unknown value %q of admits", q.Admits)
	}
	return out, nil
}

// admission returns the value of admits for a queue.
func admission(q *embedded.QueueConfig) string {
	if q.Admits == nil {
		return ""
	}
	if _, err := selectorOf(q.SelectorText); err != nil || q.SelectorText == "" {
		return byAnswers
	}
	return bySelector
}

// selectorOf parses the output of metav1.FormatLabelSelector.
func selectorOf(text string) (labels.Selector, error) {
	if text == "<none>" {
		return labels.Everything(), nil
	}
	return labels.Parse(text)
}

// labelText returns a canonical text for labels.
func labelText(l map[string]string) string {
	if len(l) == 0 {
		return "{}"
	}
	text, _ := json.Marshal(l) // cannot fail
	return string(text)
}

type preemption struct {
	Within          embedded.Policy `json:"within,omitempty"`
	Reclaim         embedded.Policy `json:"reclaim,omitempty"`
	Borrow          embedded.Policy `json:"borrow,omitempty"`
	BorrowThreshold *int32          `json:"borrowThreshold,omitempty"`
}

type flavorQuota struct {
	Name   string          `json:"name"`
	Quotas []resourceQuota `json:"quotas,omitempty"`
}

func flavorQuotaOf(f embedded.FlavorQuota) flavorQuota {
	return flavorQuota{Name: f.Name, Quotas: convertAll(f.Quotas, resourceQuotaOf)}
}

func (f flavorQuota) restore() embedded.FlavorQuota {
	return embedded.FlavorQuota{Name: f.Name, Quotas: convertAll(f.Quotas, resourceQuota.restore)}
}

type resourceQuota struct {
	Resource  string `json:"resource"`
	Nominal   int64  `json:"nominal"`
	Borrowing *int64 `json:"borrowing,omitempty"`
	Lending   *int64 `json:"lending,omitempty"`
}

func resourceQuotaOf(r embedded.ResourceQuota) resourceQuota { return resourceQuota(r) }

func (r resourceQuota) restore() embedded.ResourceQuota { return embedded.ResourceQuota(r) }

type flavorConfig struct {
	Name        string              `json:"name"`
	NodeLabels  map[string]string   `json:"nodeLabels,omitempty"`
	NodeTaints  []corev1.Taint      `json:"nodeTaints,omitempty"`
	Tolerations []corev1.Toleration `json:"tolerations,omitempty"`
}

func flavorOf(f embedded.FlavorConfig) flavorConfig { return flavorConfig(f) }

func (f flavorConfig) restore() embedded.FlavorConfig { return embedded.FlavorConfig(f) }
