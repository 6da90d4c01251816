// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import "strings"

// application is the part of a SparkApplication that the demo looks at.
type application struct {
	Metadata struct {
		Name              string `json:"name"`
		DeletionTimestamp string `json:"deletionTimestamp"`
	} `json:"metadata"`
	Status struct {
		Queue      string      `json:"queue"`
		Conditions []condition `json:"conditions"`
		Driver     struct {
			PodName string `json:"podName"`
		} `json:"driver"`
		Executors struct {
			Summary string `json:"summary"`
		} `json:"executors"`
	} `json:"status"`
}

type condition struct {
	Type    string `json:"type"`
	Status  string `json:"status"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
}

func (a application) condition(kind string) condition {
	for _, c := range a.Status.Conditions {
		if c.Type == kind {
			return c
		}
	}
	return condition{}
}

// stage is how far an application has come, in words for people.
type stage int

const (
	unseen stage = iota
	queued
	admitted
	submitted
	running
	succeeded
	failed
)

var stageNames = []string{"unseen", "queued", "admitted", "submitted", "running", "succeeded", "failed"}

func (s stage) String() string { return stageNames[s] }

func (s stage) final() bool { return s >= succeeded }

// stageOf reads the stage from the conditions; the reason of Ready says most of it.
func stageOf(a application) stage {
	ready := a.condition("Ready")
	switch {
	case ready.Status == "True":
		return succeeded
	case a.condition("Stalled").Status == "True":
		return failed
	}
	switch ready.Reason {
	case "Running", "Finalizing":
		return running
	case "Submitting", "Starting":
		return submitted
	case "":
		return unseen
	}
	if a.condition("Admitted").Status == "True" {
		return admitted
	}
	return queued
}

// progress follows one application.
type progress struct {
	name    string
	last    application
	reached stage
	waits   string // why it waits, as last printed
}

// step is one line to print.
type step struct {
	stage stage
	note  string
}

// update takes the newest state and returns what is new. Stages that share a write with the next one are also printed, so that
// every application passes through all of them.
func (p *progress) update(a application) []step {
	p.last = a
	now := stageOf(a)
	var steps []step
	for s := p.reached + 1; s <= now; s++ {
		if now == failed && s < failed {
			continue // it did not get there
		}
		if s < failed {
			steps = append(steps, step{s, p.note(s)})
		}
	}
	if now == failed && p.reached != failed {
		steps = append(steps, step{failed, a.condition("Ready").Reason + ": " + a.condition("Ready").Message})
	}
	if now == queued {
		steps = append(steps, p.waiting(a)...)
	}
	p.reached = max(p.reached, now)
	return steps
}

// waiting prints why an application is not admitted, whenever that changes.
func (p *progress) waiting(a application) []step {
	c := a.condition("Admitted")
	if c.Status != "False" || c.Message == "" || c.Message == p.waits {
		return nil
	}
	p.waits = c.Message
	return []step{{queued, c.Message}}
}

// note adds what is known and of interest at a stage.
func (p *progress) note(s stage) string {
	switch s {
	case queued:
		if p.last.Status.Queue != "" {
			return "in queue " + p.last.Status.Queue
		}
	case submitted:
		if p.last.Status.Driver.PodName != "" {
			return "driver " + p.last.Status.Driver.PodName
		}
	}
	return ""
}

// resultLine returns the line of a driver's log that the examples exist for.
func resultLine(log string) string {
	for line := range strings.Lines(log) {
		if strings.Contains(line, "Pi is roughly") {
			return strings.TrimSpace(line)
		}
	}
	return ""
}
