// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package harness

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/test/integration/env"
)

// Node is a node of the cluster whose kubelet serves logs that the test writes.
type Node struct {
	// Name is the name of the node.
	Name string

	mu   sync.Mutex
	logs map[string]*podLog
}

// podLog is the log of one pod.
type podLog struct {
	text  string
	ended bool
	// from is when the first line was written; zero if that does not matter.
	from time.Time
	// changed is closed at the next change.
	changed chan struct{}
}

// NewNode registers a node.
func NewNode(t *testing.T) *Node {
	t.Helper()
	n := &Node{logs: map[string]*podLog{}}
	server := httptest.NewTLSServer(n)
	t.Cleanup(server.Close)
	t.Cleanup(server.CloseClientConnections)
	host, portText, err := net.SplitHostPort(server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	port, err := strconv.Atoi(portText)
	if err != nil {
		t.Fatal(err)
	}
	object := &corev1.Node{ObjectMeta: metav1.ObjectMeta{GenerateName: "node-"}}
	Create(t, object)
	object.Status.Addresses = []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: host}}
	object.Status.DaemonEndpoints.KubeletEndpoint.Port = int32(port)
	if err := env.Client().Status().Update(t.Context(), object); err != nil {
		t.Fatal(err)
	}
	n.Name = object.Name
	return n
}

// log returns the log of a pod.
func (n *Node) log(pod string) *podLog {
	if n.logs[pod] == nil {
		n.logs[pod] = &podLog{changed: make(chan struct{})}
	}
	return n.logs[pod]
}

// Writes appends to the log of a pod.
func (n *Node) Writes(pod *corev1.Pod, text string) { n.change(pod, text, false) }

// Ends ends the log of a pod.
func (n *Node) Ends(pod *corev1.Pod) { n.change(pod, "", true) }

func (n *Node) change(pod *corev1.Pod, text string, ends bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	l := n.log(pod.Name)
	l.text, l.ended = l.text+text, l.ended || ends
	close(l.changed)
	l.changed = make(chan struct{})
}

// Keeps makes the log of a pod begin with a line that was written at a time; what was written before is gone.
func (n *Node) Keeps(pod *corev1.Pod, from time.Time) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.log(pod.Name).from = from
}

// writeFirst writes the first line of a log after its time, if it has both.
func (n *Node) writeFirst(w http.ResponseWriter, pod string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if l := n.log(pod); !l.from.IsZero() {
		line, _, _ := strings.Cut(l.text, "\n")
		_, _ = fmt.Fprintf(w, "%s %s\n", l.from.Format(time.RFC3339Nano), line)
	}
}

// ServeHTTP serves /containerLogs/NAMESPACE/POD/CONTAINER.
func (n *Node) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	mux := http.NewServeMux()
	mux.HandleFunc("/containerLogs/{namespace}/{pod}/{container}", func(w http.ResponseWriter, r *http.Request) {
		if r.FormValue("timestamps") == "true" {
			n.writeFirst(w, r.PathValue("pod"))
			return
		}
		for sent := 0; ; {
			n.mu.Lock()
			l := n.log(r.PathValue("pod"))
			text, ended, changed := l.text[sent:], l.ended, l.changed
			n.mu.Unlock()
			if _, err := io.WriteString(w, text); err != nil {
				return
			}
			if err := http.NewResponseController(w).Flush(); err != nil {
				return
			}
			sent += len(text)
			if ended || r.FormValue("follow") != "true" {
				return
			}
			select {
			case <-changed:
			case <-r.Context().Done():
				return
			}
		}
	})
	mux.ServeHTTP(w, r)
}
