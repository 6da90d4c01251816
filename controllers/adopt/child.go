// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package adopt

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/intstr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/internal/livemeta"
	"github.com/sparkgate/sparkgate/internal/adopt/kubeflow"
	"github.com/sparkgate/sparkgate/internal/base/finding"
	"github.com/sparkgate/sparkgate/internal/job/status"
)

const (
	// madeFrom is the annotation of an application with the hash of what it was made from.
	madeFrom = v1alpha1.Group + "/adopted"
	// author is the field manager of such an application, whose author it is as a user would be.
	author = v1alpha1.FieldOwner + "-adopt"
)

// translate reads an application of theirs as it is stored, and translates it.
func (p *pass) translate(ctx context.Context) (kubeflow.Translation, error) {
	live := &Application{}
	if err := p.Theirs.Get(ctx, p.name(), live); err != nil {
		return kubeflow.Translation{}, err
	}
	live.SetGroupVersionKind(kind)
	live.read()
	if live.UID != p.theirs.UID || live.kept.made != p.theirs.kept.made {
		return kubeflow.Translation{}, apierrors.NewConflict(kind.GroupVersion().WithResource("sparkapplications").GroupResource(), live.Name, fmt.Errorf("the cache is behind"))
	}
	text, err := json.Marshal(live)
	if err != nil {
		return kubeflow.Translation{}, err
	}
	return kubeflow.Translate(text, p.namespace.Annotations[kubeflow.SpecAnnotation]), nil
}

// make creates the application of ours, or changes it to what theirs says now.
func (p *pass) make(ctx context.Context) error {
	t, err := p.translate(ctx)
	if err != nil {
		return err
	}
	if len(t.Refusals) > 0 {
		return p.refuse(ctx, joined(t.Refusals))
	}
	owner := &metav1.OwnerReference{APIVersion: kind.GroupVersion().String(), Kind: kind.Kind, Name: p.theirs.Name, UID: p.theirs.UID, Controller: new(true)}
	wanted := t.Child(owner, p.theirs.kept.hash)
	wanted.Annotations = map[string]string{madeFrom: p.theirs.kept.made}
	if twice, err := p.refuseTwice(ctx, wanted); err != nil || twice {
		return err
	}
	if err := p.expose(ctx, owner, wanted); err != nil {
		return err
	}
	if p.ours == nil {
		err = p.Client.Create(ctx, wanted, client.FieldOwner(author))
	} else {
		before := p.ours.DeepCopy()
		p.ours.Spec, p.ours.Labels, p.ours.Annotations = wanted.Spec, wanted.Labels, wanted.Annotations
		err = p.Client.Patch(ctx, p.ours, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}), client.FieldOwner(author))
	}
	switch {
	case apierrors.IsInvalid(err), apierrors.IsForbidden(err), apierrors.IsBadRequest(err), apierrors.IsRequestEntityTooLargeError(err):
		return p.refuse(ctx, rejection(&t, err))
	case err == nil && len(t.Notes) > 0:
		p.event(corev1.EventTypeNormal, "NotTheSame", "%s", status.Truncate(joined(t.Notes)))
	}
	return err
}

func joined(findings []finding.Finding) string {
	texts := make([]string, len(findings))
	for i, f := range findings {
		texts[i] = f.String()
	}
	return strings.Join(texts, "; ")
}

// refuse ends what runs for an earlier spec, and says why the application cannot run.
func (p *pass) refuse(ctx context.Context, why string) error {
	if p.ours != nil && metav1.IsControlledBy(p.ours, p.theirs) {
		if err := p.deleteOurs(ctx); err != nil {
			return err
		}
	}
	return p.fail(ctx, why)
}

