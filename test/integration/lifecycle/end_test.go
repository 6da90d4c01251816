// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// TestSucceeds: the stages come in order, `kubectl wait --for=condition=Ready` returns at the end, the log stays, the quota is back.
func TestSucceeds(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "8Gi", nil)
	operator.Use(t)
	app := w.Apply("pi")
	driver := w.Driver(app)
	executors := w.Kubelet.Executors(t.Context(), driver, 2)
	w.Run(app)
	harness.Eventually(t, w.Queue, "used by one", func(q *v1alpha1.SparkQueue) bool {
		return q.Status.Admitted == 1 && q.Status.Summary["memory"] == "2.625Gi/8Gi"
	})
	for _, e := range executors {
		w.Kubelet.Finish(t.Context(), e, 0, "Completed")
	}
	w.Kubelet.Finish(t.Context(), driver, 0, "Completed")
	w.Reach(app, "Succeeded")

	if !harness.Met(app, v1alpha1.ReadyCondition) || !harness.Met(app, v1alpha1.FinishedCondition) {
		t.Errorf("kubectl wait does not return: %s", harness.Show(app))
	}
	want := []string{"1/1 Submitting", "1/1 Running", "1/1 Succeeded"}
	got := withoutPassing(w.History.Stages(app))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("stages (-want +got):\n%s", diff)
	}
	wantAttempts := []v1alpha1.AttemptStatus{{Run: 1, Attempt: 1, Outcome: "Succeeded", Reason: "Succeeded", ExitCode: ptr.To[int32](0), Message: "driver ended with exit code 0"}}
	if diff := cmp.Diff(wantAttempts, untimed(app.Status.Attempts)); diff != "" {
		t.Errorf("attempts (-want +got):\n%s", diff)
	}
	w.Unused()
	kept := &corev1.Pod{}
	if err := env.Client().Get(t.Context(), client.ObjectKeyFromObject(driver), kept); err != nil || kept.DeletionTimestamp != nil {
		t.Errorf("the driver pod, which has the log, does not stay: %v", err)
	}
}

// withoutPassing leaves out the stages that may share their status write with the next one.
func withoutPassing(stages []string) []string {
	var left []string
	for _, s := range stages {
		if !strings.HasSuffix(s, "Queued") && !strings.HasSuffix(s, "Starting") && !strings.HasSuffix(s, "Finalizing") {
			left = append(left, s)
		}
	}
	return left
}

// untimed takes the times out of attempts, and what they used, which depends on them.
func untimed(attempts []v1alpha1.AttemptStatus) []v1alpha1.AttemptStatus {
	out := make([]v1alpha1.AttemptStatus, 0, len(attempts))
	for _, a := range attempts {
		a.StartedAt, a.FinishedAt, a.Usage = nil, nil, nil
		out = append(out, a)
	}
	return out
}

// TestFails: both Ready=False and Stalled=True say what ended the run, its exit code and its cause; so does the history.
func TestFails(t *testing.T) {
	t.Parallel()
	finish := func(code int32, reason string) func(context.Context, *harness.Kubelet, *corev1.Pod) {
		return func(ctx context.Context, k *harness.Kubelet, driver *corev1.Pod) { k.Finish(ctx, driver, code, reason) }
	}
	tests := map[string]struct {
		end     func(context.Context, *harness.Kubelet, *corev1.Pod)
		attempt v1alpha1.AttemptStatus
		words   []string
	}{
		"exit code": {finish(3, "Error"),
			v1alpha1.AttemptStatus{Reason: "Error", Cause: v1alpha1.CauseApplication, ExitCode: ptr.To[int32](3)},
			[]string{"run 1 failed", "exit code 3"}},
		"out of memory": {finish(137, "OOMKilled"),
			v1alpha1.AttemptStatus{Reason: "OOMKilled", Cause: v1alpha1.CauseApplication, ExitCode: ptr.To[int32](137)},
			[]string{"137", "more memory than its limit", "raise driver.memory"}},
		"killed": {finish(137, "Error"),
			v1alpha1.AttemptStatus{Reason: "Error", Cause: v1alpha1.CauseApplication, ExitCode: ptr.To[int32](137)},
			[]string{"exit code 137"}},
		"no such program": {finish(128, "StartError"),
			v1alpha1.AttemptStatus{Reason: "StartError", Cause: v1alpha1.CauseConfiguration, ExitCode: ptr.To[int32](128)},
			[]string{"could not start", "StartError"}},
		"evicted": {func(ctx context.Context, k *harness.Kubelet, driver *corev1.Pod) {
			k.Evict(ctx, driver, "The node was low on resource: ephemeral-storage.")
		}, v1alpha1.AttemptStatus{Reason: "Evicted", Cause: v1alpha1.CauseInfrastructure},
			[]string{"evicted", "low on resource: ephemeral-storage"}},
		"deleted by somebody": {func(ctx context.Context, _ *harness.Kubelet, driver *corev1.Pod) {
			_ = env.Client().Delete(ctx, driver, client.GracePeriodSeconds(0))
		}, v1alpha1.AttemptStatus{Reason: "DriverLost", Cause: v1alpha1.CauseInfrastructure},
			[]string{"a user or another controller deleted it"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := harness.NewWorld(t, "8Gi", nil)
			operator.Use(t)
			app := w.Apply("pi")
			driver := w.Run(app)
			executors := w.Kubelet.Executors(t.Context(), driver, 2)
			tc.end(t.Context(), w.Kubelet, driver)
			w.Reach(app, "Failed")

			stalled := apimeta.FindStatusCondition(app.Status.Conditions, v1alpha1.StalledCondition)
			if stalled == nil || stalled.Message != harness.Message(app) {
				t.Errorf("Stalled does not say what Ready says: %s", harness.Show(app))
			}
			for _, word := range tc.words {
				if !strings.Contains(harness.Message(app), word) {
					t.Errorf("the message does not have %q: %s", word, harness.Message(app))
				}
			}
			if len(app.Status.Attempts) != 1 {
				t.Fatalf("attempts: %+v", app.Status.Attempts)
			}
			got := untimed(app.Status.Attempts)[0]
			got.Message = ""
			tc.attempt.Run, tc.attempt.Attempt, tc.attempt.Outcome = 1, 1, "Failed"
			if diff := cmp.Diff(tc.attempt, got); diff != "" {
				t.Errorf("attempt (-want +got):\n%s", diff)
			}
			if left := w.Pods(); len(left) > 0 || len(executors) != 2 {
				t.Errorf("%d of %d executors are left", len(left), len(executors))
			}
			w.Unused()
		})
	}
}

