// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/test/integration/env"
)

// dryRun asks the API server whether it would take the object, as `kubectl apply --validate=strict` does.
func dryRun(ctx context.Context, obj *unstructured.Unstructured) error {
	return env.Client().Create(ctx, obj, client.DryRunAll, client.FieldValidation("Strict"))
}

// inNamespace puts an object of a namespaced kind into the namespace default, which every cluster has.
func inNamespace(obj *unstructured.Unstructured) *unstructured.Unstructured {
	if namespaced := strings.HasSuffix(obj.GetKind(), "SparkApplication") || obj.GetKind() == "SparkCluster"; namespaced && obj.GetNamespace() == "" {
		obj.SetNamespace(metav1.NamespaceDefault)
	}
	return obj
}

// forbidden are fields that exist only so that a rule can refuse them in words.
var forbidden = map[string]bool{
	"spec.template.metadata.name": true, "spec.template.metadata.generateName": true, "spec.template.metadata.namespace": true,
}

func TestEveryFieldIsAccepted(t *testing.T) {
	t.Parallel()
	for plural := range kinds {
		t.Run(plural, func(t *testing.T) {
			t.Parallel()
			obj := complete(t, plural)
			for _, p := range places(t, plural) {
				if _, ok := at(obj.Object, p.keys); !ok && !forbidden[p.String()] {
					t.Errorf("testdata/%s lacks %s", kinds[plural], p)
				}
			}
			if err := dryRun(t.Context(), inNamespace(obj)); err != nil {
				t.Errorf("refused: %v", err)
			}
		})
	}
}

// TestEveryRuleRefuses breaks each rule that stands in a schema, one at a time. The message must name the field and say what is allowed.
func TestEveryRuleRefuses(t *testing.T) {
	t.Parallel()
	for plural := range kinds {
		t.Run(plural, func(t *testing.T) {
			t.Parallel()
			rules := 0
			obj := inNamespace(complete(t, plural))
			for _, p := range places(t, plural) {
				for _, broken := range breaches(t, obj, p) {
					rules++
					checkRefused(t, obj, p, broken)
				}
			}
			t.Logf("%d rules", rules)
			if rules == 0 {
				t.Error("the schema has no rule")
			}
		})
	}
}

// breach is a value that one rule forbids; nil means the field is left out.
type breach struct {
	rule  string
	value any
	// words of the message, beside the path of the field.
	words []string
}

func checkRefused(t *testing.T, obj *unstructured.Unstructured, p place, b breach) {
	t.Helper()
	changed, path, err := set(obj, p, b.value)
	if err != nil {
		t.Errorf("%s, %s: %v", p, b.rule, err)
		return
	}
	err = dryRun(t.Context(), changed)
	if err == nil {
		t.Errorf("%s, %s: %v was accepted", p, b.rule, b.value)
		return
	}
	if !apierrors.IsInvalid(err) {
		t.Errorf("%s, %s: refused as %s, not as Invalid: %v", p, b.rule, apierrors.ReasonForError(err), err)
	}
	for _, word := range append(b.words, path) {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("%s, %s: the message does not have %q: %v", p, b.rule, word, err)
		}
	}
}

// breaches lists one value for every rule of the place.
func breaches(t *testing.T, obj *unstructured.Unstructured, p place) []breach {
	t.Helper()
	s := p.schema
	all := stringBreaches(s)
	all = append(all, sizeBreaches(t, obj, p)...)
	if s.Minimum != nil {
		all = append(all, breach{rule: "minimum", value: int64(*s.Minimum) - 1, words: []string{"greater than or equal to " + number(*s.Minimum)}})
	}
	if s.Maximum != nil {
		all = append(all, breach{rule: "maximum", value: int64(*s.Maximum) + 1, words: []string{"less than or equal to " + number(*s.Maximum)}})
	}
	if p.required && len(p.keys) > 0 {
		all = append(all, breach{rule: "required", value: nil, words: []string{"Required value"}})
	}
	for _, rule := range s.XValidations {
		values, ok := celBreaches[rule.Rule]
		if sizes := sizesOf(rule.Rule); sizes != nil {
			values, ok = tooLong(sizes), true
		}
		for beginning, breaking := range sizeRules {
			if strings.HasPrefix(rule.Rule, beginning) {
				current, _ := at((&unstructured.Unstructured{Object: obj.Object}).DeepCopy().Object, p.keys)
				values, ok = breaking(current), true
			}
		}
		if !ok {
			t.Errorf("%s: the test knows no value that breaks the rule %q", p, rule.Rule)
		}
		for _, value := range values {
			all = append(all, breach{rule: "validation", value: value, words: []string{rule.Message}})
		}
	}
	return all
}

