// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/lifecycle"
	"github.com/sparkgate/sparkgate/internal/job/pods"
	"github.com/sparkgate/sparkgate/internal/spark/render"
	"github.com/sparkgate/sparkgate/internal/spark/server"
)

const (
	// askTimeout is how long a driver may take to answer, and maxAnswer how many bytes of its answer are read: Spark
	// keeps 1000 jobs (spark.ui.retainedJobs) of some 700 bytes.
	askTimeout = 2 * time.Second
	maxAnswer  = 4 << 20
)

// driverHTTP asks drivers, which are programs of users: without proxies, and without following where they point.
var driverHTTP = &http.Client{
	Timeout:       askTimeout,
	Transport:     &http.Transport{DisableKeepAlives: true},
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// Activity asks the driver of the current attempt, through its web interface, when it last ran a job or had a session of
// Spark Connect, or a master which workers it has, and remembers the answer. now is the time of the pass, at which the driver counts as asked.
func (dr *Driver) Activity(ctx context.Context, app *v1alpha1.SparkApplication, records []*pods.Record, now time.Time) lifecycle.Activity {
	said := lifecycle.Activity{Asked: now}
	var err error
	if driver := driverOf(app, records); server.IsMaster(&app.Spec) {
		said.Workers, said.Waits, err = dr.workers(ctx, driver)
		known := make(map[string]bool, len(records))
		for _, r := range records {
			known[r.Host] = true
		}
		maps.DeleteFunc(said.Workers, func(host string, _ lifecycle.Worker) bool { return !known[host] }) // a program may have invented it
	} else {
		said.Busy, err = dr.lastUse(ctx, app, driver, said.Asked)
	}
	if err != nil {
		ctrl.LoggerFrom(ctx).V(1).Info("Cannot ask a driver what it does", "driver", app.Status.Driver.PodName, "error", err.Error())
		said.Problem = err.Error()
		if timeout := net.Error(nil); errors.As(err, &timeout) {
			said.Problem = "its web interface does not answer" // the text of the error has changing numbers
		}
	}
	attempt := lifecycle.CurrentAttempt(app)
	dr.Record.Sightings.NoteActivity(attempt, said)
	return dr.Record.Sightings.Activity(attempt)
}

// lastUse returns when the last job or session of a driver ended, now if there is one, and zero if there was none.
func (dr *Driver) lastUse(ctx context.Context, app *v1alpha1.SparkApplication, driver *pods.Record, now time.Time) (last time.Time, err error) {
	api := "/api/v1/applications/" + app.Status.Driver.ApplicationID
	err = dr.ask(ctx, driver, api+"/jobs", func(answer io.Reader) error {
		last, err = lastOf[job](answer, now)
		return err
	})
	if err != nil || last.Equal(now) {
		return last, err
	}
	err = dr.ask(ctx, driver, api+"/connect/sessions", func(answer io.Reader) error {
		closed, err := lastOf[session](answer, now)
		last = later(last, closed)
		return err
	})
	if errors.Is(err, errNotFound) { // before Spark 4.3, and from a Thrift server
		err = nil
	}
	return last, err
}

// workers returns the workers that are ALIVE at a master by their addresses, and whether a program waits for cores.
func (dr *Driver) workers(ctx context.Context, master *pods.Record) (workers map[string]lifecycle.Worker, waits bool, err error) {
	err = dr.ask(ctx, master, "/json/", func(answer io.Reader) error {
		workers, waits, err = aliveIn(answer)
		return err
	})
	return workers, waits, err
}

// errNotFound: the driver does not have the page.
var errNotFound = errors.New("its web interface answers with status 404")

// ask gets a page of a driver's web interface and reads it.
func (dr *Driver) ask(ctx context.Context, driver *pods.Record, page string, read func(io.Reader) error) error {
	if driver == nil {
		return errors.New("its pod is not there")
	}
	pod := &corev1.Pod{}
	if err := dr.Live.Get(ctx, types.NamespacedName{Namespace: driver.Namespace, Name: driver.Name}, pod); err != nil {
		return errors.New("its pod cannot be read")
	}
	if pod.UID != driver.UID || pod.Status.PodIP == "" {
		return errors.New("its pod has no address")
	}
	address := net.JoinHostPort(pod.Status.PodIP, strconv.Itoa(int(render.DriverUIPort(pod))))
	at := url.URL{Scheme: "http", Host: address, Path: page}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), nil)
	if err != nil {
		return err
	}
	answer, err := driverHTTP.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	switch answer.StatusCode {
	case http.StatusOK:
		return read(io.LimitReader(answer.Body, maxAnswer))
	case http.StatusNotFound:
		return errNotFound
	}
	return fmt.Errorf("its web interface answers with status %d", answer.StatusCode)
}