// TestImageCannotBePulled: the kubelet's reason and the image are reported once, however often the kubelet changes its mind; after
// timeouts.driverStart the run fails and leaves no pod.
func TestImageCannotBePulled(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		reasons []string
		words   []string
	}{
		"not in the registry": {[]string{"ErrImagePull", "ImagePullBackOff"}, []string{"ImagePullBackOff", "spark:4.1"}},
		"not on the node":     {[]string{"ErrImageNeverPull"}, []string{"ErrImageNeverPull", "spark:4.1", "imagePullPolicy is Never"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := harness.NewWorld(t, "8Gi", &harness.Kubelet{Run: func(ctx context.Context, k *harness.Kubelet, driver *corev1.Pod) {
				for i := range 10 {
					k.Wait(ctx, driver, tc.reasons[i%len(tc.reasons)], "Back-off pulling image: attempt "+strings.Repeat("I", i))
				}
			}})
			operator.Use(t)
			app := w.Apply("pi", driverStart(10*time.Second))
			w.Reach(app, "DriverStartTimeout")
			for _, word := range append(tc.words, "timeouts.driverStart (10s)") {
				if !strings.Contains(harness.Message(app), word) {
					t.Errorf("the message does not have %q: %s", word, harness.Message(app))
				}
			}
			early := func(message string) bool { return strings.HasSuffix(message, " is starting") } // the kubelet has said nothing yet
			told := slices.DeleteFunc(w.History.Messages(app, "Starting"), early)
			if len(told) != 1 || !strings.Contains(told[0], tc.words[0]) {
				t.Errorf("while it could start, the user was told %q", told)
			}
			writes := 0
			for _, v := range w.History.Versions(app) {
				if harness.Stage(v) == "Starting" && !early(harness.Message(v)) {
					writes++
				}
			}
			if writes != 1 {
				t.Errorf("%d writes while the kubelet alternated, want 1", writes)
			}
			got := app.Status.Attempts[len(app.Status.Attempts)-1]
			if got.Outcome != "Failed" || got.Reason != "DriverStartTimeout" || got.Cause != v1alpha1.CauseInfrastructure {
				t.Errorf("attempt: %+v", got)
			}
			nothingMade(t, w)
			w.Unused()
		})
	}
}

// TestDriverThatIsGivenUpLeavesItsLastWarning: of a volume that cannot be mounted only events of the pod report. The pod is gone when the run has failed, so
// the message has the last of them.
func TestDriverThatIsGivenUpLeavesItsLastWarning(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "8Gi", nil)
	operator.Use(t)
	app := w.Apply("pi")
	driver := w.Driver(app)
	w.Kubelet.Wait(t.Context(), driver, "ContainerCreating", "")
	const mount = `MountVolume.SetUp failed for volume "settings" : configmap "settings" not found`
	about := corev1.ObjectReference{APIVersion: "v1", Kind: "Pod", Namespace: driver.Namespace, Name: driver.Name, UID: driver.UID}
	for i, e := range []corev1.Event{
		{Type: corev1.EventTypeWarning, Reason: "FailedScheduling", Message: "0/1 nodes are available", InvolvedObject: about},
		{Type: corev1.EventTypeWarning, Reason: "FailedMount", Message: mount, InvolvedObject: about},
		{Type: corev1.EventTypeNormal, Reason: "Pulled", Message: "an ordinary event", InvolvedObject: about},
		{Type: corev1.EventTypeWarning, Reason: "BackOff", Message: "of another pod", InvolvedObject: corev1.ObjectReference{Kind: "Pod", Namespace: driver.Namespace, Name: "other", UID: "other"}},
	} {
		e.Namespace, e.Name, e.LastTimestamp = driver.Namespace, strings.ToLower(e.Reason), metav1.NewTime(time.Now().Add(time.Duration(i)*time.Minute))
		harness.Create(t, &e)
	}
	harness.Eventually(t, app, "told the warning", func(a *v1alpha1.SparkApplication) bool {
		return strings.HasSuffix(harness.Message(a), "does not start; last warning: FailedMount: "+mount)
	})
	harness.Change(t, app, driverStart(time.Second)) // only now: on a busy machine all this takes its time
	w.Reach(app, "DriverStartTimeout")
	if message := harness.Message(app); !strings.HasSuffix(message, "; last warning: FailedMount: "+mount) {
		t.Errorf("the message is %q", message)
	}
}