// fail writes why an application has failed without an application of ours that says so.
func (p *pass) fail(ctx context.Context, why string) error {
	if p.theirs.Status.ended() && p.theirs.Status.isOf(p.theirs.kept.made) {
		return nil
	}
	now := metav1.NewTime(p.Clock.Now().Truncate(time.Second))
	why = status.Truncate(why)
	p.event(corev1.EventTypeWarning, "Failed", "%s", why)
	return p.publish(ctx, Status{
		State: State{State: failed, ErrorMessage: why}, SubmissionID: submission + p.theirs.kept.made + "-0", TerminationTime: &now,
		DriverInfo: p.theirs.Status.DriverInfo, SparkApplicationID: p.theirs.Status.SparkApplicationID,
	})
}

// taken says that the name belongs to somebody else. What an earlier object of theirs has left is about to go.
func (p *pass) taken(ctx context.Context) error {
	if isTheirs(metav1.GetControllerOfNoCopy(p.ours)) {
		return nil
	}
	return p.fail(ctx, fmt.Sprintf("metadata.name: value %q is the name of a SparkApplication of %s: give this one another name, or delete both and create it again",
		p.theirs.Name, v1alpha1.Group))
}

// lost says that somebody has deleted the application of ours, if it is gone indeed.
func (p *pass) lost(ctx context.Context) error {
	err := p.Theirs.Get(ctx, p.name(), livemeta.Application(p.theirs.Namespace, p.theirs.Name))
	if !apierrors.IsNotFound(err) {
		return err // the cache is about to show it
	}
	return p.fail(ctx, fmt.Sprintf("the SparkApplication %s of %s, which ran for it, was deleted: change the spec to run it again", p.theirs.Name, v1alpha1.Group))
}

// kueueConflict is why a job cannot run that asks Kueue twice.
const kueueConflict = "metadata.labels[" + v1alpha1.KueueQueueLabel + "]: Kueue's own integration of this kind admits the job as well: remove sparkoperator.k8s.io/sparkapplication " +
	"from integrations.frameworks in Kueue's configuration, or leave the decision to it by the annotation " + kubeflow.SpecAnnotation + " \"queue: {gate: None, name: null}\""

// refuseTwice refuses a job for which both Kueue's own integration and an application of ours ask Kueue.
func (p *pass) refuseTwice(ctx context.Context, app *v1alpha1.SparkApplication) (refused bool, err error) {
	if queue := app.Spec.Queue; queue == nil || queue.Name == "" || queue.Name != p.theirs.kept.queue {
		return false, nil
	}
	workload := schema.GroupVersionKind{Group: "kueue.x-k8s.io", Version: "v1beta2", Kind: "Workload"}
	err = livemeta.Each(ctx, p.Theirs, workload, func(*metav1.PartialObjectMetadata) error { refused = true; return nil },
		client.InNamespace(p.theirs.Namespace), client.MatchingLabels{"kueue.x-k8s.io/job-uid": string(p.theirs.UID)})
	if err != nil || !refused {
		return false, err
	}
	return true, p.refuse(ctx, kueueConflict)
}

// suspend carries spec.suspend over. It reports whether the job was refused instead.
func (p *pass) suspend(ctx context.Context) (refused bool, err error) {
	if p.ours.Spec.Suspend == p.theirs.kept.Suspend {
		return false, nil
	}
	if refused, err := p.refuseTwice(ctx, p.ours); err != nil || refused {
		return refused, err
	}
	before := p.ours.DeepCopy()
	p.ours.Spec.Suspend = p.theirs.kept.Suspend
	return false, p.Client.Patch(ctx, p.ours, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}), client.FieldOwner(author))
}

// mirror writes the status of ours in their words. What will not run without a change is deleted when that is said:
// readers take their word FAILED for the end.
func (p *pass) mirror(ctx context.Context) error {
	s := mirrored(p.theirs.Status, p.ours, executorsOf(p.ours, p.Pods.Of(p.name())), p.Clock.Now())
	stage, _ := status.StageOf(p.ours.Status.Conditions)
	never := stateOf(p.ours).State == failed && !stage.Ended()
	if never {
		t, err := p.translate(ctx)
		if err != nil {
			return err
		}
		s.State.ErrorMessage = theirWords(&t, s.State.ErrorMessage)
	}
	if err := p.publish(ctx, s); err != nil {
		return err
	}
	if never {
		return p.deleteOurs(ctx)
	}
	return nil
}

