// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package companions

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// TestWithTheAttempt: all companions come with the driver, lead to it, and go when the run has ended; the next run has its own.
func TestWithTheAttempt(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "3Gi", nil)
	operator.Use(t)
	app := w.Apply("pi", everything)
	for run := range int64(2) {
		if run > 0 {
			harness.Change(t, app, func(a *v1alpha1.SparkApplication) { a.Spec.RunID = "again" })
			harness.Eventually(t, app, "in run 2", func(a *v1alpha1.SparkApplication) bool { return a.Status.Run == 2 })
		}
		driver := w.Driver(app)
		s := eventually(t, app, "all companions", complete) // while the driver starts, so that its address comes with the stage
		w.Run(app)
		owned(t, app, s.service, s.budget, s.ingress)
		selects(t, app, s.service.Spec.Selector, driver)
		selects(t, app, s.budget.Spec.Selector.MatchLabels, driver)
		asWritten(t, s)
		address(t, app, outside(w))
		w.Kubelet.Finish(t.Context(), driver, 0, "Completed")
		w.Reach(app, "Succeeded")
		eventually(t, app, "no companion", none)
	}
	for _, v := range w.History.Versions(app) {
		if v.Status.Driver != nil && v.Status.Times.DriverStarted != nil && harness.Stage(v) == "Running" && !outside(w)(v.Status.Driver.UIAddress) {
			t.Errorf("the address was written apart from the stage: %s", harness.Show(v))
		}
	}
	if told := warnings(t, app); len(told) > 0 {
		t.Errorf("warnings: %q", told)
	}
	w.Unused()
}

// asWritten checks that companions have what the function everything asks for.
func asWritten(t *testing.T, s set) {
	t.Helper()
	if s.service.Spec.ClusterIP != corev1.ClusterIPNone || len(s.service.Spec.Ports) != 2 || s.service.Spec.Ports[1].TargetPort.IntValue() != 15002 {
		t.Errorf("spec of the Service: %+v", s.service.Spec)
	}
	if backend := s.ingress.Spec.Rules[0].HTTP.Paths[0].Backend.Service; backend.Name != s.ui.Name || backend.Port.Name != "spark-ui" {
		t.Errorf("the Ingress leads to %+v, want to %s", backend, s.ui.Name)
	}
	if s.ui.Labels["team"] != "data" || s.ui.Annotations["of"] != "pi" {
		t.Errorf("metadata of the Service of the web interface: %v %v", s.ui.Labels, s.ui.Annotations)
	}
}

// TestFollowsTheNextAttempt: the Service stays the same object over the pause between two attempts, and leads to the driver of the second;
// all else is the attempt's.
func TestFollowsTheNextAttempt(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		end, again func(*testing.T, *harness.World, *v1alpha1.SparkApplication)
	}{
		"suspended and resumed": {
			func(t *testing.T, w *harness.World, app *v1alpha1.SparkApplication) {
				harness.Change(t, app, func(a *v1alpha1.SparkApplication) { a.Spec.Suspend = true })
				w.Reach(app, "Suspended")
			},
			func(t *testing.T, _ *harness.World, app *v1alpha1.SparkApplication) {
				harness.Change(t, app, func(a *v1alpha1.SparkApplication) { a.Spec.Suspend = false })
			},
		},
		"failed and tried again": {
			func(t *testing.T, w *harness.World, app *v1alpha1.SparkApplication) {
				w.Kubelet.Finish(t.Context(), w.Driver(app), 1, "Error")
				w.Reach(app, "AttemptFailed")
			},
			func(*testing.T, *harness.World, *v1alpha1.SparkApplication) {},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := harness.NewWorld(t, "3Gi", nil)
			operator.Use(t)
			app := w.Apply("pi", everything, func(a *v1alpha1.SparkApplication) {
				a.Spec.RestartPolicy = &v1alpha1.RestartPolicy{Type: v1alpha1.RestartOnFailure, MaxAttempts: ptr.To[int32](2),
					Backoff: &v1alpha1.Backoff{Initial: &v1alpha1.Duration{Duration: 3 * time.Second}}}
			})
			w.Run(app)
			first := eventually(t, app, "all companions", complete)
			tc.end(t, w, app)
			between := eventually(t, app, "the Service alone", func(s set) bool { return s.service != nil && s.budget == nil && s.ingress == nil })
			tc.again(t, w, app)
			driver := w.Run(app)
			second := eventually(t, app, "all companions of attempt 2", func(s set) bool {
				return complete(s) && s.service.Labels[v1alpha1.AttemptLabel] == "2" && s.ingress.Labels[v1alpha1.AttemptLabel] == "2"
			})
			if between.service.UID != first.service.UID || second.service.UID != first.service.UID {
				t.Errorf("the Service did not stay: %s, %s, %s", first.service.UID, between.service.UID, second.service.UID)
			}
			if second.budget.UID == first.budget.UID || second.ingress.UID == first.ingress.UID {
				t.Error("budget and Ingress are still those of the first attempt")
			}
			selects(t, app, second.service.Spec.Selector, driver)
			selects(t, app, second.budget.Spec.Selector.MatchLabels, driver)
			w.Kubelet.Finish(t.Context(), driver, 0, "Completed")
			w.Reach(app, "Succeeded")
			eventually(t, app, "no companion", none)
		})
	}
}

