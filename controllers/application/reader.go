// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/controllers/internal/livemeta"
	"github.com/sparkgate/sparkgate/internal/spark/podsets"
)

// reader reads the objects that the application refers to, each at most once per pass.
type reader struct {
	*state
	// secrets is the content that spec.sparkConfFrom refers to; nil until it is read.
	secrets *secretValues
	// conf is the ConfigMap of spec.sparkConfigMap; nil if it does not exist. It is read once, so that a pass plans and
	// creates from the same content.
	conf     *corev1.ConfigMap
	confRead bool
	// afterGrant is set once the gate has granted an ask whose plan relied on the checks of an earlier pass: everything
	// is read again, without waiting for the budget.
	afterGrant bool
	// reads is set once the pass has begun to read references; from then on it may finish whatever the budget says.
	reads bool
	// absentUntil is when all references that are known to be missing may be read again; zero if none is, or if this
	// pass has just read them.
	absentUntil time.Time
}

// toReference returns a reference to an object in the application's namespace, or to a key of it.
func (rd *reader) toReference(kind, name, key string) reference {
	return reference{kind: kind, NamespacedName: types.NamespacedName{Namespace: rd.app.Namespace, Name: name}, key: key}
}

// read reads an object that the application refers to from the API server. If the namespace has used up its budget, a
// pass that has not read anything yet ends here and is repeated later. A pass over an application that holds a grant
// does not wait, because quota bounds the number of such applications.
func (rd *reader) read(ctx context.Context, name string, obj client.Object) error {
	if err := rd.spend(1); err != nil {
		return err
	}
	return rd.Live.Get(ctx, types.NamespacedName{Namespace: rd.app.Namespace, Name: name}, obj)
}

// spend takes n calls out of the budget of the namespace. It returns a retryLaterError if the pass must end and be
// repeated later.
func (rd *reader) spend(n int) error {
	namespace := rd.app.Namespace
	if !rd.reads && !rd.afterGrant && rd.app.Status.Grant == nil {
		if turn := rd.lookups.budget.Turn(namespace, 2+len(rd.app.Spec.SparkConfFrom)); turn > 0 {
			return &retryLaterError{turn, "the namespace has used up its budget of reads"}
		}
	}
	rd.reads = true
	rd.lookups.budget.Spend(namespace, n)
	return nil
}

// referenceExists reports whether an object exists, for references that need no key of it. It reads the object only if
// no pass has done so recently.
func (rd *reader) referenceExists(ctx context.Context, kind, name string, obj client.Object) (bool, error) {
	ref := rd.toReference(kind, name, "")
	if known, ok := rd.known(ref); ok {
		return known.problem == "", nil
	}
	err := rd.read(ctx, name, obj)
	switch {
	case apierrors.IsNotFound(err):
		rd.lookups.put(ref, doesNotExist)
		return false, nil
	case err == nil:
		rd.lookups.put(ref, "")
	}
	return err == nil, err
}

// known returns the cached outcome of reading a reference. If the reference is missing, it also moves absentUntil, so
// that the pass is repeated when it may be read again.
func (rd *reader) known(ref reference) (lookup, bool) {
	f, ok := rd.lookups.get(ref)
	if ok && f.problem != "" && rd.absentUntil.Before(f.until) {
		rd.absentUntil = f.until
	}
	return f, ok
}

// namespace reads the labels and annotations of the application's namespace from the cache.
func (rd *reader) namespace(ctx context.Context) (*metav1.PartialObjectMetadata, error) {
	namespace := livemeta.Namespace(rd.app.Namespace)
	if err := rd.Client.Get(ctx, client.ObjectKeyFromObject(namespace), namespace); err != nil {
		return nil, fmt.Errorf("read namespace %s: %w", rd.app.Namespace, err)
	}
	return namespace, nil
}

// environment returns what the API server adds to the requests of pods. version changes whenever any part of it
// changes.
func (rd *reader) environment(ctx context.Context) (e podsets.Environment, version string, err error) {
	ranges := &corev1.LimitRangeList{}
	if err := rd.Client.List(ctx, ranges, client.InNamespace(rd.app.Namespace), client.UnsafeDisableDeepCopy); err != nil {
		return e, "", fmt.Errorf("list limit ranges: %w", err)
	}
	e.LimitRanges = ranges.Items
	var versions []string
	for i := range ranges.Items {
		versions = append(versions, string(ranges.Items[i].UID)+ranges.Items[i].ResourceVersion)
	}
	classes := &nodev1.RuntimeClassList{}
	if err := rd.Client.List(ctx, classes, client.UnsafeDisableDeepCopy); err != nil {
		return e, "", fmt.Errorf("list runtime classes: %w", err)
	}
	for i := range classes.Items {
		versions = append(versions, string(classes.Items[i].UID)+classes.Items[i].ResourceVersion)
		if o := classes.Items[i].Overhead; o != nil {
			if e.RuntimeClasses == nil {
				e.RuntimeClasses = map[string]corev1.ResourceList{}
			}
			e.RuntimeClasses[classes.Items[i].Name] = o.PodFixed
		}
	}
	slices.Sort(versions)
	return e, strings.Join(versions, ","), nil
}

// configMapGone is the error that the ConfigMap of spec.sparkConfigMap existed when the start was planned and no longer
// does. Its value is the name.
type configMapGone string

func (c configMapGone) Error() string { return "config map " + string(c) + " is gone" }

// confFiles returns the files of spec.sparkConfigMap, or nil if none is named. It reads the ConfigMap from the API
// server, once per pass.
func (rd *reader) confFiles(ctx context.Context) (map[string]string, error) {
	name := rd.app.Spec.SparkConfigMap
	if name == "" {
		return nil, nil
	}
	if !rd.confRead {
		cm := &corev1.ConfigMap{}
		switch err := rd.read(ctx, name, cm); {
		case apierrors.IsNotFound(err):
			rd.lookups.put(rd.toReference(configMapKind, name, ""), doesNotExist)
			cm = nil
		case err != nil:
			return nil, fmt.Errorf("read config map %s: %w", name, err)
		case cm.Data == nil:
			cm.Data = map[string]string{}
		}
		rd.conf, rd.confRead = cm, true
	}
	if rd.conf == nil {
		return nil, configMapGone(name)
	}
	return rd.conf.Data, nil
}

func (rd *reader) noConfigMap(name, field string) string {
	return fmt.Sprintf("ConfigMap %q named by %s does not exist in namespace %s", name, field, rd.app.Namespace)
}
