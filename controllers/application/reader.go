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

// reader reads what the application refers to, each thing once a pass.
type reader struct {
	*state
	// secrets are what spec.sparkConfFrom refers to, nil before they are read.
	secrets *secretValues
	// conf is the ConfigMap of spec.sparkConfigMap, nil if it does not exist. It is read once: a pass plans and creates from the same content.
	conf     *corev1.ConfigMap
	confRead bool
	// afterGrant says that the gate has granted the ask, which relied on the checks of an earlier pass: everything is read
	// again, and the budget is not waited for.
	afterGrant bool
	// reads says that the pass has begun to read what the application refers to: it may finish.
	reads bool
	// absentUntil is when everything that is known to be missing may be read again; zero if nothing is, or if this pass has read it.
	absentUntil time.Time
}

// toReference returns a reference of the application.
func (rd *reader) toReference(kind, name, key string) reference {
	return reference{kind: kind, NamespacedName: types.NamespacedName{Namespace: rd.app.Namespace, Name: name}, key: key}
}

// read reads an object that the application refers to, live. If the namespace has used up its budget, a pass that has not begun to read ends,
// and is repeated later. A pass over an application that holds a grant does not wait: quota bounds how many those are.
func (rd *reader) read(ctx context.Context, name string, obj client.Object) error {
	if err := rd.spend(1); err != nil {
		return err
	}
	return rd.Live.Get(ctx, types.NamespacedName{Namespace: rd.app.Namespace, Name: name}, obj)
}

// spend takes n calls out of the budget of the namespace. It returns a retryLaterError if the pass has to end and be repeated for them.
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

// isThere reports whether an object exists of which the application needs no key. It is read only if no pass has read it lately.
func (rd *reader) isThere(ctx context.Context, kind, name string, obj client.Object) (bool, error) {
	ref := rd.toReference(kind, name, "")
	if known, ok := rd.known(ref); ok {
		return known.problem == "", nil
	}
	err := rd.read(ctx, name, obj)
	switch {
	case apierrors.IsNotFound(err):
		rd.lookups.put(ref, notThere)
		return false, nil
	case err == nil:
		rd.lookups.put(ref, "")
	}
	return err == nil, err
}

// known returns what was found out lately about a reference. If some are missing, the pass is repeated when all of these may be read again.
func (rd *reader) known(ref reference) (lookup, bool) {
	f, ok := rd.lookups.get(ref)
	if ok && f.problem != "" && rd.absentUntil.Before(f.until) {
		rd.absentUntil = f.until
	}
	return f, ok
}

// namespace reads labels and annotations of the application's namespace from the cache.
func (rd *reader) namespace(ctx context.Context) (*metav1.PartialObjectMetadata, error) {
	namespace := livemeta.Namespace(rd.app.Namespace)
	if err := rd.Client.Get(ctx, client.ObjectKeyFromObject(namespace), namespace); err != nil {
		return nil, fmt.Errorf("read namespace %s: %w", rd.app.Namespace, err)
	}
	return namespace, nil
}

// environment returns what the API server adds to the requests of pods. The version changes whenever any of that does.
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

// configMapGone is the ConfigMap of spec.sparkConfigMap that existed when the start was planned.
type configMapGone string

func (c configMapGone) Error() string { return "config map " + string(c) + " is gone" }

// confFiles returns the files of spec.sparkConfigMap, which it reads live, and once a pass; nil if none is named.
func (rd *reader) confFiles(ctx context.Context) (map[string]string, error) {
	name := rd.app.Spec.SparkConfigMap
	if name == "" {
		return nil, nil
	}
	if !rd.confRead {
		cm := &corev1.ConfigMap{}
		switch err := rd.read(ctx, name, cm); {
		case apierrors.IsNotFound(err):
			rd.lookups.put(rd.toReference(configMapKind, name, ""), notThere)
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
