// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package cachetransform

import (
	"bytes"
	"compress/flate"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"sync"
	"unique"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	kjson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/status"
	"github.com/sparkgate/sparkgate/internal/spark/expose"
)

// Packed is an application that has ended, stored as compressed JSON in a quarter of the memory. Its deep copy is the
// application, so readers of the cache get that, provided that the cache copies what it returns. It is immutable.
type Packed struct {
	// ObjectMeta lacks labels and annotations.
	metav1.ObjectMeta
	text []byte
}

// Kept is the transform of the cache: Object, with ended applications packed. It is idempotent, and may modify the
// object.
func Kept(obj any) (any, error) {
	kept, err := Object(obj)
	if app, is := kept.(*v1alpha1.SparkApplication); is && err == nil && hasEnded(app) {
		return pack(app)
	}
	return kept, err
}

// hasEnded reports whether an application will rarely be read: it has ended, holds nothing, is not a stub, has no
// companions, and does not wait for its spec or its namespace to change.
func hasEnded(app *v1alpha1.SparkApplication) bool {
	if app.Status.Times.Finished == nil || app.Status.Grant != nil || !app.DeletionTimestamp.IsZero() || app.Stub != nil ||
		len(app.Status.Invalid) > 0 || expose.Uses(&app.Spec) {
		return false
	}
	stage, known := status.StageOf(app.Status.Conditions)
	return known && stage.Ended() && stage != status.InvalidSpec
}

func pack(app *v1alpha1.SparkApplication) (*Packed, error) {
	text, err := json.Marshal(app)
	if err != nil {
		return nil, fmt.Errorf("pack application %s: %w", client.ObjectKeyFromObject(app), err)
	}
	p := &Packed{ObjectMeta: app.ObjectMeta, text: deflate(text)}
	p.Labels, p.Annotations = nil, nil
	p.Namespace = unique.Make(p.Namespace).Value()
	p.Finalizers = slices.Clone(p.Finalizers)
	for i, name := range p.Finalizers {
		p.Finalizers[i] = unique.Make(name).Value()
	}
	return p, nil
}

// Application returns the unpacked application.
func (p *Packed) Application() *v1alpha1.SparkApplication {
	app := &v1alpha1.SparkApplication{}
	text, err := inflate(p.text)
	if err == nil {
		err = kjson.Unmarshal(text, app)
	}
	if err != nil {
		panic(fmt.Sprintf("application %s/%s cannot be unpacked: %v", p.Namespace, p.Name, err)) // it was packed by this process
	}
	return app
}

// DeepCopyObject implements runtime.Object. It returns the unpacked application.
func (p *Packed) DeepCopyObject() runtime.Object { return p.Application() }

// GetObjectKind implements runtime.Object.
func (p *Packed) GetObjectKind() schema.ObjectKind {
	return &metav1.TypeMeta{APIVersion: v1alpha1.GroupVersion.String(), Kind: v1alpha1.SparkApplicationKind}
}

// GetLabels implements metav1.Object.
func (p *Packed) GetLabels() map[string]string { return p.Application().Labels }

// GetAnnotations implements metav1.Object.
func (p *Packed) GetAnnotations() map[string]string { return p.Application().Annotations }

// UnpackedIndex is the name of the cache index that selects the applications that are not packed, and Unpacked is their
// value in it.
const UnpackedIndex, Unpacked = "unpacked", "true"

// IndexUnpacked is the index function of UnpackedIndex.
func IndexUnpacked(obj client.Object) []string {
	if _, packed := obj.(*Packed); packed {
		return nil
	}
	return []string{Unpacked}
}

