// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package logtail

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/sparkgate/sparkgate/internal/pods"
)

const (
	// patience is how long to wait for a turn, and how long a tail may take then.
	patience = 2 * time.Second
	// turns is how many logs are read at once.
	turns = 4
	// silence is how long a node is not asked again that did not answer.
	silence = time.Minute
	// maxRead is how much of a log is read, in bytes.
	maxRead = 256 << 10
	// searched is how many lines of a log are read to find the cause of a failure: Spark repeats the stack of an exception, and logs its
	// own end behind it.
	searched = 500
)

// Reader reads ends of logs through the API server, which asks the kubelet. Safe for concurrent use.
type Reader struct {
	pods     corev1client.PodsGetter
	lines    int
	clock    clock.PassiveClock
	patience time.Duration
	turn     chan struct{}

	mu     sync.Mutex
	silent map[string]time.Time // node → until when it is not asked
}

// New returns a reader of so many lines, at most MaxLines; with 0 it reads nothing.
func New(client corev1client.PodsGetter, lines int, c clock.PassiveClock) *Reader {
	return &Reader{pods: client, lines: min(lines, MaxLines), clock: c, patience: patience, turn: make(chan struct{}, turns), silent: map[string]time.Time{}}
}

// Read returns what is kept of the log of a pod's Spark container, after hide was applied to what was read; nothing if it
// cannot be had in time. It does not fail: the attempt has, and that is to be reported with or without a log.
func (r *Reader) Read(ctx context.Context, pod *pods.Record, hide func(string) string) Log {
	if r.lines <= 0 || r.isSilent(pod.Node) {
		return Log{}
	}
	text, err := r.inTurn(ctx, pod)
	if err != nil {
		ctrl.LoggerFrom(ctx).V(1).Info("Cannot read the log of a driver", "pod", pod.Name, "error", err.Error())
	}
	if text == "" {
		return Log{}
	}
	return Read(hide(whole(text)), r.lines)
}

// inTurn reads the end of a log once there is a turn; nothing if there is none in time. The turn ends with that: what is done with the text may take
// long, and one namespace has as many callers as there are turns. Nor is a node blamed for the time in which its log waited for a turn.
func (r *Reader) inTurn(ctx context.Context, pod *pods.Record) (string, error) {
	waiting, stop := context.WithTimeout(ctx, r.patience)
	defer stop()
	select {
	case r.turn <- struct{}{}:
		defer func() { <-r.turn }()
	case <-waiting.Done():
		return "", nil
	}
	ctx, cancel := context.WithTimeout(ctx, r.patience)
	defer cancel()
	text, err := r.read(ctx, pod, searched)
	if err == nil && len(text) == maxRead { // the end is missing
		text, err = r.read(ctx, pod, r.lines)
	}
	if err != nil && ctx.Err() != nil {
		r.keepSilent(pod.Node)
	}
	return text, err
}

// read gets the last lines of the log of exactly this pod.
func (r *Reader) read(ctx context.Context, record *pods.Record, lines int) (string, error) {
	pod, err := r.pods.Pods(record.Namespace).Get(ctx, record.Name, metav1.GetOptions{})
	if err != nil {
		return "", fmt.Errorf("read pod: %w", err)
	}
	if pod.UID != record.UID {
		return "", errors.New("another pod has the same name")
	}
	stream, err := r.pods.Pods(record.Namespace).GetLogs(record.Name, &corev1.PodLogOptions{
		Container: pods.SparkContainer(pod), TailLines: ptr.To(int64(lines)), LimitBytes: ptr.To[int64](maxRead),
	}).Stream(ctx)
	if err != nil {
		return "", fmt.Errorf("open log: %w", err)
	}
	defer stream.Close()
	text, err := io.ReadAll(io.LimitReader(stream, maxRead))
	if err != nil {
		return "", fmt.Errorf("read log: %w", err)
	}
	return string(text), nil
}

// whole takes the last line off a text that was cut at maxRead: what is left of it may be a part of a secret.
func whole(text string) string {
	if end := strings.LastIndexByte(text, '\n'); len(text) == maxRead && end >= 0 {
		return text[:end]
	}
	return text
}

// isSilent reports whether a node has not answered a moment ago.
func (r *Reader) isSilent(node string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	until, known := r.silent[node]
	if known && !r.clock.Now().Before(until) {
		delete(r.silent, node)
		return false
	}
	return known
}

func (r *Reader) keepSilent(node string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.silent[node] = r.clock.Now().Add(silence)
}
