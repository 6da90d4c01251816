// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package printer

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/sparkgate/sparkgate/internal/job/usage"
)

// WriteUsage writes a report as a table for a terminal: one row for each key, and the total. key is the head of the
// first column.
func WriteUsage(out io.Writer, report usage.Report, key string) error {
	head := []string{strings.ToUpper(key), "ATTEMPTS", "CORE-HOURS", "GIB-HOURS", "GPU-HOURS", "REQUESTED", "FAILED", "PREEMPTED", "STOPPED"}
	priced := report.Total.Cost != nil
	if priced {
		head = append(head, strings.TrimSpace("COST "+report.Currency), "WASTED COST")
	}
	rows := [][]string{head}
	for _, row := range report.Rows {
		rows = append(rows, reportCells(row, priced))
	}
	if len(report.Rows) != 1 {
		rows = append(rows, reportCells(report.Total, priced))
	}
	p := &page{}
	p.table(rows)
	return p.end(out, "")
}

func reportCells(r usage.Row, priced bool) []string {
	cells := []string{cmp.Or(r.Key, "<none>"), strconv.Itoa(r.Attempts)}
	for _, hours := range []float64{r.Granted.CPU, r.Granted.Memory, r.Granted.GPU, r.Requested.CPU, r.Failed.CPU, r.Preempted.CPU, r.Stopped.CPU} {
		cells = append(cells, fmt.Sprintf("%.2f", hours))
	}
	if priced {
		cells = append(cells, money(r.Cost), money(r.WastedCost))
	}
	return cells
}

func money(amount *float64) string {
	if amount == nil {
		return ""
	}
	return fmt.Sprintf("%.2f", *amount)
}

// WriteUsageCSV writes a report as CSV with a header and full precision, without a total. Each row has the window and
// the currency, so that one file can contain the rows of several reports.
func WriteUsageCSV(out io.Writer, report usage.Report) error {
	w := csv.NewWriter(out)
	head := []string{"key", "attempts"}
	for _, part := range []string{"granted", "requested", "failed", "preempted", "stopped"} {
		head = append(head, part+"_core_hours", part+"_gib_hours", part+"_gpu_hours")
	}
	if err := w.Write(append(head, "cost", "wasted_cost", "currency", "from", "until")); err != nil {
		return err
	}
	for _, r := range report.Rows {
		cells := []string{r.Key, strconv.Itoa(r.Attempts)}
		for _, a := range []usage.Amounts{r.Granted, r.Requested, r.Failed, r.Preempted, r.Stopped} {
			cells = append(cells, inFull(&a.CPU), inFull(&a.Memory), inFull(&a.GPU))
		}
		cells = append(cells, inFull(r.Cost), inFull(r.WastedCost), report.Currency, report.From.UTC().Format(time.RFC3339), report.Until.UTC().Format(time.RFC3339))
		if err := w.Write(cells); err != nil {
			return err
		}
	}
	w.Flush()
	return w.Error()
}

func inFull(n *float64) string {
	if n == nil {
		return ""
	}
	return strconv.FormatFloat(*n, 'f', -1, 64)
}
