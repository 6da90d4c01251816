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

// Activity asks the driver of the current attempt, through the REST API of its web interface, when it last ran a job,
// and remembers the answer. now is the time of the pass, at which the driver counts as asked.
func (dr *Driver) Activity(ctx context.Context, app *v1alpha1.SparkApplication, records []*pods.Record, now time.Time) lifecycle.Activity {
	said := lifecycle.Activity{Asked: now}
	busy, err := dr.lastJob(ctx, app, driverOf(app, records), said.Asked)
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

// lastJob returns when the last job of a driver ended, now if one runs, and zero if it has run none.
func (dr *Driver) lastJob(ctx context.Context, app *v1alpha1.SparkApplication, driver *pods.Record, now time.Time) (time.Time, error) {
	if driver == nil {
		return time.Time{}, errors.New("its pod is not there")
	}
	pod := &corev1.Pod{}
	if err := dr.Live.Get(ctx, types.NamespacedName{Namespace: driver.Namespace, Name: driver.Name}, pod); err != nil {
		return time.Time{}, errors.New("its pod cannot be read")
	}
	if pod.UID != driver.UID || pod.Status.PodIP == "" {
		return time.Time{}, errors.New("its pod has no address")
	}
	address := net.JoinHostPort(pod.Status.PodIP, strconv.Itoa(int(render.DriverUIPort(pod))))
	jobs := url.URL{Scheme: "http", Host: address, Path: "/api/v1/applications/" + app.Status.Driver.ApplicationID + "/jobs"}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, jobs.String(), nil)
	if err != nil {
		return time.Time{}, err
	}
	answer, err := driverHTTP.Do(request)
	if err != nil {
		return time.Time{}, err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return time.Time{}, fmt.Errorf("its web interface answers with status %d", answer.StatusCode)
	}
	return lastOf(io.LimitReader(answer.Body, maxAnswer), now)
}

// job is what is read of a job in Spark's REST API (v1, JobData).
type job struct {
	Status         string `json:"status"`
	CompletionTime string `json:"completionTime"`
}

// sparkTime is how Spark's REST API writes times.
const sparkTime = "2006-01-02T15:04:05.000MST"

// lastOf returns when the last job in an answer ended, now if one runs, and zero if there is none.
func lastOf(answer io.Reader, now time.Time) (last time.Time, err error) {
	var jobs []job
	if err := json.NewDecoder(answer).Decode(&jobs); err != nil {
		return time.Time{}, errors.New("its web interface does not answer with jobs")
	}
	for _, j := range jobs {
		ended, err := time.Parse(sparkTime, j.CompletionTime)
		if j.Status == "RUNNING" || err != nil || ended.After(now) {
			return now, nil
		}
		if ended.After(last) {
			last = ended
		}
	}
	return last, nil
}
