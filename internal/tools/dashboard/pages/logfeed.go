// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package pages

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/sparkgate/sparkgate/internal/base/redact"
	"github.com/sparkgate/sparkgate/internal/tools/client"
	"github.com/sparkgate/sparkgate/internal/tools/dashboard/viewer"
)

const (
	// logTail is how many lines of a log are shown at first.
	logTail = 200
	// maxLine is the maximum length of a line in bytes; the rest is left out.
	maxLine = 4 << 10
	// maxBatch is the maximum number of lines that are sent together.
	maxBatch = 256
)

// logLine is a line of a pod's log.
type logLine struct {
	pod, text string
	// first reports that the lines so far are those of another pod. Then text is empty, because the log may have no
	// line yet.
	first bool
}

// logBatch is what is sent to the page.
type logBatch struct {
	Pod   string   `json:"pod"`
	Reset bool     `json:"reset,omitempty"`
	Lines []string `json:"lines"`
}

// logFeed follows the log of one pod at a time.
type logFeed struct {
	viewer *viewer.Viewer
	wanted bool
	lines  chan logLine
	uid    types.UID
	stop   context.CancelFunc
}

func newLogFeed(v *viewer.Viewer, wanted bool) *logFeed {
	return &logFeed{viewer: v, wanted: wanted, lines: make(chan logLine, maxBatch), stop: func() {}}
}

func (f *logFeed) close() { f.stop() }

// follow follows the log of a driver instead of the previous one. If driver is nil, nothing changes.
func (f *logFeed) follow(driver *corev1.Pod) {
	if !f.wanted || driver == nil || driver.UID == f.uid {
		return
	}
	f.stop()
	ctx, stop := context.WithCancel(f.viewer.Context)
	f.uid, f.stop = driver.UID, stop
	go f.copy(ctx, driver)
}

// copy reads the log to its end.
func (f *logFeed) copy(ctx context.Context, driver *corev1.Pod) {
	send := func(line logLine) bool {
		select {
		case f.lines <- line:
			return true
		case <-ctx.Done():
			return false
		}
	}
	log, err := f.viewer.Cluster.Log(ctx, driver, client.LogOptions{Follow: true, Tail: logTail})
	if err != nil {
		if send(logLine{pod: driver.Name, first: true}) {
			send(logLine{pod: driver.Name, text: say(err.Error())})
		}
		return
	}
	defer log.Close()
	in := bufio.NewReaderSize(log, maxLine)
	for open := send(logLine{pod: driver.Name, first: true}); open; {
		text, err := readLogLine(in)
		open = err == nil && send(logLine{pod: driver.Name, text: text})
	}
}

// readLogLine returns a line, cut to the size of the buffer.
func readLogLine(in *bufio.Reader) (string, error) {
	line, err := in.ReadSlice('\n')
	text := strings.TrimRight(string(line), "\r\n")
	cut := false
	for errors.Is(err, bufio.ErrBufferFull) {
		cut = true
		_, err = in.ReadSlice('\n')
	}
	if err != nil && !(errors.Is(err, io.EOF) && text != "") {
		return "", err
	}
	text = redact.Visible(strings.ReplaceAll(text, "\t", "    "))
	if cut {
		text += " …"
	}
	return text, nil
}

// batch returns a line together with the lines that have arrived after it.
func (f *logFeed) batch(line logLine) logBatch {
	out := logBatch{Lines: []string{}}
	for {
		if out.Pod = line.pod; line.first {
			out.Reset, out.Lines = true, []string{}
		} else {
			out.Lines = append(out.Lines, line.text)
		}
		if len(out.Lines) >= maxBatch {
			return out
		}
		select {
		case line = <-f.lines:
		default:
			return out
		}
	}
}