// dictionary is the preset dictionary for compression: texts that ended applications have in common, mostly names of
// fields.
var dictionary = []byte(`{"kind":"SparkApplication","apiVersion":"sparkgate.io/v1alpha1","metadata":{"labels":{"app.kubernetes.io/instance":"",` +
	`"kustomize.toolkit.fluxcd.io/name":"","kustomize.toolkit.fluxcd.io/namespace":""},"annotations":{"argocd.argoproj.io/tracking-id":""},` +
	`"ownerReferences":[{"apiVersion":"sparkgate.io/v1alpha1","kind":"ScheduledSparkApplication","controller":true,"blockOwnerDeletion":true}],` +
	`"spec":{"type":"Scala","type":"Python","sparkVersion":"4.1.4","image":"","imagePullPolicy":"IfNotPresent","mainClass":"org.apache.spark.examples.",` +
	`"mainApplicationFile":"local:///opt/spark/examples/jars/spark-examples.jar","arguments":[""],"sparkConf":{"spark.eventLog.enabled":"true",` +
	`"spark.eventLog.dir":"s3a://","spark.sql.shuffle.partitions":"200","spark.hadoop.fs.s3a.endpoint":"https://","spark.kubernetes.",` +
	`"spark.dynamicAllocation.enabled":"true"},"driver":{"cores":1,"memory":"1g","serviceAccountName":"spark","template":{"spec":{"containers":[` +
	`{"name":"spark-kubernetes-driver","env":[{"name":"","value":""}],"volumeMounts":[{"name":"","mountPath":""}]}]}},"executor":{"instances":2,` +
	`"queue":{"name":"","priorityClassName":""},"restartPolicy":{},"retention":{},"ttlAfterFinished":"","runID":"","timeouts":{}},` +
	`"status":{"observedGeneration":1,"conditions":[{"type":"Reconciling","status":"True","type":"Stalled","reason":"Failed",` +
	`{"type":"Ready","status":"True","observedGeneration":1,"lastTransitionTime":"2026-01-01T00:00:00Z","reason":"Succeeded","message":"run 1 succeeded"},` +
	`{"type":"Admitted","status":"True","observedGeneration":1,"lastTransitionTime":"2026-01-01T00:00:00Z","reason":"Admitted","message":"admitted"},` +
	`{"type":"Finished","status":"True","observedGeneration":1,"lastTransitionTime":"2026-01-01T00:00:00Z","reason":"Finished","message":"run 1 has ended"},` +
	`{"type":"Running","status":"False","observedGeneration":1,"lastTransitionTime":"2026-01-01T00:00:00Z","reason":"NotRunning","message":"driver ended"}],` +
	`"run":1,"attempt":1,"templateHash":"v1:","queue":"","times":{"finished":"2026-01-01T00:00:00Z","queued":"2026-01-01T00:00:00Z",` +
	`"admitted":"2026-01-01T00:00:00Z","driverStarted":"2026-01-01T00:00:00Z","executorsReady":"2026-01-01T00:00:00Z","started":"2026-01-01T00:00:00Z"},` +
	`"runDuration":"1m0s","driver":{"podName":"-1-1-driver","uid":"","applicationID":"spark-"},"executors":{"wanted":2,"ready":0,"peak":2,"summary":"2/2"},` +
	`"attempts":[{"run":1,"attempt":1,"outcome":"Failed","outcome":"Succeeded","reason":"Succeeded","exitCode":0,"message":"driver ended with exit code 0",` +
	`"startedAt":"2026-01-01T00:00:00Z","finishedAt":"2026-01-01T00:00:00Z","usage":{"queue":"","since":"2026-01-01T00:00:00Z","until":"2026-01-01T00:00:00Z","granted":{` +
	`"milliCPUSeconds":,"memoryMiBSeconds":},"requested":{"milliCPUSeconds":,"memoryMiBSeconds":}}}]}}`)

// writers pools compressors, each of which takes half a megabyte.
var writers = sync.Pool{New: func() any {
	w, err := flate.NewWriterDict(io.Discard, flate.BestSpeed, dictionary)
	if err != nil {
		panic(err) // the level is a constant
	}
	return w
}}

func deflate(text []byte) []byte {
	w := writers.Get().(*flate.Writer)
	defer writers.Put(w)
	var out bytes.Buffer
	w.Reset(&out)
	_, _ = w.Write(text) // a buffer accepts everything
	_ = w.Close()
	return slices.Clone(out.Bytes())
}

// readers pools decompressors.
var readers = sync.Pool{New: func() any { return flate.NewReaderDict(bytes.NewReader(nil), dictionary) }}

func inflate(packed []byte) ([]byte, error) {
	r := readers.Get().(io.ReadCloser)
	defer readers.Put(r)
	if err := r.(flate.Resetter).Reset(bytes.NewReader(packed), dictionary); err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}
