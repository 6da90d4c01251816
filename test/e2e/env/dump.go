// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package env

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// dumpTime is the time limit for collecting what a failed test prints.
const dumpTime = time.Minute

// dump prints everything that helps to understand why the test failed.
func (s *Namespace) dump() {
	ctx, cancel := context.WithTimeout(context.Background(), dumpTime)
	defer cancel()
	var text strings.Builder
	if s.history != nil {
		s.dumpStages(&text)
	}
	for _, args := range [][]string{
		{"get", "sgapp,pods,services,configmaps", "--output", "wide"},
		{"get", "sgq", "--output", "wide"},
		{"get", "sgq", "--selector", namespaceLabel + "=" + s.Name, "--output", "yaml"},
		{"get", "sgapp", "--output", "yaml"},
		{"get", "events", "--sort-by", ".lastTimestamp"},
		{"logs", "--selector", v1alpha1.SparkRoleLabel + "=" + v1alpha1.SparkRoleDriver, "--tail", "20", "--prefix"},
		{"--namespace", operatorNamespace, "get", "pods", "--output", "wide"},
		{"--namespace", operatorNamespace, "logs", "deployment/" + operatorName, "--tail", "40"},
	} {
		out, err := kubectl(ctx, "", append([]string{"--namespace", s.Name}, args...)...)
		fmt.Fprintf(&text, "--- kubectl %s\n%s", strings.Join(args, " "), out)
		if err != nil {
			fmt.Fprintln(&text, err)
		}
	}
	s.t.Logf("what is known of namespace %s:\n%s", s.Name, text.String())
}

// dumpStages prints every stage that was published, with its message.
func (s *Namespace) dumpStages(text *strings.Builder) {
	last := map[string]string{}
	for _, app := range s.Versions("") {
		ready := Condition(app, v1alpha1.ReadyCondition)
		line := fmt.Sprintf("%s: run %d, attempt %d, %s/%s: %s", app.Name, app.Status.Run, app.Status.Attempt, ready.Status, ready.Reason, ready.Message)
		if last[app.Name] != line {
			fmt.Fprintln(text, line)
		}
		last[app.Name] = line
	}
}
