// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package decisionlog

import (
	"encoding/json"
	"fmt"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/sparkgate/sparkgate/queueing/embedded/config"
)

// Values of admits: how to determine which namespaces a queue admits. With the empty value it admits none.
const (
	bySelector = "selector" // by parsing the text of its selector
	byAnswers  = "answers"  // by recorded answers of its selector
)

// queueConfig is a queue as it is recorded: with a word for its selector, which is a function.
type queueConfig struct {
	config.Queue
	Admits string `json:"admits,omitempty"`
}

func queueConfigs(queues []config.Queue) []queueConfig {
	out := make([]queueConfig, 0, len(queues))
	for i := range queues {
		out = append(out, queueConfig{queues[i], admission(&queues[i])})
	}
	return out
}

// restore returns the queue's configuration. answers returns the recorded answers of a selector whose text cannot be
// parsed.
func (q queueConfig) restore(answers func(map[string]string) bool) (config.Queue, error) {
	out := q.Queue
	switch q.Admits {
	case "":
	case bySelector:
		selector, err := selectorOf(q.SelectorText)
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
func admission(q *config.Queue) string {
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
