// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// RunForAnnotation on a schedule names past times of it that are to be run, separated by commas or spaces. What follows
// a '#' is not read, but a change of it is a new request as well.
const RunForAnnotation = Group + "/run-for"

// MaxRunFor is how many past times one request may name.
const MaxRunFor = 100

// RunForStatus is a request to run past times of a schedule. What it names is recorded before anything is created, so
// that neither a crash nor an edit of the schedule runs a time twice.
type RunForStatus struct {
	// request echoes the annotation sparkgate.io/run-for; of a longer one, its first 4096 bytes. A changed annotation is
	// a new request.
	// +required
	// +kubebuilder:validation:MaxLength=4096
	Request string `json:"request"`

	// result is Created, if an application was created for each of the times; Skipped, if one was not, because an
	// application of that name existed; or Refused, if the request has a mistake and nothing was created. Absent while
	// times are pending.
	// +optional
	Result RunForResult `json:"result,omitempty"`

	// message is why the request was refused, or times were skipped.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	Message string `json:"message,omitempty"`

	// pending are the times that have no application yet, oldest first.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=100
	Pending []string `json:"pending,omitempty"`

	// created is the number of applications that were created.
	// +optional
	Created int32 `json:"created,omitempty"`

	// skipped are the times for which none was created, because an application of that name existed.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=100
	Skipped []string `json:"skipped,omitempty"`
}

// RunForResult is the end of a request to run past times.
// +kubebuilder:validation:Enum=Created;Skipped;Refused
type RunForResult string

const (
	// RunForCreated: an application was created for each of the times.
	RunForCreated RunForResult = "Created"
	// RunForSkipped: for at least one of the times none was created, because an application of that name existed.
	RunForSkipped RunForResult = "Skipped"
	// RunForRefused: the request has a mistake, and nothing was created.
	RunForRefused RunForResult = "Refused"
)