// masterPage is what is read of the page of a standalone master (Spark's JsonProtocol).
type masterPage struct {
	Status  string `json:"status"`
	Workers []struct {
		Host      string `json:"host"`
		State     string `json:"state"`
		CoresUsed int32  `json:"coresused"`
	} `json:"workers"`
	Programs []struct {
		State string `json:"state"`
	} `json:"activeapps"`
}

// alive is the state of a master that runs programs, and of a worker that may run them, and waiting that of a program
// without any core.
const alive, waiting = "ALIVE", "WAITING"

// aliveIn returns the workers that are ALIVE in an answer, and whether a program waits for cores. Workers that are gone
// stay in it for a quarter of an hour.
func aliveIn(answer io.Reader) (workers map[string]lifecycle.Worker, waits bool, err error) {
	var page masterPage
	if err := json.NewDecoder(answer).Decode(&page); err != nil || page.Status == "" {
		return nil, false, errors.New("its web interface does not answer with workers")
	}
	if page.Status != alive {
		return nil, false, fmt.Errorf("it is %.32q", page.Status)
	}
	workers = make(map[string]lifecycle.Worker, len(page.Workers))
	for _, w := range page.Workers {
		if w.State == alive {
			workers[w.Host] = lifecycle.Worker{Cores: w.CoresUsed}
		}
	}
	for _, p := range page.Programs {
		waits = waits || p.State == waiting
	}
	return workers, waits, nil
}

// ended is an entry of an answer of Spark's REST API: zero means that it has not ended, or that nobody can tell.
type ended interface{ end() time.Time }

// lastOf returns when the last entry of a list ended, now if one has not, and zero if there is none.
func lastOf[T ended](answer io.Reader, now time.Time) (last time.Time, err error) {
	var entries []T
	if err := json.NewDecoder(answer).Decode(&entries); err != nil {
		return time.Time{}, errors.New("its web interface does not answer as Spark does")
	}
	for _, entry := range entries {
		end := entry.end()
		if end.IsZero() || end.After(now) {
			return now, nil
		}
		last = later(last, end)
	}
	return last, nil
}

// job is what is read of a job in Spark's REST API (v1, JobData).
type job struct {
	Status         string `json:"status"`
	CompletionTime string `json:"completionTime"`
}

// sparkTime is how Spark's REST API writes the times of jobs.
const sparkTime = "2006-01-02T15:04:05.000MST"

func (j job) end() time.Time {
	end, err := time.Parse(sparkTime, j.CompletionTime)
	if j.Status == "RUNNING" || err != nil {
		return time.Time{}
	}
	return end
}

// session is what is read of a session in Spark's REST API (v1/connect, SessionData): milliseconds since 1970, 0 while
// the session is open.
type session struct {
	FinishTimestamp int64 `json:"finishTimestamp"`
}

func (s session) end() time.Time {
	if s.FinishTimestamp == 0 {
		return time.Time{}
	}
	return time.UnixMilli(s.FinishTimestamp)
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
