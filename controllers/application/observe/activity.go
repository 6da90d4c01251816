// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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

// Activity asks the driver of the current attempt, through the REST API of its web interface, when it last ran a job or
// had a session of Spark Connect, and remembers the answer. now is the time of the pass, at which the driver counts as asked.
func (dr *Driver) Activity(ctx context.Context, app *v1alpha1.SparkApplication, records []*pods.Record, now time.Time) lifecycle.Activity {
	said := lifecycle.Activity{Asked: now}
	busy, err := dr.lastUse(ctx, app, driverOf(app, records), said.Asked)
	if err != nil {
		ctrl.LoggerFrom(ctx).V(1).Info("Cannot ask a driver for its jobs", "driver", app.Status.Driver.PodName, "error", err.Error())
		said.Problem = err.Error()
		if timeout := net.Error(nil); errors.As(err, &timeout) {
			said.Problem = "its web interface does not answer" // the text of the error has changing numbers
		}
	}
	said.Busy = busy
	attempt := lifecycle.CurrentAttempt(app)
	dr.Record.Sightings.NoteActivity(attempt, said)
	return dr.Record.Sightings.Activity(attempt)
}

// lastUse returns when the last job or session of a driver ended, now if there is one, and zero if there was none.
func (dr *Driver) lastUse(ctx context.Context, app *v1alpha1.SparkApplication, driver *pods.Record, now time.Time) (time.Time, error) {
	address, err := dr.webInterface(ctx, driver)
	if err != nil {
		return time.Time{}, err
	}
	api := url.URL{Scheme: "http", Host: address, Path: "/api/v1/applications/" + app.Status.Driver.ApplicationID}
	last, err := ask[job](ctx, api.JoinPath("jobs"), now)
	if err != nil || last.Equal(now) {
		return last, err
	}
	closed, err := ask[session](ctx, api.JoinPath("connect", "sessions"), now)
	if errors.Is(err, errNotFound) { // before Spark 4.3, and from a Thrift server
		return last, nil
	}
	return later(last, closed), err
}

// webInterface returns host and port of the web interface of a driver.
func (dr *Driver) webInterface(ctx context.Context, driver *pods.Record) (address string, err error) {
	if driver == nil {
		return "", errors.New("its pod is not there")
	}
	pod := &corev1.Pod{}
	if err := dr.Live.Get(ctx, types.NamespacedName{Namespace: driver.Namespace, Name: driver.Name}, pod); err != nil {
		return "", errors.New("its pod cannot be read")
	}
	if pod.UID != driver.UID || pod.Status.PodIP == "" {
		return "", errors.New("its pod has no address")
	}
	return net.JoinHostPort(pod.Status.PodIP, strconv.Itoa(int(render.DriverUIPort(pod)))), nil
}

// errNotFound: the driver's REST API does not have what it was asked for.
var errNotFound = errors.New("its web interface answers with status 404")

// ended is an entry of an answer of Spark's REST API: zero means that it has not ended, or that nobody can tell.
type ended interface{ end() time.Time }

// ask returns when the last entry of an answer of the driver's REST API ended, see lastOf.
func ask[T ended](ctx context.Context, what *url.URL, now time.Time) (time.Time, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, what.String(), nil)
	if err != nil {
		return time.Time{}, err
	}
	answer, err := driverHTTP.Do(request)
	if err != nil {
		return time.Time{}, err
	}
	defer answer.Body.Close()
	switch answer.StatusCode {
	case http.StatusOK:
		return lastOf[T](io.LimitReader(answer.Body, maxAnswer), now)
	case http.StatusNotFound:
		return time.Time{}, errNotFound
	}
	return time.Time{}, fmt.Errorf("its web interface answers with status %d", answer.StatusCode)
}

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