// celBreaches has, for the CEL rules of single fields, a value that breaks them.
var celBreaches = map[string][]any{
	// namespaces
	"self == '*' || self.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$')": {"Team_A", "-a", "**"},
	// schedules
	"!self.contains('=')": {"TZ=UTC 0 0 * * *", "CRON_TZ=UTC @daily"},
	"!self.matches('^@every +([0-9]{1,6}([.][0-9]+)?(h|ms|m|s))+$') || (duration(self.substring(7).trim()) >= duration('1m') && duration(self.substring(7).trim()) <= duration('8784h'))": {
		"@every 5s", "@every 59999ms", "@every 0h0m", "@every  8785h", "@every 0.9m",
	},
	"self.matches('^@(yearly|annually|monthly|weekly|daily|midnight|hourly)$|^@every +([0-9]{1,6}([.][0-9]+)?(h|ms|m|s))+$') || self.matches('^ *[^ @]+( +[^ @]+){4} *$')": {
		"* * * *", "0 * * * * *", "@reboot", "@every", "@every 90", "@every -5m", "@every 1h,5m", "@every 9999999h", " ",
	},
	"self != 'Local'": {"Local"},
	"!has(self.name) && !has(self.generateName) && !has(self.__namespace__)": {
		map[string]any{"name": "mine"}, map[string]any{"generateName": "mine-"}, map[string]any{"namespace": "other"},
	},
	// durations
	"self.matches('^([0-9]{1,6}([.][0-9]+)?(ms|s|m|h))+$')": {"5 minutes", "10", "-10s", "9999999h", ""},
	// quantities
	"!'%s'.format([self]).startsWith('-')": {"-1", int64(-1), "-1Gi"},
	// numbers of cores
	"self.matches('^([0-9]+m|[0-9]+([.][0-9]+)?)$')": {"two", "2 cores", "-1", "1.", "0.5m", ""},
	// shares
	"self.matches('^[0-9]+([.][0-9]+)?$')": {"10%", "-0.1", ".1", ""},
	// versions of Spark
	"self.matches('^[0-9]+[.][0-9]+[.][0-9]+([-.][0-9A-Za-z.-]+)?$')": {"4.1", "v4.1.4", "latest", ""},
	// resources
	"self in ['cpu', 'memory', 'ephemeral-storage', 'pods'] || self.startsWith('hugepages-') || self.matches('^[a-z0-9.-]+/[A-Za-z0-9._-]+$')": {
		"cpus", "mem", "CPU", "requests.cpu", "gpu", "/gpu",
	},
	// flavors
	"self.all(t, t.key != '' && t.effect in ['NoSchedule', 'PreferNoSchedule', 'NoExecute'])": {
		[]any{map[string]any{"key": "spot", "effect": "noschedule"}}, []any{map[string]any{"key": "", "effect": "NoSchedule"}},
	},
	"self.all(t, !has(t.operator) || t.operator in ['', 'Exists', 'Equal', 'Lt', 'Gt'])": {[]any{map[string]any{"key": "spot", "operator": "Exits"}}},
	"self.all(t, !has(t.effect) || t.effect in ['', 'NoSchedule', 'PreferNoSchedule', 'NoExecute'])": {
		[]any{map[string]any{"key": "spot", "operator": "Exists", "effect": "noschedule"}},
	},
	"self.all(t, has(t.key) && t.key != '' || has(t.operator) && t.operator == 'Exists')": {
		[]any{map[string]any{"value": "spot"}}, []any{map[string]any{"key": "", "operator": "Equal"}},
	},
	"self.all(t, !has(t.value) || t.value == '' || !has(t.operator) || t.operator != 'Exists')": {
		[]any{map[string]any{"key": "spot", "operator": "Exists", "value": "true"}},
	},
	"self.all(t, !has(t.tolerationSeconds) || has(t.effect) && t.effect == 'NoExecute')": {
		[]any{map[string]any{"key": "spot", "operator": "Exists", "tolerationSeconds": int64(60)}},
	},
	"!has(self.autoscale) || has(self.max)":                        {map[string]any{"autoscale": map[string]any{}}},
	"!has(self.max) || self.max >= (has(self.min) ? self.min : 1)": {map[string]any{"min": int64(3), "max": int64(2)}},
	"!has(self.replicas) || self.replicas >= (has(self.min) ? self.min : 1) && self.replicas <= (has(self.max) ? self.max : has(self.min) ? self.min : 1)": {
		map[string]any{"replicas": int64(2)}, map[string]any{"min": int64(2), "max": int64(4), "replicas": int64(1)}, map[string]any{"min": int64(2), "max": int64(4), "replicas": int64(5)},
	},
	// Spark's sizes
	"self.matches('^[0-9]+([bBkKmMgGtTpP][bB]?)?$')": {"512Mx", "1.5g", "-1g", "4Gi", ""},
}

