// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package pods

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/cause"
)

// terms are the words for a role in messages, and the fields by which users change its memory and its template.
type terms struct{ who, memory, template string }

var (
	driverTerms   = terms{"driver", "driver.memory or driver.memoryOverhead", "driver.template"}
	executorTerms = terms{"executor", "executor.memory or executor.memoryOverhead", "executor.template"}
)

// Exit codes of a container that was stopped by a signal: 128 + its number.
const (
	exitSIGKILL = 137
	exitSIGTERM = 143
	// exitSIGPWR is the exit code for the signal with which the preStop hook of executors begins their decommissioning
	// (/opt/decom.sh).
	exitSIGPWR = 158
)

// maxLastWords bounds what is quoted of the log of an executor, in bytes, so that it fits into maxFailureMessage.
const maxLastWords = 208

// ExitTooManyFailures is how Spark ends when too many executors have failed.
const ExitTooManyFailures = 11

// meanings explains exit codes of Spark and of shells (org.apache.spark.util.SparkExitCode,
// org.apache.spark.executor.ExecutorExitCode, POSIX). A program can use any of them for something else, so none of them
// changes the cause of a failure.
var meanings = map[int32]string{
	11:  "from Spark it means that too many executors were lost, or since 4.2 could not be created (spark.executor.maxNumFailures); status.executors.failures or the log says why",
	50:  "from Spark it means that an exception was not handled; see the log",
	51:  "from Spark it means that an exception was not handled; see the log",
	52:  "from Spark it means that Java had no heap left; raise %s",
	53:  "from Spark it means that it could not create its local folder; check the volumes for spark.local.dir",
	56:  "from Spark it means that the driver could no longer be reached",
	57:  "from Spark it means that a task that was to end did not (spark.task.reaper.killTimeout)",
	58:  "from Spark it means that it could not register its blocks with the driver again",
	101: "from Spark it means that the main class was not found; correct spec.mainClass or spec.mainApplicationFile",
	124: "from Spark it means that the driver ran longer than spark.driver.timeout",
	126: "from a shell it means that the command cannot be run",
	127: "from a shell it means that the command was not found",
}

// containerFailed explains a Spark container that ended with an exit code other than 0.
func containerFailed(r *Record, w terms) Outcome {
	e := r.Ended
	o := Outcome{Reason: cmp.Or(e.Reason, ReasonError), Cause: v1alpha1.CauseApplication}
	switch {
	case e.Reason == "OOMKilled":
		o.Message = fmt.Sprintf("%s was killed with exit code %d: it used more memory than its limit; raise %s", w.who, e.ExitCode, w.memory)
	case r.Deleting && (e.ExitCode == exitSIGTERM || e.ExitCode == exitSIGKILL || e.ExitCode == exitSIGPWR):
		o.Reason, o.Cause = ReasonDeleted, v1alpha1.CauseInfrastructure
		o.Message = fmt.Sprintf("%s pod was deleted by a user or another controller, and stopped with exit code %d (Deleted)", w.who, e.ExitCode)
	case e.Reason == "ContainerCannotRun", e.Reason == "StartError":
		o.Cause = v1alpha1.CauseConfiguration
		if isTransient(e.Message) {
			o.Cause = v1alpha1.CauseInfrastructure
		}
		o.Message = sentence(fmt.Sprintf("%s's container could not start (exit code %d)", w.who, e.ExitCode), e.Reason, e.Message)
	case e.Reason == "ContainerStatusUnknown", e.Reason == "Unknown":
		// The kubelet restarted and found no container (the reason of the kubelet), or the runtime did (that of
		// containerd).
		o.Cause = v1alpha1.CauseInfrastructure
		o.Message = sentence(w.who+" was lost: its node or the container runtime on it started again", e.Reason, "")
	default:
		meaning, why := describeExitCode(e, w), e.Message
		switch {
		case r.Role != Executor: // of a driver, the whole log is searched
		case meaning == "":
			why = cmp.Or(cause.WithRemedy(e.Cause, w.who, maxLastWords), why)
		default:
			why = cmp.Or(e.Cause, why)
		}
		o.Message = sentence(fmt.Sprintf("%s ended with exit code %d", w.who, e.ExitCode), e.Reason, why)
		o.Message = remedy(o.Message, meaning)
	}
	return o
}

// describeExitCode returns what an exit code means; empty if only the program knows.
func describeExitCode(e *Ended, w terms) string {
	switch e.ExitCode {
	case exitSIGKILL:
		return "it was killed by SIGKILL; Kubernetes did not report an out-of-memory kill"
	case exitSIGTERM:
		return "it was asked to stop (SIGTERM)"
	case 52:
		return fmt.Sprintf(meanings[52], w.memory)
	}
	return meanings[e.ExitCode]
}

// isTransient reports whether a container may start at the next try, because its node was only short of a resource.
func isTransient(message string) bool {
	for _, sign := range []string{"deadline exceeded", "resource temporarily unavailable", "no space left", "cannot allocate memory", "too many open files"} {
		if strings.Contains(message, sign) {
			return true
		}
	}
	return false
}
