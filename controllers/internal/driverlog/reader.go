// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package driverlog

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/sparkgate/sparkgate/internal/job/pods"
)

const (
	// readTimeout is how long reading may take.
	readTimeout = 2 * time.Second
	// nodePause is how long a node that did not answer is not asked again.
	nodePause = time.Minute
	// maxRead is how much of a log is read, in bytes.
	maxRead = 256 << 10
)

// lineCounts are how many lines at the end of a log are read: Spark prints the stack of an exception repeatedly, Java the
// last 1,024 calls of a stack that overflows, and messages about Spark's shutdown follow. If so many lines do not fit into
// maxRead, fewer are read.
var lineCounts = []int64{1200, 300, 20}

// Reader reads the beginnings and ends of logs through the API server, which asks the kubelet. It is safe for concurrent use.
type Reader struct {
	pods    corev1client.PodsGetter
	clock   clock.PassiveClock
	timeout time.Duration

	mu     sync.Mutex
	paused map[string]time.Time // node → until when it is not asked
}

// New returns a Reader.
func New(client corev1client.PodsGetter, c clock.PassiveClock) *Reader {
	return &Reader{pods: client, clock: c, timeout: readTimeout, paused: map[string]time.Time{}}
}

// Begin returns the beginning of the log of a pod's Spark container, as End returns its end.
func (r *Reader) Begin(ctx context.Context, pod *pods.Record) string {
	return r.tryTo(ctx, pod, func(ctx context.Context) (string, error) { return r.read(ctx, pod, nil) })
}

// End returns the end of the log of a pod's Spark container. It returns an empty text if the log cannot be read in
// time. It never fails, because the failed attempt must be reported with or without a log.
func (r *Reader) End(ctx context.Context, pod *pods.Record) string {
	return r.tryTo(ctx, pod, func(ctx context.Context) (text string, err error) {
		for _, lines := range lineCounts {
			if text, err = r.read(ctx, pod, &lines); err != nil || len(text) < maxRead {
				break // else the limit has cut off the end of the log
			}
		}
		return text, err
	})
}

// tryTo reads a log, unless its node has recently not answered.
func (r *Reader) tryTo(ctx context.Context, pod *pods.Record, read func(context.Context) (string, error)) string {
	if r.isPaused(pod.Node) {
		return ""
	}
	limited, cancel := context.WithTimeout(ctx, r.timeout)
	defer cancel()
	text, err := read(limited)
	if err != nil {
		if limited.Err() != nil {
			r.pause(pod.Node)
		}
		ctrl.LoggerFrom(ctx).V(1).Info("Cannot read the log of a driver", "pod", pod.Name, "error", err.Error())
	}
	return text
}

// read returns the last lines of the log of the given pod, never those of a new one with its name. If lines is nil, it
// returns the beginning.
func (r *Reader) read(ctx context.Context, record *pods.Record, lines *int64) (string, error) {
	pod, err := r.pods.Pods(record.Namespace).Get(ctx, record.Name, metav1.GetOptions{})
	if err != nil {
		return "", fmt.Errorf("read pod: %w", err)
	}
	if pod.UID != record.UID {
		return "", errors.New("another pod has the same name")
	}
	stream, err := r.pods.Pods(record.Namespace).GetLogs(record.Name, &corev1.PodLogOptions{
		Container: pods.SparkContainer(pod), TailLines: lines, LimitBytes: ptr.To[int64](maxRead),
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

// isPaused reports whether a node has recently not answered.
func (r *Reader) isPaused(node string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	until, known := r.paused[node]
	if known && !r.clock.Now().Before(until) {
		delete(r.paused, node)
		return false
	}
	return known
}

func (r *Reader) pause(node string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.paused[node] = r.clock.Now().Add(nodePause)
}
