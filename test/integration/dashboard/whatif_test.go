// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// planner may read what a plan starts from.
var planner = rights{"", []string{"list"}, []string{
	"namespaces", "limitranges", "resourcequotas", "sparkflavors", "sparkqueues", "sparkapplications",
}}

// TestWhatIf: a change of a quota is planned with the rights of the viewer, and changes nothing.
func TestWhatIf(t *testing.T) {
	t.Parallel()
	operator.Use(t)
	w := harness.NewWorld(t, harness.MemoryFor(3), nil)
	w.Run(w.Apply("first"))
	queued := w.Apply("second")
	w.Reach(queued, v1alpha1.QueuedReason)
	me := newViewer(t, serve(t), everything, planner)
	path := "/what-if?queue=" + w.Queue.Name
	me.sees(path, "nominal:default:memory", "Plan</button>")
	more := me.sees(path+"&plan=1&nominal:default:memory=64Gi", "second", ">Waiting<", ">Admitted<", "is 2688Mi", "The plan leaves out priorityclasses")
	if strings.Contains(more.text, "data-live") {
		t.Error("a page that answers once connects to a stream")
	}
	me.sees(path+"&plan=1", "No application would start, stop, or change its place in line.")
	if p := me.opens(path + "&plan=1&nominal:default:memory=1"); missing(p.text, []string{"second", ">Refused<", "ExceedsQuota"}) != "" {
		t.Errorf("without quota: %d %s", p.status, p.text)
	}
	if p := me.opens(path + "&plan=1&nominal:default:memory=" + url.QueryEscape(hostile)); p.status != http.StatusUnprocessableEntity ||
		missing(p.text, []string{"nominal", "&lt;script&gt;", `role="alert"`}) != "" || strings.Contains(p.text, "<script>alert") {
		t.Errorf("%d %s", p.status, p.text)
	}
	w.Reach(queued, v1alpha1.QueuedReason)
	if p := me.opens("/what-if?queue=none"); p.status != http.StatusNotFound {
		t.Errorf("a queue that does not exist: %d", p.status)
	}
}

// TestRefusedAnswers: who may not list flavors, applications or pods sees that.
func TestRefusedAnswers(t *testing.T) {
	t.Parallel()
	operator.Use(t)
	w := harness.NewWorld(t, "", nil)
	app := w.Apply("pi")
	w.Run(app)
	address := serve(t)
	onlyQueues := newViewer(t, address, rights{"", []string{"list", "watch"}, []string{"sparkqueues"}})
	onlyQueues.refused("/what-if?plan=1&queue="+w.Queue.Name, "sparkflavors")
	onlyQueues.refused("/usage", "sparkapplications")
	onlyApplications := newViewer(t, address, rights{w.Namespace, []string{"list", "watch"}, []string{"sparkapplications"}})
	onlyApplications.sees("/usage?by=application&namespace="+w.Namespace, w.Namespace+"/pi", "core-hours")
	onlyApplications.sees(applicationPath(app)+"?advice=1", "Right-sizing", "Not known:", "pods")
	onlyApplications.refused("/what-if", "sparkqueues")
}
