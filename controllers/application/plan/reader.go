// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package plan

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

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/application/requeue"
	"github.com/sparkgate/sparkgate/controllers/internal/livemeta"
	"github.com/sparkgate/sparkgate/internal/spark/podsets"
)

// Reader reads the objects that an application refers to, each at most once per pass.
type Reader struct {
	// Cache has namespaces, LimitRanges, ResourceQuotas and RuntimeClasses; Live reads from the API server.
	Cache, Live client.Reader
	Lookups     *Lookups
	// once holds the content that was read in this pass, so that it plans and creates from the same.
	once contents
	// inTurn is set once the pass has begun to read references, or its ask was granted. From then on it may finish
	// whatever the budget says.
	inTurn bool
	// absentUntil is when all references that are known to be missing may be read again; zero if none is, or if this
	// pass has just read them.
	absentUntil time.Time
}

// contents is what the references with content refer to.
type contents struct {
	// secrets is the content that spec.sparkConfFrom refers to; nil until it is read.
	secrets *secretValues
	// conf is the ConfigMap of spec.sparkConfigMap; nil if it does not exist.
	conf     *corev1.ConfigMap
	confRead bool
}

// AbsentUntil returns when all references that are known to be missing may be read again; zero if there is no need to.
func (rd *Reader) AbsentUntil() time.Time { return rd.absentUntil }

// refer returns a reference to an object in the application's namespace, or to a key of it.
func refer(app *v1alpha1.SparkApplication, kind, name, key string) reference {
	return reference{kind: kind, NamespacedName: types.NamespacedName{Namespace: app.Namespace, Name: name}, key: key}
}

// read reads an object that the application refers to from the API server. If the namespace has used up its budget, a
// pass that has not read anything yet ends here and is repeated later. A pass over an application that holds a grant
// does not wait, because quota bounds the number of such applications.
func (rd *Reader) read(ctx context.Context, app *v1alpha1.SparkApplication, name string, obj client.Object) error {
	if err := rd.Spend(app, 1); err != nil {
		return err
	}
	return rd.Live.Get(ctx, types.NamespacedName{Namespace: app.Namespace, Name: name}, obj)
}

// Spend takes n calls out of the budget of the namespace. It returns a requeue.Error if the pass must end and be
// repeated later.
func (rd *Reader) Spend(app *v1alpha1.SparkApplication, n int) error {
	namespace := app.Namespace
	if !rd.inTurn && app.Status.Grant == nil {
		if turn := rd.Lookups.budget.Turn(namespace, 2+len(app.Spec.SparkConfFrom)); turn > 0 {
			return &requeue.Error{After: turn, Why: "the namespace has used up its budget of reads"}
		}
	}
	rd.inTurn = true
	rd.Lookups.budget.Spend(namespace, n)
	return nil
}

// referenceExists reports whether an object exists, for references that need no key of it. It reads the object only if
// no pass has done so recently.
func (rd *Reader) referenceExists(ctx context.Context, app *v1alpha1.SparkApplication, ref reference, obj client.Object) (bool, error) {
	if known, ok := rd.known(ref); ok {
		return known.problem == "", nil
	}
	err := rd.read(ctx, app, ref.Name, obj)
	switch {
	case apierrors.IsNotFound(err):
		rd.Lookups.put(ref, doesNotExist)
		return false, nil
	case err == nil:
		rd.Lookups.put(ref, "")
	}
	return err == nil, err
}

// known returns the cached outcome of reading a reference. If the reference is missing, it also moves absentUntil, so
// that the pass is repeated when it may be read again.
func (rd *Reader) known(ref reference) (lookup, bool) {
	f, ok := rd.Lookups.get(ref)
	if ok && f.problem != "" && rd.absentUntil.Before(f.until) {
		rd.absentUntil = f.until
	}
	return f, ok
}

// Namespace reads the labels and annotations of the application's namespace from the cache.
func (rd *Reader) Namespace(ctx context.Context, app *v1alpha1.SparkApplication) (*metav1.PartialObjectMetadata, error) {
	namespace := livemeta.Namespace(app.Namespace)
	if err := rd.Cache.Get(ctx, client.ObjectKeyFromObject(namespace), namespace); err != nil {
		return nil, fmt.Errorf("read namespace %s: %w", app.Namespace, err)
	}
	return namespace, nil
}

// environment returns what the API server adds to the requests of pods. version changes whenever any part of it
// changes.
func (rd *Reader) environment(ctx context.Context, app *v1alpha1.SparkApplication) (e podsets.Environment, version string, err error) {
	ranges := &corev1.LimitRangeList{}
	if err := rd.Cache.List(ctx, ranges, client.InNamespace(app.Namespace), client.UnsafeDisableDeepCopy); err != nil {
		return e, "", fmt.Errorf("list limit ranges: %w", err)
	}
	quotas := &corev1.ResourceQuotaList{}
	if err := rd.Cache.List(ctx, quotas, client.InNamespace(app.Namespace), client.UnsafeDisableDeepCopy); err != nil {
		return e, "", fmt.Errorf("list resource quotas: %w", err)
	}
	for i := range quotas.Items {
		if r, demands := podsets.OfQuota(&quotas.Items[i]); demands {
			ranges.Items = append(ranges.Items, r)
		}
	}
	e.LimitRanges = ranges.Items
	var versions []string
	for i := range ranges.Items {
		versions = append(versions, string(ranges.Items[i].UID)+ranges.Items[i].ResourceVersion)
	}
	classes := &nodev1.RuntimeClassList{}
	if err := rd.Cache.List(ctx, classes, client.UnsafeDisableDeepCopy); err != nil {
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
func (rd *Reader) confFiles(ctx context.Context, app *v1alpha1.SparkApplication) (map[string]string, error) {
	name := app.Spec.SparkConfigMap
	if name == "" {
		return nil, nil
	}
	if !rd.once.confRead {
		cm := &corev1.ConfigMap{}
		switch err := rd.read(ctx, app, name, cm); {
		case apierrors.IsNotFound(err):
			rd.Lookups.put(refer(app, configMapKind, name, ""), doesNotExist)
			cm = nil
		case err != nil:
			return nil, fmt.Errorf("read config map %s: %w", name, err)
		case cm.Data == nil:
			cm.Data = map[string]string{}
		}
		rd.once.conf, rd.once.confRead = cm, true
	}
	if rd.once.conf == nil {
		return nil, configMapGone(name)
	}
	return rd.once.conf.Data, nil
}

// noConfigMap says that a ConfigMap is missing.
func noConfigMap(app *v1alpha1.SparkApplication, name, field string) string {
	return fmt.Sprintf("ConfigMap %q named by %s does not exist in namespace %s", name, field, app.Namespace)
}

// AccountGone reports whether the service account that the spec names for the driver no longer exists. It reads it from
// the API server whatever is cached.
func (rd *Reader) AccountGone(ctx context.Context, app *v1alpha1.SparkApplication) bool {
	name := app.Spec.Driver.ServiceAccountName
	if name == "" {
		return false
	}
	err := rd.Live.Get(ctx, types.NamespacedName{Namespace: app.Namespace, Name: name}, metadata(accountKind))
	if !apierrors.IsNotFound(err) {
		return false
	}
	rd.Lookups.put(refer(app, accountKind, name, ""), doesNotExist)
	return true
}

// metadata returns an empty object of a core kind, for reading its metadata only.
func metadata(kind string) *metav1.PartialObjectMetadata {
	return livemeta.Key{Kind: corev1.SchemeGroupVersion.WithKind(kind)}.Metadata("")
}