func driverStart(limit time.Duration) func(*v1alpha1.SparkApplication) {
	return func(app *v1alpha1.SparkApplication) {
		app.Spec.Timeouts = &v1alpha1.Timeouts{DriverStart: &metav1.Duration{Duration: limit}}
	}
}

// TestInvalidImageName: no waiting can help, so the run fails at once.
func TestInvalidImageName(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "8Gi", nil)
	operator.Use(t)
	app := w.Apply("pi")
	w.Kubelet.Wait(t.Context(), w.Driver(app), "InvalidImageName", "couldn't parse image name")
	w.Reach(app, "Failed")
	for _, word := range []string{"image name", "spark:4.1", "correct spec.image"} {
		if !strings.Contains(harness.Message(app), word) {
			t.Errorf("the message does not have %q: %s", word, harness.Message(app))
		}
	}
	if got := app.Status.Attempts[0]; got.Cause != v1alpha1.CauseConfiguration {
		t.Errorf("cause %s, want Configuration", got.Cause)
	}
	nothingMade(t, w)
}

// nothingMade checks that no object of an attempt is left.
func nothingMade(t *testing.T, w *harness.World) {
	t.Helper()
	for _, list := range []client.ObjectList{&corev1.PodList{}, &corev1.ServiceList{}, &corev1.ConfigMapList{}, &networkingv1.NetworkPolicyList{}} {
		if err := env.Client().List(t.Context(), list, client.InNamespace(w.Namespace), client.HasLabels{v1alpha1.ApplicationLabel}); err != nil {
			t.Fatal(err)
		}
		if n := apimeta.LenList(list); n > 0 {
			t.Errorf("%d left in %T", n, list)
		}
	}
}

// claimOnDemand gives the driver a volume whose claim is created for each attempt.
func claimOnDemand(app *v1alpha1.SparkApplication) {
	const volume = "spark.kubernetes.driver.volumes.persistentVolumeClaim.data."
	app.Spec.SparkConf = map[string]string{
		volume + "mount.path": "/data", volume + "options.claimName": "OnDemand",
		volume + "options.storageClass": "fast", volume + "options.sizeLimit": "1Gi",
	}
}

// claimsOf lists the claims that were created for an application.
func claimsOf(t *testing.T, app *v1alpha1.SparkApplication) []corev1.PersistentVolumeClaim {
	t.Helper()
	list := &corev1.PersistentVolumeClaimList{}
	err := env.Client().List(t.Context(), list, client.InNamespace(app.Namespace), client.MatchingLabels{v1alpha1.ApplicationUIDLabel: string(app.UID)})
	if err != nil {
		t.Fatal(err)
	}
	return list.Items
}

// TestOldObjectsGo: what was kept of a run for its log goes after the retention time; the status stays as it was.
func TestOldObjectsGo(t *testing.T) {
	clock := &harness.Clock{}
	w := harness.NewWorld(t, "8Gi", nil)
	harness.StartOperator(t, harness.OperatorOptions{Clock: clock})
	app := w.Apply("pi", spark42, claimOnDemand)
	w.Succeed(app)
	claims := claimsOf(t, app)
	if len(claims) != 1 || claims[0].DeletionTimestamp != nil || claims[0].Spec.Resources.Requests.Storage().String() != "1Gi" {
		t.Fatalf("claims %v, want one of 1Gi", claims)
	}
	before := app.DeepCopy()
	clock.Advance(61 * time.Minute)
	harness.Change(t, app, func(a *v1alpha1.SparkApplication) { a.Labels = map[string]string{"look": "again"} })
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: app.Status.Driver.PodName}}
	harness.Gone(t, pod)
	nothingMade(t, w)
	for _, claim := range claimsOf(t, app) {
		if claim.DeletionTimestamp == nil { // Kubernetes keeps it until no pod uses it
			t.Errorf("the claim %s is not deleted", claim.Name)
		}
	}
	if err := env.Client().Get(t.Context(), types.NamespacedName{Namespace: w.Namespace, Name: "pi"}, app); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before.Status, app.Status); diff != "" {
		t.Errorf("status (-before +after):\n%s", diff)
	}
}
