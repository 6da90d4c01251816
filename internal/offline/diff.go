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
	"github.com/sparkgate/sparkgate/internal/offline/internal/submit"
	"github.com/sparkgate/sparkgate/internal/spark/conf"
	"github.com/sparkgate/sparkgate/internal/spark/render"
	"github.com/sparkgate/sparkgate/internal/spark/submitrecording"
)

// Deviation is a listed way in which Sparkgate intends to differ from spark-submit.
type Deviation struct {
	// Where is a place of the list, as docs/deviations.md has it.
	Where  string
	Reason string
}

// Diff is what came of a comparison with a real submission.
type Diff struct {
	// Name of the recording, and the version of its spark-submit.
	Name, SparkVersion string
	// Outcome says in a few words what was compared.
	Outcome string
	// Differences are not listed; none: the same job.
	Differences []string
	// Deviations are those that were used, in the order of the list.
	Deviations []Deviation
}

// Outcomes of a comparison.
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
	// failed is why there is no application.
	failed error
	out    Diff
}

// DiffSubmit translates the call of a recording as FromSubmit does, builds its objects as Render does, and compares
// them with what the real spark-submit sent. Unlike FromSubmit it honours the variables and the conf folder of the
// recording, and leaves secrets and the heap of the driver as they are written, because what was sent also has them. An
// error means that the file is not a recording.
func DiffSubmit(file []byte) (Diff, error) {
	r, err := submitrecording.Read(file)
	if err != nil {
		return Diff{}, err
	}
	d := differ{recording: r, out: Diff{Name: r.Name, SparkVersion: r.SparkVersion}}
	d.translate()
	return d.out, d.compare()
}

// compareUID is the uid of the application, which all names hang on.
const compareUID types.UID = "22222222-2222-2222-2222-222222222222"

// translate returns the application.
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
		return // said by the check
	}
	d.sources.ConfigMap = machine.ConfFiles(int(largest))
}

// compare decides what there is to compare. An error says which request cannot be read.
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

// use notes a listed deviation once.
func (d *differ) use(where, reason string) {
	if used := (Deviation{where, reason}); !slices.Contains(d.out.Deviations, used) {
		d.out.Deviations = append(d.out.Deviations, used)
	}
}

// refusal is something that keeps the job from running: a field of the application, or a place of the call.
type refusal struct{ field, text string }

// notYet is part of what is said about that which a later version will honour.
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

// ownTaking holds what only the real client refuses against the list.
func (d *differ) ownTaking() {
	said := strings.Join(append(d.recording.ErrorLines, string(d.recording.StderrTail)), "\n")
	for _, taking := range render.AcceptedDeviations {
		for _, words := range taking.Where {
			if strings.Contains(said, words) {
				d.use(words, taking.Reason)
				return
			}
		}
	}
	d.difference("spark-submit refuses it, sparkgate takes it: " + d.recording.Message())
}

// ownRefusals holds what only we refuse against the list.
func (d *differ) ownRefusals(refusals []refusal) {
	app := &v1alpha1.SparkApplication{}
	if d.submitted.Application != nil {
		app = d.submitted.Application
	}
	for _, r := range refusals {
		if where, reason, ok := submitrecording.EntryOfField(render.Rejections, app, r.field); ok {
			d.use(where, reason)
		} else {
			d.difference("spark-submit takes it, sparkgate refuses it: " + r.text)
		}
	}
}

// compareObjects builds the objects and compares.
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

// entry looks for a difference in the lists. What hangs on a variable of the machine counts only where that is set.
func (d *differ) entry(path []string) (where, reason string, ok bool) {
	if where, reason, ok = submitrecording.Entry(render.Deviations, path); ok {
		return where, reason, ok
	}
	for _, machine := range render.SubmissionHostDeviations {
		if _, set := d.recording.Environment()[machine.Variable]; !set && machine.Variable != "" {
			continue
		}
		if where, reason, ok = submitrecording.Entry([]render.Deviation{machine}, path); ok {
			return where, reason, ok
		}
	}
	return "", "", false
}
