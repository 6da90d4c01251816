// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// publisher writes the status.
type publisher struct {
	*state
	intent *intent
	holder *holder
	actor  *actor
}

// publish writes the status if it has changed, in one merge patch, which fails with a conflict if the object has
// changed since it was read. Fields that this version of the operator does not know are preserved.
func (pb *publisher) publish(ctx context.Context, status v1alpha1.SparkApplicationStatus) error {
	if len(pb.app.Status.Invalid) > 0 {
		return pb.clear(ctx, pb.app.Status.Invalid)
	}
	if equality.Semantic.DeepEqual(&pb.app.Status, &status) {
		return nil
	}
	pb.record.Usage.Stamp(&pb.app.Status, &status, pb.Clock.Now())
	diff, err := difference(&pb.app.Status, &status)
	if err != nil {
		return fmt.Errorf("encode status: %w", err)
	}
	asked := pb.Clock.Now()
	answer, err := pb.writeStatus(ctx, pb.app, diff)
	if err != nil {
		return err
	}
	before, after := pb.app, *pb.app
	after.Status, after.ResourceVersion = status, answer.ResourceVersion
	pb.app, pb.intent.verifiedAt = &after, asked
	pb.record.Writes.StatusWritten(pb.app.ResourceVersion, asked)
	pb.record.Refusals.Taken()
	pb.countChange(before, pb.app, pb.observed.Eviction)
	pb.countUsage(pb.app.Namespace, &pb.record.Usage, pb.record.Usage.Written(&pb.app.Status))
	logStage(ctx, before, pb.app)
	return nil
}

// writeStatus sends a merge patch of the status, which fails with a conflict if the application has changed since it
// was read. It returns the metadata of the answer.
func (r *Reconciler) writeStatus(ctx context.Context, app *v1alpha1.SparkApplication, status any) (*metav1.PartialObjectMetadata, error) {
	answer := metadataOf(app)
	patch, err := mergePatch(map[string]any{"metadata": map[string]any{"resourceVersion": app.ResourceVersion}, "status": status})
	if err == nil {
		err = r.Client.Status().Patch(ctx, answer, patch, client.FieldOwner(v1alpha1.FieldOwner))
	}
	if err != nil {
		return nil, fmt.Errorf("write status: %w", err)
	}
	return answer, nil
}

// clear removes the parts of the status that do not match their types. They exist because the schema does not check
// them, and a merge patch that does not name them would keep them. It always returns an error: a conflict if the parts
// were removed, so that the next pass decides on the rest.
func (pb *publisher) clear(ctx context.Context, parts []string) error {
	none := map[string]any{}
	for _, part := range parts {
		none[part] = nil
	}
	ctrl.LoggerFrom(ctx).Info("Removing parts of the status that no operator has written", "parts", parts)
	if _, err := pb.writeStatus(ctx, pb.app, none); err != nil {
		return err
	}
	return conflictOf(pb.app, errInvalidStatus)
}

// errInvalidStatus is the reason of the conflict after invalid parts of the status were removed.
var errInvalidStatus = errors.New("parts of its status were invalid and are removed")

// difference returns the JSON merge patch (RFC 7386) from one status to another, by field. It encodes only the fields
// that differ, and compares as JSON only objects that both statuses have.
func difference(before, after *v1alpha1.SparkApplicationStatus) (map[string]json.RawMessage, error) {
	patch := map[string]json.RawMessage{}
	return patch, addDifferences(patch, reflect.ValueOf(before).Elem(), reflect.ValueOf(after).Elem())
}

func addDifferences(patch map[string]json.RawMessage, before, after reflect.Value) error {
	for i := range after.NumField() {
		field, was, now := after.Type().Field(i), before.Field(i), after.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case field.Anonymous:
			if err := addDifferences(patch, was, now); err != nil {
				return err
			}
		case name == "-" || equality.Semantic.DeepEqual(was.Interface(), now.Interface()):
		default:
			change, err := changeOf(was, now)
			if err != nil {
				return err
			}
			patch[name] = change
		}
	}
	return nil
}

// changeOf returns the value that a merge patch has for a field with omitempty.
func changeOf(before, after reflect.Value) (json.RawMessage, error) {
	isObject := after.Kind() == reflect.Struct || after.Kind() == reflect.Pointer && !before.IsNil() && !after.IsNil()
	isEmpty := after.IsZero() || after.Kind() == reflect.Slice && after.Len() == 0
	if isEmpty && !isObject {
		return json.RawMessage("null"), nil
	}
	now, err := json.Marshal(after.Interface())
	if err != nil || !isObject || now[0] != '{' { // a duration is encoded as a string
		return now, err
	}
	was, err := json.Marshal(before.Interface())
	if err != nil {
		return nil, err
	}
	return jsonpatch.CreateMergePatch(was, now)
}
