// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package options

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		args []string
		err  string // empty: accepted
	}{
		"nothing":                      {nil, ""},
		"an address for events":        {[]string{"--events-addr=http://notification-controller.flux-system.svc.cluster.local./"}, ""},
		"no address for events":        {[]string{"--events-addr=notification-controller"}, `--events-addr: "notification-controller" is not an address`},
		"a certificate for nothing":    {[]string{"--metrics-cert-path=/certs"}, "set --metrics-secure"},
		"no workers":                   {[]string{"--concurrent=0"}, "--concurrent is 0"},
		"a gate in small letters":      {[]string{"--default-gate=volcano"}, `--default-gate is "volcano"`},
		"a gate that does not exist":   {[]string{"--default-gate=Door"}, `--default-gate is "Door"`},
		"all gates":                    {[]string{"--allowed-gates=Embedded,Kueue,Volcano,YuniKorn,None"}, ""},
		"None by default":              {[]string{"--default-gate=None"}, `--default-gate is "None", which --allowed-gates leaves out; set --allowed-gates=Embedded,Kueue,Volcano,YuniKorn,None`},
		"None by default, allowed":     {[]string{"--default-gate=None", "--allowed-gates=Embedded", "--allowed-gates=None"}, ""},
		"allowed in small letters":     {[]string{"--allowed-gates=Embedded,none"}, `--allowed-gates has "none"; set it to some of`},
		"no gate":                      {[]string{"--allowed-gates="}, `--default-gate is "Embedded", which --allowed-gates leaves out`},
		"hosts and annotations":        {[]string{"--ui-hosts={{name}}.{{namespace}}.example.org,example.org/{{name}}", "--ui-annotations=haproxy.org/*"}, ""},
		"a host with a scheme":         {[]string{"--ui-hosts=https://example.org"}, `--ui-hosts has "https://example.org"`},
		"all annotations":              {[]string{"--ui-annotations=*"}, `--ui-annotations has "*"`},
		"no patience":                  {[]string{"--reference-timeout=0s"}, "--reference-timeout is 0s"},
		"no time to end":               {[]string{"--max-termination=0s"}, "--max-termination is 0s; set it to 1s or more"},
		"two namespaces":               {[]string{"--watch-namespaces=ads,etl", "--queue-selector=team in (ads,etl)"}, ""},
		"namespaces by label":          {[]string{"--namespace-selector=example.org/spark"}, ""},
		"namespaces by name and label": {[]string{"--namespace-selector=example.org/spark", "--watch-namespaces=ads"}, "--watch-namespaces and --namespace-selector both say"},
		"not a namespace selector":     {[]string{"--namespace-selector=a=b=c"}, "set it to a label selector"},
		"a namespace twice":            {[]string{"--watch-namespaces=ads,ads"}, `--watch-namespaces has "ads" twice`},
		"not a namespace":              {[]string{"--watch-namespaces=Ads"}, `--watch-namespaces has "Ads", which is not the name of a namespace`},
		"not a selector":               {[]string{"--queue-selector=team in ads"}, "set it to a label selector such as team=analytics"},
		"an unknown flag":              {[]string{"--evnts-addr=x"}, "unknown flag"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := Parse(tc.args)
			if (err == nil) != (tc.err == "") || err != nil && !strings.Contains(err.Error(), tc.err) {
				t.Errorf("got %v, want %q", err, tc.err)
			}
		})
	}
}

func TestHistoryServer(t *testing.T) {
	t.Parallel()
	for address, well := range map[string]bool{
		"": true,
		"https://history.example.org/history/{{applicationID}}/jobs": true,
		"https://history.example.org/":                               false,
		"history.example.org/{{applicationID}}":                      false,
		"https://{{applicationID}}.history.example.org:port":         false,
	} {
		o, err := Parse([]string{"--history-server-url=" + address})
		if (err == nil) != well || well && o.HistoryURL != address {
			t.Errorf("%q: %q, %v", address, o.HistoryURL, err)
		}
		if err != nil && (!strings.Contains(err.Error(), "--history-server-url") || !strings.Contains(err.Error(), "such as https://")) {
			t.Errorf("the message does not help: %v", err)
		}
	}
}

// TestTheChartKnowsEveryFlag: the Helm chart sets a flag itself or takes it as a value, and knows no others.
func TestTheChartKnowsEveryFlag(t *testing.T) {
	t.Parallel()
	read := func(path string) []byte {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	const chart = "../../../../config/chart/sparkgate/"
	var schema struct {
		Properties struct {
			Flags struct{ Properties map[string]any }
		}
	}
	if err := json.Unmarshal(read(chart+"values.schema.json"), &schema); err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for name := range schema.Properties.Flags.Properties {
		known[name] = true
	}
	for _, m := range regexp.MustCompile(`- --([a-z-]+)`).FindAllSubmatch(read(chart+"templates/deployment.yaml"), -1) {
		if known[string(m[1])] {
			t.Errorf("the chart sets --%s, and takes it as a value", m[1])
		}
		known[string(m[1])] = true
	}
	for name := range known {
		if _, err := Parse([]string{"--" + name + "=?"}); err != nil && strings.Contains(err.Error(), "unknown flag") {
			t.Errorf("the chart has --%s, and the operator does not", name)
		}
	}
	own := regexp.MustCompile(`fs\.\w+Var\(&[\w.]+, "([a-z-]+)"`).FindAllSubmatch(read("options.go"), -1)
	if len(own) == 0 {
		t.Fatal("no flag was found in options.go")
	}
	for _, m := range own {
		if !known[string(m[1])] {
			t.Errorf("add --%s to the flags of the chart's values.schema.json", m[1])
		}
	}
}