// TestChangedWhileRunning: every edit takes effect on the objects that are there, what was removed included; the driver continues.
func TestChangedWhileRunning(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "3Gi", nil)
	operator.Use(t)
	app := w.Apply("pi", everything)
	driver := w.Run(app)
	before := eventually(t, app, "all companions", complete)
	harness.Change(t, before.ingress, func(obj *netIngress) { obj.Annotations["of/others"] = "kept" })

	harness.Change(t, app, func(a *v1alpha1.SparkApplication) {
		a.Spec.DriverService.Ports = []v1alpha1.DriverServicePort{{Name: "other", Port: 9000}}
		a.Spec.UI.ServiceMetadata = &v1alpha1.ServiceMetadata{Labels: map[string]string{"tier": "1"}}
		a.Spec.UI.Ingress.Host, a.Spec.UI.Ingress.TLSSecretName = "other.{{namespace}}.example.org", ""
		a.Spec.UI.Ingress.Annotations = map[string]string{"keep": "it"}
	})
	s := eventually(t, app, "all changed", func(s set) bool {
		return complete(s) && len(s.service.Spec.Ports) == 1 && s.service.Spec.Ports[0].Name == "other" &&
			s.ingress.Spec.Rules[0].Host == "other."+w.Namespace+".example.org" && s.ui.Labels["tier"] == "1"
	})
	if len(s.ingress.Spec.TLS) > 0 || s.ingress.Annotations["keep"] != "it" || s.ingress.Annotations["drop"] != "" || s.ingress.Annotations["of/others"] != "kept" {
		t.Errorf("ingress: %v %+v", s.ingress.Annotations, s.ingress.Spec)
	}
	for key, there := range map[string]bool{"team": false, "tier": true, v1alpha1.SparkSelectorLabel: true} {
		if _, has := s.ui.Labels[key]; has != there {
			t.Errorf("labels of the Service of the web interface: %v", s.ui.Labels)
		}
	}
	if s.ingress.UID != before.ingress.UID || s.service.UID != before.service.UID {
		t.Error("objects were replaced, not changed")
	}
	address(t, app, func(at string) bool { return at == "http://other."+w.Namespace+".example.org/spark" })

	if made := w.Kubelet.Created(app.UID); len(made) != 1 || app.Status.Run != 1 {
		t.Errorf("drivers %v, %s", made, harness.Show(app))
	}
	w.Kubelet.Finish(t.Context(), driver, 0, "Completed")
	w.Reach(app, "Succeeded")
	eventually(t, app, "no companion", none)
}

// TestTakenAwayAndBack: fields that are removed while the driver runs take their objects along; fields that are set then make them.
func TestTakenAwayAndBack(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "3Gi", nil)
	operator.Use(t)
	app := w.Apply("pi", everything)
	driver := w.Run(app)
	eventually(t, app, "all companions", complete)
	harness.Change(t, app, func(a *v1alpha1.SparkApplication) {
		a.Spec.DriverService, a.Spec.UI, a.Spec.PodDisruptionBudget = nil, nil, v1alpha1.DisruptionNone
	})
	gone := eventually(t, app, "no companion", func(s set) bool { return none(s) && s.ui.Labels["tier"] == "" })
	if _, left := gone.ui.Annotations[v1alpha1.UIServiceAnnotation]; left {
		t.Errorf("annotations of the Service of the web interface: %v", gone.ui.Annotations)
	}
	address(t, app, inside)

	harness.Change(t, app, everything)
	eventually(t, app, "all companions", complete)
	address(t, app, outside(w))
	if made := w.Kubelet.Created(app.UID); len(made) != 1 || app.Status.Run != 1 {
		t.Errorf("drivers %v, %s", made, harness.Show(app))
	}
	w.Kubelet.Finish(t.Context(), driver, 0, "Completed")
	w.Reach(app, "Succeeded")
	eventually(t, app, "no companion", none)
}

