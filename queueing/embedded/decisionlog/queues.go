// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package decisionlog

import (
	"fmt"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/sparkgate/sparkgate/queueing/embedded/config"
)

// bySelector is the value of admits for a queue whose selector is rebuilt from its text.
const bySelector = "selector"

// queueConfig is a queue as it is recorded: with a word for its selector, which is a function.
type queueConfig struct {
	config.Queue
	Admits string `json:"admits,omitempty"`
}

func queueConfigs(queues []config.Queue) []queueConfig {
	out := make([]queueConfig, 0, len(queues))
	for _, q := range queues {
		recorded := queueConfig{Queue: q}
		if q.Admits != nil {
			recorded.Admits = bySelector
		}
		out = append(out, recorded)
	}
	return out
}

// restore returns the queue's configuration.
func (q queueConfig) restore() (config.Queue, error) {
	out := q.Queue
	switch q.Admits {
	case "":
		return out, nil
	case bySelector:
		selector, err := selectorOf(q.SelectorText)
		if err == nil {
			out.Admits = func(l map[string]string) bool { return selector.Matches(labels.Set(l)) }
		}
		return out, err
	}
	return out, fmt.Errorf("unknown value %q of admits", q.Admits)
}

// selectorOf parses the output of metav1.FormatLabelSelector.
func selectorOf(text string) (labels.Selector, error) {
	if text == "<none>" {
		return labels.Everything(), nil
	}
	return labels.Parse(text)
}
