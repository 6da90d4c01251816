// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package sparkctl

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sparkgate/sparkgate/internal/job/usage"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// TestUsage: what an application held is in a row of its queue, namespace and label, with its price; and what cannot be asked is refused.
func TestUsage(t *testing.T) {
	t.Parallel()
	operator.Use(t)
	w := harness.NewWorld(t, "3Gi", nil)
	me := as(t, admin(), w.Namespace)
	app := w.Apply("pi")
	driver := w.Run(app)
	me.sees([]string{"usage", "--by", "application"}, "APPLICATION", w.Namespace+"/pi", "CORE-HOURS", "REQUESTED")
	w.Kubelet.Finish(t.Context(), driver, 3, "Error")
	w.Reach(app, "Failed")

	prices := filepath.Join(t.TempDir(), "prices.yaml")
	writePrices(t, prices, "currency: EUR\ndefault: {coreHour: 3600}\n")
	var report usage.Report
	if err := json.Unmarshal([]byte(me.sees([]string{"usage", "--since", "1h", "--prices", prices, "-o", "json"})), &report); err != nil {
		t.Fatal(err)
	}
	row := report.Total
	if len(report.Rows) != 1 || report.Rows[0].Key != w.Queue.Name || row.Attempts != 1 || row.Granted.CPU <= 0 || row.Failed != row.Granted {
		t.Errorf("report %+v", report)
	}
	if row.Cost == nil || *row.Cost <= 0 || *row.WastedCost != *row.Cost || report.Currency != "EUR" {
		t.Errorf("costs: %v %v %s", row.Cost, row.WastedCost, report.Currency)
	}
	me.sees([]string{"usage", "--by", "label=team", "--prices", prices}, "LABEL", "<none>", "COST EUR", "WASTED COST")
	if lines := strings.Split(me.sees([]string{"usage", "-o", "csv", "--by", "namespace"}, "key,attempts,granted_core_hours"), "\n"); !strings.HasPrefix(lines[1], w.Namespace+",1,0.") {
		t.Errorf("CSV: %q", lines)
	}
	me.sees([]string{"usage", "--queue", "another"}, "total")
	me.fails(2, []string{"usage", "--by", "team"}, "--by", `"team"`, "label=NAME")
	me.fails(2, []string{"usage", "--by", "label=a b"}, "--by", "not the name of a label")
	me.fails(2, []string{"usage", "--since", "yesterday"}, "--since", `"yesterday"`, "7d")
	me.fails(2, []string{"usage", "--since", "-1h"}, "--since", `"-1h"`)
	me.fails(2, []string{"usage", "--since", "1h", "--until", "2h"}, "--since", "is not before the end")
	me.sees([]string{"usage", "--since", "2026-01-01", "--until", "2026-02-01T00:00:00+01:00"}, "total")
	writePrices(t, prices, "queues: {"+w.Queue.Name+": {coreHour: 1}, etl-prd: {coreHour: 2}, Kueue/jobs: {coreHour: 3}}\n")
	if r := me.calls("usage", "--prices", prices); r.code != 0 || r.problem != "The price list has prices for queue etl-prd, which does not exist; correct or remove queues.etl-prd.\n" {
		t.Errorf("a queue that does not exist: %+v", r)
	}
	writePrices(t, prices, "default: {coreHour: -1}\n")
	me.fails(1, []string{"usage", "--prices", prices}, "default.coreHour: -1 is not a price")
}

func writePrices(t *testing.T, path, list string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(list), 0o600); err != nil {
		t.Fatal(err)
	}
}
