// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package offline

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/types"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/spark/conf"
	"github.com/sparkgate/sparkgate/internal/spark/deviations"
	"github.com/sparkgate/sparkgate/internal/spark/render"
	"github.com/sparkgate/sparkgate/internal/spark/submitrecording"
	"github.com/sparkgate/sparkgate/internal/tools/offline/internal/submit"
)

// Deviation is an intended difference from spark-submit.
type Deviation struct {
	// Where is the place of the difference, as in docs/deviations.md.
	Where  string
	Reason string
}

// Diff is the result of a comparison with a recording of spark-submit.
type Diff struct {
	// Name is the name of the recording, SparkVersion the version of its spark-submit.
	Name, SparkVersion string
	// Outcome is a short description of what was compared.
	Outcome string
	// Differences are those that are not intended. If there are none, both create the same job.
	Differences []string
	// Deviations are the intended differences that were found, in the order of the list.
	Deviations []Deviation
}

// The values of Diff.Outcome.
const (
	outcomeCompared    = "compared"
	outcomeBothRefuse  = "both refuse it"
	outcomeOwnRefusal  = "spark-submit takes it, sparkgate refuses it"
	outcomeOwnTaking   = "spark-submit refuses it, sparkgate takes it"
	outcomeNothingSent = "spark-submit sent nothing to compare"
)

// differ compares one recording.
type differ struct {
	recording *submitrecording.Recording
	submitted Submitted
	sources   conf.Sources
	// failed is why the recording could not be translated to an application.
	failed error
	out    Diff
}

// DiffSubmit translates the spark-submit command of a recording like FromSubmit, builds its objects like Render, and
// compares them with those that the real spark-submit sent. Unlike FromSubmit it uses the environment variables and the
// conf folder of the recording, and keeps secrets and the heap of the driver unchanged, because spark-submit does so as
// well. It returns an error if the file is not a recording.
func DiffSubmit(file []byte) (Diff, error) {
	r, err := submitrecording.Read(file)
	if err != nil {
		return Diff{}, err
	}
	d := differ{recording: r, out: Diff{Name: r.Name, SparkVersion: r.SparkVersion}}
	d.translate()
	return d.out, d.compare()
}

// compareUID is the uid of the application, on which all names depend.
const compareUID types.UID = "22222222-2222-2222-2222-222222222222"

// translate sets the application and the sources of its properties.
func (d *differ) translate() {
	machine := &submit.Machine{Environment: d.recording.Environment(), Folder: d.recording.Folder}
	in := submit.Input{Arguments: d.recording.Args, SparkVersion: d.recording.SparkVersion, ReadFile: d.recording.ReadFile, Machine: machine}
	if d.submitted, d.failed = fromSubmit(in); d.failed != nil {
		return
	}
	app := d.submitted.Application
	app.UID = compareUID
	properties, _ := conf.Merge(app, conf.Sources{})
	const unbounded = 1 << 20 // Spark's default
	largest, err := properties.Int(conf.ConfigMapMaxSize, unbounded)
	if err != nil {
		return // it is reported by the check
	}
	d.sources.ConfigMap = machine.ConfFiles(int(largest))
}

// compare chooses what to compare. An error names the request that cannot be parsed.
func (d *differ) compare() error {
	sent, err := d.recording.Sent()
	if err != nil {
		return err
	}
	refusals := d.refusals()
	switch {
	case d.recording.Refused() && len(refusals) > 0:
		d.out.Outcome = outcomeBothRefuse
	case d.recording.Refused():
		d.out.Outcome = outcomeOwnTaking
		d.ownTaking()
	case sent.Empty():
		d.out.Outcome = outcomeNothingSent
	case len(refusals) > 0:
		d.out.Outcome = outcomeOwnRefusal
		d.ownRefusals(refusals)
	default:
		d.out.Outcome = outcomeCompared
		return d.compareObjects(sent)
	}
	return nil
}

func (d *differ) difference(text string) { d.out.Differences = append(d.out.Differences, text) }

// use records a deviation once.
func (d *differ) use(where, reason string) {
	if used := (Deviation{where, reason}); !slices.Contains(d.out.Deviations, used) {
		d.out.Deviations = append(d.out.Deviations, used)
	}
}

// refusal is a reason not to run the job: a field of the application, or a part of the command.
type refusal struct{ field, text string }

// notYet is a part of the message about fields that only a later version will honour.
const notYet = "not honoured by this version yet"

// refusals returns why the operator would not run the job.
func (d *differ) refusals() []refusal {
	if d.failed != nil {
		var call *submit.CallError
		if errors.As(d.failed, &call) {
			return []refusal{{call.Place, d.failed.Error()}}
		}
		return []refusal{{"", d.failed.Error()}}
	}
	var refusals []refusal
	for _, f := range d.submitted.Findings {
		if !f.Warning || strings.Contains(f.Message, notYet) {
			refusals = append(refusals, refusal{f.Field, f.Field + ": " + f.Message})
		}
	}
	return refusals
}

// ownTaking looks up a configuration that only spark-submit refuses in the list of deviations.
func (d *differ) ownTaking() {
	output := strings.Join(append(d.recording.ErrorLines, string(d.recording.StderrTail)), "\n")
	for _, taking := range deviations.Accepted {
		for _, words := range taking.Where {
			if strings.Contains(output, words) {
				d.use(words, taking.Reason)
				return
			}
		}
	}
	d.difference("spark-submit refuses it, sparkgate takes it: " + d.recording.Message())
}

// ownRefusals looks up the configurations that only Sparkgate refuses in the list of deviations.
func (d *differ) ownRefusals(refusals []refusal) {
	app := &v1alpha1.SparkApplication{}
	if d.submitted.Application != nil {
		app = d.submitted.Application
	}
	for _, r := range refusals {
		if where, reason, ok := submitrecording.EntryOfField(deviations.Rejections, app, r.field); ok {
			d.use(where, reason)
		} else {
			d.difference("spark-submit takes it, sparkgate refuses it: " + r.text)
		}
	}
}

// compareObjects builds the objects and compares them.
func (d *differ) compareObjects(sent *submitrecording.Objects) error {
	app := d.submitted.Application
	in, findings := render.NewInput(app, d.sources)
	if len(findings) > 0 {
		return fmt.Errorf("a finding that the check did not report: %s", findings[0])
	}
	in.Queue, in.SubmitTime = v1alpha1.DefaultQueue, sent.SubmitTime()
	objects, err := render.Build(in)
	if err != nil {
		return err
	}
	rendered, err := submitrecording.Rendered(objects)
	if err != nil {
		return err
	}
	for _, difference := range submitrecording.Compare(sent, rendered) {
		if where, reason, ok := d.entry(difference.Path); ok {
			d.use(where, reason)
			continue
		}
		d.difference(difference.String())
	}
	return nil
}

// entry looks up a difference in the lists. A deviation that depends on an environment variable applies only if that is
// set.
func (d *differ) entry(path []string) (where, reason string, ok bool) {
	if where, reason, ok = submitrecording.Entry(deviations.Intended, path); ok {
		return where, reason, ok
	}
	for _, machine := range deviations.SubmissionHost {
		if _, set := d.recording.Environment()[machine.Variable]; !set && machine.Variable != "" {
			continue
		}
		if where, reason, ok = submitrecording.Entry([]deviations.Deviation{machine}, path); ok {
			return where, reason, ok
		}
	}
	return "", "", false
}
