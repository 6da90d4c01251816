// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package offline

import (
	"bytes"
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/types"
	kjson "sigs.k8s.io/json"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/spark/conf"
	"github.com/sparkgate/sparkgate/internal/spark/expose"
	"github.com/sparkgate/sparkgate/internal/spark/podsets"
	"github.com/sparkgate/sparkgate/internal/spark/render"
	"github.com/sparkgate/sparkgate/internal/tools/offline/internal/manifests"
	"github.com/sparkgate/sparkgate/queueing/catalog"
)

// Values that only a cluster would know.
const (
	// PlaceholderUID is used as the uid of an application without one. The names of all objects depend on it.
	PlaceholderUID types.UID = "00000000-0000-0000-0000-000000000000"
	// PlaceholderNamespace is used as the namespace of an application without one.
	PlaceholderNamespace = "default"
)

// placeholderTime is used as the submission time of the job (spark.app.submitTime).
var placeholderTime = time.Unix(0, 0)

// Rendering is the input of Render.
type Rendering struct {
	Files []File
	// Namespace is the namespace of applications without one. Default: PlaceholderNamespace.
	Namespace string
	// Run and Attempt are counted from 1. Default: 1.
	Run, Attempt int64
}

// Rendered are the objects for the applications of the files.
type Rendered struct {
	// Manifests are YAML documents: in the order of the applications and, for each, in the order in which the operator
	// creates them.
	Manifests []byte
	// Notes are about what is missing in the files.
	Notes []Note
}

// Render returns the objects that the operator would create for each application of the files, for one run and attempt.
// Nothing is granted yet, so all executors are included and no nodes are selected. It returns an error if the files
// have mistakes or contain no application.
func Render(r Rendering) (Rendered, error) {
	objects, _, err := checked(r.Files)
	if err != nil {
		return Rendered{}, err
	}
	var out Rendered
	var documents [][]byte
	for i := range objects {
		kind := objects[i].Kind
		if objects[i].APIVersion != v1alpha1.GroupVersion.String() || kind != v1alpha1.SparkApplicationKind && kind != v1alpha1.SparkClusterKind {
			continue
		}
		made, notes, err := r.application(&objects[i], objects)
		if err != nil {
			return Rendered{}, fmt.Errorf("%s: %s: %w", objects[i].File, objects[i].Name, err)
		}
		documents, out.Notes = append(documents, made...), append(out.Notes, notes...)
	}
	if len(documents) == 0 {
		return Rendered{}, errors.New("the files contain no SparkApplication and no SparkCluster")
	}
	out.Manifests = bytes.Join(documents, []byte("---\n"))
	return out, nil
}

// application renders one application.
func (r Rendering) application(o *manifests.Object, all []manifests.Object) ([][]byte, []Note, error) {
	var app v1alpha1.SparkApplication
	if o.Kind == v1alpha1.SparkClusterKind {
		runs, err := manifests.ClusterApplication(o)
		if err != nil {
			return nil, nil, err
		}
		app = *runs
	} else if err := kjson.UnmarshalCaseSensitivePreserveInts(o.JSON, &app); err != nil {
		return nil, nil, err
	}
	manifests.Generate(&app.ObjectMeta)
	files := manifests.ConfFiles(&app, all)
	var notes []Note
	if app.Spec.SparkConfigMap != "" && files == nil {
		notes = append(notes, Note{"spec.sparkConfigMap", fmt.Sprintf("the ConfigMap %s is not in the files: its properties and files are missing here", app.Spec.SparkConfigMap)})
	}
	if len(app.Spec.SparkConfFrom) > 0 {
		notes = append(notes, Note{"spec.sparkConfFrom", "values of Secrets are never shown: " + conf.Masked + " stands in their place"})
	}
	r.complete(&app)
	in, findings := render.NewInput(&app, conf.Sources{ConfigMap: files})
	if len(findings) > 0 {
		return nil, nil, errors.New(findings[0].String())
	}
	placed := manifests.Placement(&app)
	if can := catalog.Of(placed.Gate); can.Queues && !can.SparkQueues {
		notes = append(notes, Note{"spec.queue.gate", fmt.Sprintf("what the gate %s adds is not shown: its object, and scheduler, labels and annotations of pods", placed.Gate)})
	}
	in.Run, in.Attempt, in.Queue = max(r.Run, 1), max(r.Attempt, 1), placed.Queue
	in.SubmitTime, in.SchedulingGated = placeholderTime, manifests.SchedulingGated(placed.Gate, in.Properties)
	objects, err := render.Build(in)
	if err != nil {
		return nil, nil, err
	}
	documents, err := printed(objects)
	if err != nil {
		return nil, nil, err
	}
	more, err := companions(in, objects)
	return append(documents, more...), notes, err
}

// companions returns the manifests of the companions that exist while the driver runs.
func companions(in render.Input, objects render.Objects) ([][]byte, error) {
	scene := expose.Input{App: in.App, Run: in.Run, Attempt: in.Attempt, Queue: in.Queue, Started: true, Live: true}
	if objects.UIAddress != "" {
		scene.UIPort = render.UIPortOf(objects.Service)
	}
	wanted, err := expose.Build(scene)
	if err != nil {
		return nil, err
	}
	var documents [][]byte
	for _, object := range wanted {
		document, err := toYAML(object)
		if err != nil {
			return nil, err
		}
		documents = append(documents, document)
	}
	return documents, nil
}

// complete sets the metadata that the API server would set.
func (r Rendering) complete(app *v1alpha1.SparkApplication) {
	if app.Namespace == "" {
		app.Namespace = r.Namespace
	}
	if app.Namespace == "" {
		app.Namespace = PlaceholderNamespace
	}
	if app.UID == "" {
		app.UID = PlaceholderUID
	}
}

// printed returns the manifests of the objects in the order in which they are created.
func printed(objects render.Objects) ([][]byte, error) {
	var documents [][]byte
	for _, object := range objects.InOrder() {
		object.GetObjectKind().SetGroupVersionKind(render.KindOf(object))
		document, err := toYAML(object)
		if err != nil {
			return nil, err
		}
		documents = append(documents, document)
	}
	if !objects.Workers {
		return documents, nil
	}
	worker, err := podsets.ExecutorPod(objects)
	if err != nil {
		return nil, err
	}
	worker.Name, worker.Namespace = objects.Names.Prefix+v1alpha1.WorkerInfix+"1", objects.Pod.Namespace
	document, err := toYAML(worker)
	return append(documents, document), err
}