// theirWords returns a message that begins with the path of a field of ours with that of theirs.
func theirWords(t *kubeflow.Translation, message string) string {
	if field, rest, ok := strings.Cut(message, ": "); ok && strings.HasPrefix(field, "spec.") {
		return t.Theirs(finding.Finding{Field: field, Message: rest}).String()
	}
	return message
}

// rejection returns why the API server rejects an application of ours, about the field of theirs.
func rejection(t *kubeflow.Translation, err error) string {
	var answer apierrors.APIStatus
	if errors.As(err, &answer) && answer.Status().Details != nil {
		for _, cause := range answer.Status().Details.Causes {
			if strings.HasPrefix(cause.Field, "spec.") {
				return t.Theirs(finding.Finding{Field: cause.Field, Message: cause.Message}).String()
			}
		}
	}
	return err.Error()
}

// deleteOurs deletes the application of ours, if it is still the one that was read.
func (p *pass) deleteOurs(ctx context.Context) error {
	return client.IgnoreNotFound(p.Client.Delete(ctx, p.ours, client.Preconditions{UID: &p.ours.UID}))
}

// expire deletes an application of theirs when its timeToLiveSeconds have passed, unless a tool would create it again.
// The driver of a failed run stays for those who read its log.
func (p *pass) expire(ctx context.Context) (ctrl.Result, error) {
	s, ttl := &p.theirs.Status, p.theirs.kept.TimeToLiveSeconds
	if ttl == nil || !s.ended() || s.TerminationTime == nil || p.theirs.kept.tracked {
		return ctrl.Result{}, nil
	}
	after := time.Duration(*ttl) * time.Second
	if s.State.State == failed {
		after = max(after, time.Minute)
	}
	if left := s.TerminationTime.Add(after).Sub(p.Clock.Now()); left > 0 {
		return ctrl.Result{RequeueAfter: left}, nil
	}
	of := client.Preconditions{UID: &p.theirs.UID, ResourceVersion: &p.theirs.ResourceVersion}
	return ctrl.Result{}, client.IgnoreNotFound(p.Theirs.Delete(ctx, p.theirs.DeepCopy(), of))
}

// uiService returns the name of the Service of the web interface, as people know it; empty if it would be too long.
func uiService(name string) string {
	if name += "-ui-svc"; len(name) <= 63 {
		return name
	}
	return ""
}

// expose creates the Service of the web interface. A Service of that name that belongs to another owner stays as it is.
func (p *pass) expose(ctx context.Context, owner *metav1.OwnerReference, app *v1alpha1.SparkApplication) error {
	service := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: app.Namespace, Name: uiService(app.Name)}}
	if service.Name == "" {
		return nil
	}
	port := intstr.Parse(cmp.Or(app.Spec.SparkConf["spark.ui.port"], "4040"))
	_, err := controllerutil.CreateOrPatch(ctx, p.Client, service, func() error {
		switch {
		case service.UID == "":
			service.Spec.ClusterIP = corev1.ClusterIPNone // addresses are few, and jobs stay
		case !metav1.IsControlledBy(service, p.theirs):
			return nil
		}
		service.OwnerReferences = []metav1.OwnerReference{*owner}
		service.Spec.Selector = map[string]string{v1alpha1.ApplicationLabel: app.Name, v1alpha1.SparkRoleLabel: v1alpha1.SparkRoleDriver}
		service.Spec.Ports = []corev1.ServicePort{{Name: "spark-driver-ui-port", Protocol: corev1.ProtocolTCP, Port: port.IntVal, TargetPort: port}}
		return nil
	})
	if apierrors.IsInvalid(err) || apierrors.IsForbidden(err) { // a job runs without it
		p.event(corev1.EventTypeWarning, "NoService", "Service %s is not created: %s", service.Name, err)
		return nil
	}
	return err
}
