// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package adopt

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// TestSlim: of what may be large, the cache keeps what decisions need and no more.
func TestSlim(t *testing.T) {
	t.Parallel()
	large := strings.Repeat("x", 1<<18)
	read := func(text string) *Application {
		app := &Application{}
		if err := json.Unmarshal([]byte(text), app); err != nil {
			t.Fatal(err)
		}
		app.read()
		return app
	}
	text := fmt.Sprintf(`{"metadata":{"name":"pi","labels":{"kueue.x-k8s.io/queue-name":"q"},"annotations":{"argocd.argoproj.io/tracking-id":"a:b","sparkgate.io/spec":%[1]q}},`+
		`"spec":{"suspend":true,"timeToLiveSeconds":5,"a":%[1]q},"status":{"applicationState":{"state":"COMPLETED"},"driverInfo":{},"executorState":{%[1]q:"RUNNING"}}}`, large)
	app := read(text)
	want := app.kept
	slim(app)
	slim(app)
	if app.kept != want || !want.tracked || want.queue != "q" || !want.Suspend || *want.TimeToLiveSeconds != 5 || want.hash == want.made {
		t.Errorf("kept are %+v, want %+v", app.kept, want)
	}
	if left, err := json.Marshal(app); err != nil || len(left) > 500 {
		t.Errorf("%d bytes are left: %v", len(left), err)
	}
	if other := read(strings.Replace(text, `"suspend":true,"timeToLiveSeconds":5,`, "", 1)); other.kept.made != want.made {
		t.Error("fields that are live change the hash")
	}

	again := app.DeepCopy()
	again.Status = Status{State: State{State: submitted}}
	patch, err := client.MergeFrom(app).Data(again)
	if err != nil || !strings.Contains(string(patch), `"executorState":null`) || strings.Contains(string(patch), "metadata") {
		t.Errorf("the next run is written as %s: %v", patch, err)
	}
}