// sizesOf returns the longest name and the longest value that a rule about the entries of a map allows; nil for any
// other rule.
func sizesOf(rule string) []int {
	found := regexp.MustCompile(`^self\.all\(k, size\(k\) <= (\d+) && size\(self\[k\]\) <= (\d+)\)$`).FindStringSubmatch(rule)
	if found == nil {
		return nil
	}
	name, _ := strconv.Atoi(found[1])
	value, _ := strconv.Atoi(found[2])
	return []int{name, value}
}

// tooLong are maps with a name and with a value that is one character too long.
func tooLong(sizes []int) []any {
	return []any{map[string]any{strings.Repeat("k", sizes[0]+1): "v"}, map[string]any{"k": strings.Repeat("v", sizes[1]+1)}}
}

// sizeRules has, for the beginnings of rules about sizes, what breaks them, made from a value that does not.
var sizeRules = map[string]func(current any) []any{
	"self.all(t, (!has(t.key)": func(any) []any { // tolerations
		return []any{
			[]any{map[string]any{"key": strings.Repeat("k", 318), "operator": "Exists"}},
			[]any{map[string]any{"key": "k", "value": strings.Repeat("v", 64)}},
			[]any{map[string]any{"key": "k", "operator": "Exists", "effect": strings.Repeat("e", 17)}},
		}
	},
	"self.all(t, size(t.key)": func(any) []any { // taints
		return []any{[]any{map[string]any{"key": strings.Repeat("k", 318), "effect": "NoSchedule"}}}
	},
	"(!has(self.matchLabels)": func(any) []any { // selectors
		values := []any{}
		for i := range 2000 {
			values = append(values, fmt.Sprint("namespace-", i))
		}
		return []any{
			map[string]any{"matchLabels": map[string]any{"k": strings.Repeat("v", 1<<14)}},
			map[string]any{"matchExpressions": []any{map[string]any{"key": "k", "operator": "In", "values": values}}},
		}
	},
	"has(self.server) ||": func(current any) []any { // a program or a server
		spec := current.(map[string]any)
		delete(spec, "server")
		delete(spec, "mainApplicationFile")
		return []any{spec}
	},
	"!has(self.unlimited)": func(any) []any { // queues
		return []any{map[string]any{"unlimited": true, "parent": "root"}, map[string]any{"unlimited": true, "flavors": []any{}}}
	},
	"size('%s'.format([self]))": func(current any) []any { // lists of strings, and maps, in all
		if _, isMap := current.(map[string]any); isMap {
			entries := map[string]any{}
			for i := range 13 {
				entries[fmt.Sprint("k", i)] = strings.Repeat("v", 16_000)
			}
			return []any{entries}
		}
		return []any{slices.Repeat([]any{strings.Repeat("a", 2_000)}, 100)}
	},
	"size('%s'.format([self.map(c, c.data)]))": func(current any) []any { // files
		first := current.([]any)[0].(map[string]any)
		first["data"] = map[string]any{"a": strings.Repeat("a", 100_000), "b": strings.Repeat("b", 100_000)}
		return []any{[]any{first}}
	},
	"size('%s'.format([self.map(e, [e.name,": func(any) []any { // variables
		env := []any{}
		for i := range 7 {
			env = append(env, map[string]any{"name": fmt.Sprint("A", i), "value": strings.Repeat("a", 30_000)})
		}
		return []any{env}
	},
}

