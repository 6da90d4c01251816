// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package offline

import (
	"cmp"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/spark/podsets"
	"github.com/sparkgate/sparkgate/internal/tools/offline/internal/manifests"
)

// keeping are the annotations that keep an object from being pruned, with the value that does so. The value may be one
// of several, separated by commas.
var keeping = map[string]string{
	"kustomize.toolkit.fluxcd.io/prune": "disabled",
	"argocd.argoproj.io/sync-options":   "Prune=false",
}

// named identifies an object.
type named struct{ kind, namespace, name string }

// pruning decides which objects are deleted.
type pruning struct {
	selector labels.Selector
	files    map[named]bool
}

// deletes reports whether an object is deleted.
func (d pruning) deletes(kind string, object metav1.Object) bool {
	for annotation, word := range keeping {
		for value := range strings.SplitSeq(object.GetAnnotations()[annotation], ",") {
			if strings.EqualFold(strings.TrimSpace(value), word) {
				return false
			}
		}
	}
	return d.selector.Matches(labels.Set(object.GetLabels())) && !d.files[named{kind, object.GetNamespace(), object.GetName()}]
}

// prune deletes objects that are selected and not in the files. Deleting a schedule deletes its applications.
func (p *planning) prune(objects []manifests.Object, selector labels.Selector) {
	if selector == nil {
		return
	}
	d := pruning{selector: selector, files: map[named]bool{}}
	for i := range objects {
		if o := &objects[i]; o.APIVersion == v1alpha1.GroupVersion.String() {
			d.files[p.nameIn(o)] = true
		}
	}
	for name, queue := range p.queues {
		if d.deletes(v1alpha1.SparkQueueKind, &queue) {
			delete(p.queues, name)
			p.out.DeletedQueues = append(p.out.DeletedQueues, name)
		}
	}
	for name, flavor := range p.flavors {
		if d.deletes(v1alpha1.SparkFlavorKind, &flavor) {
			delete(p.flavors, name)
			p.out.DeletedFlavors = append(p.out.DeletedFlavors, name)
		}
	}
	slices.Sort(p.out.DeletedQueues)
	slices.Sort(p.out.DeletedFlavors)
	p.pruneApplications(d)
}

// nameIn returns the identity that an object of the files has once it is applied.
func (p *planning) nameIn(o *manifests.Object) named {
	if o.Kind == v1alpha1.SparkQueueKind || o.Kind == v1alpha1.SparkFlavorKind {
		return named{o.Kind, "", o.Name}
	}
	return named{o.Kind, p.namespaceOf(o.Namespace), o.Name}
}

// pruneApplications deletes schedules with their applications, and other applications.
func (p *planning) pruneApplications(d pruning) {
	schedules := map[types.UID]string{}
	for i := range p.live.Schedules {
		schedule := &p.live.Schedules[i]
		if d.deletes(v1alpha1.ScheduledSparkApplicationKind, schedule) {
			schedules[schedule.UID] = schedule.Name
			p.declared = append(p.declared, Effect{
				Kind: v1alpha1.ScheduledSparkApplicationKind, Namespace: schedule.Namespace, Name: schedule.Name,
				Change: Deleted, Before: Absent, After: Absent,
			})
		}
	}
	for i := range p.live.Applications {
		app, message := &p.live.Applications[i], ""
		pruned := d.deletes(v1alpha1.SparkApplicationKind, app)
		if owner := metav1.GetControllerOf(app); owner != nil && schedules[owner.UID] != "" && !pruned {
			pruned, message = true, "belongs to schedule "+schedules[owner.UID]
		}
		if !pruned {
			continue
		}
		name := app.Namespace + "/" + app.Name
		p.declared = append(p.declared, Effect{
			Kind: v1alpha1.SparkApplicationKind, Namespace: app.Namespace, Name: app.Name, Queue: app.Status.Queue,
			Change: Deleted, Before: cmp.Or(p.before[podsets.KeyOf(app).Named()].outcome, Absent), After: Absent, Message: message,
		})
		p.simulation.drop(podsets.KeyOf(app))
		delete(p.apps, name)
	}
}