// TestMistakeWhileRunning: a value that cannot work is reported, and what is there stays; the run continues.
func TestMistakeWhileRunning(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "3Gi", nil)
	operator.Use(t)
	app := w.Apply("pi", everything)
	driver := w.Run(app)
	before := eventually(t, app, "all companions", complete)
	harness.Change(t, app, func(a *v1alpha1.SparkApplication) { a.Spec.UI.Ingress.Host = "*.example.org" })
	warned(t, app, "InvalidSpec", "spec.ui.ingress.host", `"*.example.org"`)
	if s := read(t, app); !complete(s) || s.ingress.UID != before.ingress.UID || s.ingress.Spec.Rules[0].Host != "pi."+w.Namespace+".example.org" {
		t.Errorf("ingress: %+v", s.ingress)
	}
	w.Kubelet.Finish(t.Context(), driver, 0, "Completed")
	w.Reach(app, "Succeeded")
	eventually(t, app, "no companion", none)
}

// TestSwitchedOff: without a web interface there is nothing to expose. It is reported, and the run continues.
func TestSwitchedOff(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "3Gi", nil)
	operator.Use(t)
	app := w.Apply("pi", everything, func(a *v1alpha1.SparkApplication) { a.Spec.SparkConf = map[string]string{"spark.ui.enabled": "false"} })
	driver := w.Run(app)
	warned(t, app, "CompanionCreateFailed", "spec.ui.ingress", "spark.ui.enabled")
	if s := eventually(t, app, "the others", func(s set) bool { return s.service != nil && s.budget != nil }); s.ingress != nil {
		t.Errorf("ingress: %+v", s.ingress)
	}
	w.Kubelet.Finish(t.Context(), driver, 0, "Completed")
	w.Reach(app, "Succeeded")
}

// TestDeleted: with the application goes what accompanies it, before the garbage collector comes.
func TestDeleted(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "3Gi", nil)
	operator.Use(t)
	app := w.Apply("pi", everything)
	w.Run(app)
	eventually(t, app, "all companions", complete)
	if err := env.Client().Delete(t.Context(), app); err != nil {
		t.Fatal(err)
	}
	harness.Gone(t, app)
	if s := read(t, app); !none(s) {
		t.Errorf("left: %+v", s)
	}
}

// TestBelowAPath: the driver knows the path under which its web interface is reached.
func TestBelowAPath(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "3Gi", nil)
	operator.Use(t)
	app := w.Apply("pi", everything)
	w.Run(app)
	list := &corev1.ConfigMapList{}
	if err := env.Client().List(t.Context(), list, inNamespace(w)); err != nil {
		t.Fatal(err)
	}
	for i := range list.Items {
		if text, ok := list.Items[i].Data["spark.properties"]; ok {
			if !strings.Contains(text, "\nspark.ui.proxyBase=/spark\n") || !strings.Contains(text, "\nspark.ui.proxyRedirectUri=/\n") {
				t.Errorf("properties:\n%s", text)
			}
			return
		}
	}
	t.Error("there is no ConfigMap with properties")
}

// TestHistory: an attempt that writes an event log says where the history server shows it, also after the end; one that writes none does not.
func TestHistory(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "8Gi", nil)
	operator.Use(t)
	logs := w.Apply("logs", func(a *v1alpha1.SparkApplication) {
		a.Spec.SparkConf = map[string]string{"spark.eventLog.enabled": "true"}
	})
	none := w.Apply("none")
	w.SucceedAll(logs, none)
	harness.Eventually(t, logs, "read again", func(*v1alpha1.SparkApplication) bool { return true })
	if want := "https://history.example.org/history/" + logs.Status.Driver.ApplicationID + "/jobs"; logs.Status.Driver.HistoryAddress != want {
		t.Errorf("history at %q, want %q", logs.Status.Driver.HistoryAddress, want)
	}
	harness.Eventually(t, none, "read again", func(*v1alpha1.SparkApplication) bool { return true })
	if at := none.Status.Driver.HistoryAddress; at != "" {
		t.Errorf("history at %q without an event log", at)
	}
}