func stringBreaches(s *apiextensionsv1.JSONSchemaProps) []breach {
	var all []breach
	if len(s.Enum) > 0 {
		words := []string{"supported values: "}
		for _, e := range s.Enum {
			words = append(words, string(e.Raw))
		}
		all = append(all, breach{rule: "enum", value: "Sometimes", words: words})
	}
	for _, part := range append([]apiextensionsv1.JSONSchemaProps{*s}, s.AllOf...) {
		if part.Pattern != "" {
			all = append(all, breach{rule: "pattern", value: "-?-", words: []string{part.Pattern}})
		}
	}
	if s.MaxLength != nil {
		all = append(all, breach{rule: "maxLength", value: strings.Repeat("1", int(*s.MaxLength)+1), words: []string{"may not be", fmt.Sprint(" than ", *s.MaxLength)}})
	}
	if s.MinLength != nil {
		all = append(all, breach{rule: "minLength", value: strings.Repeat("1", int(*s.MinLength)-1), words: []string{fmt.Sprintf("at least %d char", *s.MinLength)}})
	}
	return all
}

func sizeBreaches(t *testing.T, obj *unstructured.Unstructured, p place) []breach {
	t.Helper()
	var all []breach
	if p.schema.MinItems != nil && *p.schema.MinItems > 0 {
		all = append(all, breach{rule: "minItems", value: []any{}, words: []string{fmt.Sprintf("at least %d items", *p.schema.MinItems)}})
	}
	if p.schema.MaxProperties != nil {
		entries := map[string]any{}
		for i := range *p.schema.MaxProperties + 1 {
			entries[fmt.Sprint("k", i)] = "v"
		}
		all = append(all, breach{rule: "maxProperties", value: entries, words: []string{fmt.Sprint("must have at most ", *p.schema.MaxProperties)}})
	}
	if p.schema.MaxItems == nil {
		return all
	}
	value, _ := at(obj.Object, p.keys)
	first := value.([]any)[0]
	items := make([]any, 0, *p.schema.MaxItems+1)
	for i := range *p.schema.MaxItems + 1 {
		items = append(items, distinct(first, p.schema.XListMapKeys, i))
	}
	return append(all, breach{rule: "maxItems", value: items, words: []string{fmt.Sprint("must have at most ", *p.schema.MaxItems)}})
}

// distinct returns a copy of a list item that differs from the others in its keys.
func distinct(item any, keys []string, i int64) any {
	object, ok := item.(map[string]any)
	if !ok {
		return item
	}
	object = (&unstructured.Unstructured{Object: object}).DeepCopy().Object
	for _, key := range keys {
		object[key] = fmt.Sprintf("%v%d", object[key], i)
	}
	return object
}

func number(f float64) string {
	raw, _ := json.Marshal(f) //nolint:errchkjson // a bound of a schema is a finite number
	return string(raw)
}

// TestListsAreUniqueByTheirKey adds the same item twice to every list with a key.
func TestListsAreUniqueByTheirKey(t *testing.T) {
	t.Parallel()
	for plural := range kinds {
		t.Run(plural, func(t *testing.T) {
			t.Parallel()
			obj := inNamespace(complete(t, plural))
			for _, p := range places(t, plural) {
				if p.schema.XListType == nil || *p.schema.XListType != "map" {
					continue
				}
				value, _ := at(obj.Object, p.keys)
				items := value.([]any)
				checkRefused(t, obj, p, breach{rule: "unique", value: append(slices.Clone(items), items[0]), words: []string{"Duplicate value"}})
			}
		})
	}
}
