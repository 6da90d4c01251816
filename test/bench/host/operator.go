// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package host

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const (
	// lull is how long an idle operator has to use hardly any CPU. It is longer than the operator's own delays of a few
	// seconds (a driver that does not start at once, the interval at which queues are written).
	lull = 4500 * time.Millisecond
	// idleShare is the share of one CPU that an idle operator may use: for garbage collection, and to renew watches.
	idleShare = 0.02
	// GCPercent is the percentage by which the operator's heap grows between two garbage collections.
	GCPercent = 200
)

// Operator is one start of the operator's program.
type Operator struct {
	// Started is when the process was started.
	Started time.Time

	command *exec.Cmd
	url     string
	log     string
	ended   chan struct{}
	// err is valid once ended is closed.
	err error
}

// Environment has the variables in config/manager that affect memory and CPU time: the memory limit of the container,
// from which the operator derives that of Go, and how far the heap grows between two garbage collections.
var Environment = []string{"GOGC=" + strconv.Itoa(GCPercent), "CONTAINER_MEMORY_LIMIT=" + strconv.Itoa(1<<30)}

// StartOperator starts the program as it is shipped, in its Environment, as the only replica, with its metrics and
// profiles on a free port.
func StartOperator(program string, s *Server) (*Operator, error) {
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	flags := []string{"--enable-leader-election=false", "--stage-events=false", "--allowed-gates=Embedded,Kueue,Volcano,YuniKorn,None",
		"--enable-pprof", "--health-addr=0", "--explain-addr=0", "--metrics-addr=" + address}
	o, err := StartPeer(s, program, append(flags, s.OperatorFlags...), append([]string{"KUBECONFIG=" + s.Kubeconfig}, Environment...)...)
	if err == nil {
		o.url = "http://" + address
	}
	return o, err
}

// StartPeer starts the program of another operator, of which only the processes are measured: its metrics are not read.
func StartPeer(s *Server, program string, flags []string, environment ...string) (*Operator, error) {
	log, err := os.CreateTemp(s.Dir, "operator-*.log")
	if err != nil {
		return nil, err
	}
	defer log.Close()
	o := &Operator{log: log.Name(), ended: make(chan struct{})}
	o.command = exec.Command(program, flags...)
	o.command.Env = append(os.Environ(), environment...)
	o.command.Dir = filepath.Dir(program)
	o.command.Stdout, o.command.Stderr = log, log
	// It must not outlive the benchmark, whatever happens to that.
	o.command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
	o.Started = time.Now()
	if err := o.command.Start(); err != nil {
		return nil, fmt.Errorf("start the operator: %w", err)
	}
	go func() {
		o.err = o.command.Wait()
		close(o.ended)
	}()
	return o, nil
}

// freeAddress returns an address on which no process listens now.
func freeAddress() (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return listener.Addr().String(), listener.Close()
}

// PID returns the number of the process.
func (o *Operator) PID() int { return o.command.Process.Pid }

// CPU returns the CPU time of the process so far.
func (o *Operator) CPU() (time.Duration, error) {
	select {
	case <-o.ended:
		return 0, fmt.Errorf("the operator has ended: %w\n%s", o.err, o.tail())
	default:
	}
	return ProcessCPU(o.PID())
}

// TreeCPU returns the CPU time of the process and of all processes that it has started, so far. Those that have ended
// count only if the process has waited for them.
func (o *Operator) TreeCPU() (time.Duration, error) {
	if _, err := o.CPU(); err != nil {
		return 0, err
	}
	return treeCPU(o.PID())
}

// Pause stops the process where it is; Continue resumes it. Requests that were sent before are still carried out.
func (o *Operator) Pause() error { return o.command.Process.Signal(syscall.SIGSTOP) }

// Continue undoes Pause.
func (o *Operator) Continue() error { return o.command.Process.Signal(syscall.SIGCONT) }

// WaitIdle returns once the operator has been idle for a few seconds.
func (o *Operator) WaitIdle(ctx context.Context) error {
	last, err := o.CPU()
	if err != nil {
		return err
	}
	for {
		if err := sleep(ctx, lull); err != nil {
			return fmt.Errorf("waiting for the operator to be idle: %w", err)
		}
		now, err := o.CPU()
		if err != nil {
			return err
		}
		if float64(now-last) <= idleShare*float64(lull) {
			return nil
		}
		last = now
	}
}

// Stop ends the process, and returns once it has ended.
func (o *Operator) Stop() error {
	_ = o.command.Process.Signal(syscall.SIGTERM)
	select {
	case <-o.ended:
	case <-time.After(15 * time.Second):
		_ = o.command.Process.Kill()
		<-o.ended
	}
	var exit *exec.ExitError
	if o.err != nil && !errors.As(o.err, &exit) {
		return fmt.Errorf("stop the operator: %w", o.err)
	}
	return nil
}

// Requests returns the number of requests that the operator has sent to the API server; watches that continue are not
// counted again.
func (o *Operator) Requests(ctx context.Context) (int, error) {
	total, err := o.sum(ctx, "rest_client_requests_total")
	return int(total), err
}

// Heap returns the memory that the operator's Go runtime has allocated and not freed, in bytes, after a garbage
// collection.
func (o *Operator) Heap(ctx context.Context) (int64, error) {
	if err := o.get(ctx, "/debug/pprof/heap?gc=1", io.Discard); err != nil {
		return 0, err
	}
	bytes, err := o.sum(ctx, "go_memstats_heap_alloc_bytes")
	return int64(bytes), err
}

// sum returns the sum of all series of a metric.
func (o *Operator) sum(ctx context.Context, metric string) (float64, error) {
	var text strings.Builder
	if err := o.get(ctx, "/metrics", &text); err != nil {
		return 0, err
	}
	total, found := 0.0, false
	for line := range strings.Lines(text.String()) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		if before, _, _ := strings.Cut(name, "{"); before != metric {
			continue
		}
		n, err := strconv.ParseFloat(value[strings.LastIndexByte(value, ' ')+1:], 64)
		if err != nil {
			return 0, fmt.Errorf("metric %s: %w", metric, err)
		}
		total, found = total+n, true
	}
	if !found {
		return 0, fmt.Errorf("the operator has no metric %s", metric)
	}
	return total, nil
}

// HeapProfile writes a profile of the live heap to a file.
func (o *Operator) HeapProfile(ctx context.Context, path string) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer file.Close()
	return o.get(ctx, "/debug/pprof/heap?gc=1", file)
}

// Profile writes a CPU profile of the given length to a file.
func (o *Operator) Profile(ctx context.Context, length time.Duration, path string) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer file.Close()
	return o.get(ctx, fmt.Sprintf("/debug/pprof/profile?seconds=%d", int(length.Seconds())), file)
}

func (o *Operator) get(ctx context.Context, path string, to io.Writer) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, o.url+path, nil)
	if err != nil {
		return err
	}
	request.Header.Set("Accept-Encoding", "identity") // compression would show in the operator's memory
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("GET %s: %s", path, response.Status)
	}
	_, err = io.Copy(to, response.Body)
	return err
}

// tail returns the end of the operator's log.
func (o *Operator) tail() string {
	data, err := os.ReadFile(o.log)
	if err != nil {
		return err.Error()
	}
	return string(data[max(0, len(data)-2000):])
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
