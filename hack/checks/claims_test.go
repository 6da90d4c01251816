// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package checks

import "testing"

// TestClaims holds what docs/architecture.md says of gate names and of writers to the code.
func TestClaims(t *testing.T) {
	t.Parallel()
	files, err := ReadRepository(root)
	if err != nil {
		t.Fatal(err)
	}
	report(t, Claims(files, claims))
}

func TestClaimsCount(t *testing.T) {
	t.Parallel()
	gates := Claim{Rule: RuleGateName, In: []string{"controllers/..."}, count: gateNames}
	askers := Claim{Rule: RuleAsker, In: []string{"controllers/..."}, count: askerNames}
	writes := Claim{Rule: RuleWrite, In: []string{"controllers/..."}, count: apiWrites}
	tests := map[string]struct {
		claim Claim
		path  string
		body  string
		known int
		want  string
	}{
		"a comparison":             {claim: gates, body: "func f() bool { return gate == v1alpha1.GateKueue }", want: RuleGateName},
		"of a text":                {claim: gates, body: "func f() bool { return gate != string(v1alpha1.GateNone) }", want: RuleGateName},
		"with a literal":           {claim: gates, body: "func f() bool { return gate == \"Kueue\" }", want: RuleGateName},
		"a case":                   {claim: gates, body: "func f() { switch gate { case v1alpha1.GateVolcano: } }", want: RuleGateName},
		"a map":                    {claim: gates, body: "var m = map[string]int{string(v1alpha1.GateYuniKorn): 1}", want: RuleGateName},
		"a list":                   {claim: gates, body: "var l = []v1alpha1.GateType{v1alpha1.GateEmbedded}", want: RuleGateName},
		"a value":                  {claim: gates, body: "var a = Ask{Gate: string(v1alpha1.GateEmbedded)}"},
		"a default":                {claim: gates, body: "func f() { o.Gate = v1alpha1.GateEmbedded }"},
		"another word":             {claim: gates, body: "func f() bool { return gate == \"Other\" }"},
		"one that is known":        {claim: gates, known: 1, body: "func f() bool { return gate == v1alpha1.GateKueue }"},
		"a second one":             {claim: gates, known: 1, body: "func f() bool { return gate == v1alpha1.GateKueue || gate == v1alpha1.GateNone }", want: RuleGateName},
		"one that is gone":         {claim: gates, known: 1, body: "func f() {}", want: RuleGateName},
		"outside":                  {claim: gates, path: "queueing/a.go", body: "func f() bool { return gate == v1alpha1.GateKueue }"},
		"a kind of asker":          {claim: askers, body: "func f() bool { return kind == v1alpha1.SparkApplicationKind }", want: RuleAsker},
		"of a pod":                 {claim: askers, body: "func f() bool { return kind == \"Pod\" }", want: RuleAsker},
		"a pod set":                {claim: askers, body: "const baseExecutors = 1", want: RuleAsker},
		"a message":                {claim: askers, body: "var m = \"the driver waits\"", want: RuleAsker},
		"an import":                {claim: askers, body: "import \"a/driver\""},
		"another kind":             {claim: askers, body: "var k = \"PodGroup\""},
		"a write":                  {claim: writes, body: "func f() { p.Client.Patch(ctx, obj, patch) }", want: RuleWrite},
		"to the status":            {claim: writes, body: "func f() { p.Client.Status().Patch(ctx, obj, patch) }", want: RuleWrite},
		"of a client by its kind":  {claim: writes, body: "func f() { pods.Delete(context.TODO(), name, options) }", want: RuleWrite},
		"a read":                   {claim: writes, body: "func f() { p.Client.Get(ctx, key, obj) }"},
		"the method of a store":    {claim: writes, body: "func f() { store.Delete(key) }"},
		"of a map, without a call": {claim: writes, body: "func f() { delete(m, key) }"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := tt.path
			if path == "" {
				path = "controllers/a.go"
			}
			claim := tt.claim
			if tt.known > 0 {
				claim.Known = map[string]int{"controllers/a.go": tt.known}
			}
			if got := rules(Claims([]File{file(path, "package p\n\n"+tt.body+"\n")}, []Claim{claim})); got != tt.want {
				t.Errorf("rules broken: got %q, want %q", got, tt.want)
			}
		})
	}
}
