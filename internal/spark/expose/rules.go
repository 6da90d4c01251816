// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package expose

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/spark/conf"
)

// Rules are what administrators allow for web interfaces and servers. Without rules nothing is allowed.
type Rules struct {
	// Hosts are templates of a host, or of a host and a path, with the placeholders of conf.FillIn. The application may
	// use that host and everything below the path.
	Hosts []string
	// Annotations are the keys that applications may set on an Ingress and on the Service of the web interface. A key
	// that ends with "/*" is a prefix.
	Annotations []string
}

// templatePath matches the path of a template after its placeholders were replaced.
var templatePath = regexp.MustCompile(`^(/[A-Za-z0-9._~-]+)*$`)

// Check returns an error about the first invalid rule. It begins with the name of the flag.
func (r Rules) Check() error {
	sample := &v1alpha1.SparkApplication{}
	sample.Name, sample.Namespace = "name", "namespace"
	for _, text := range r.Hosts {
		a := areaOf(sample, text)
		if len(validation.IsDNS1123Subdomain(a.Host)) > 0 || !templatePath.MatchString(a.Path) || strings.Contains(a.Path+"/", "/./") || strings.Contains(a.Path+"/", "/../") {
			return fmt.Errorf("--ui-hosts has %q; set it to host names, with or without a path, such as {{name}}.{{namespace}}.spark.example.org or "+
				"spark.example.org/{{namespace}}/{{name}}", text)
		}
	}
	for _, key := range r.Annotations {
		if prefix, all := strings.CutSuffix(key, "/*"); all {
			key = prefix + "/any"
		}
		if len(validation.IsQualifiedName(key)) > 0 {
			return fmt.Errorf("--ui-annotations has %q; set it to keys of annotations, or to prefixes such as haproxy.org/*", key)
		}
	}
	return nil
}

// Place is a host and everything below a path on it.
type Place struct {
	// Host is in lower case, without a dot at the end. If it is empty, it means every host.
	Host string
	// Path has no slash at its end; empty is the root.
	Path string
}

// areaOf returns the place that a template gives to an application.
func areaOf(app *v1alpha1.SparkApplication, template string) Place {
	host, path, _ := strings.Cut(template, "/")
	if path != "" {
		path = "/" + strings.TrimRight(path, "/")
	}
	return Place{Host: conf.FillIn(app, host), Path: conf.FillIn(app, path)}
}

// String returns host and path.
func (p Place) String() string { return p.Host + p.Path }

// covers reports whether the place contains all of another one.
func (p Place) covers(other Place) bool { return p.Host == other.Host && below(other.Path, p.Path) }

// below reports whether a path is above, or continues it with whole segments.
func below(path, above string) bool { return path == above || strings.HasPrefix(path, above+"/") }

// Granted is a way to expose a web interface or a server that the rules allow.
type Granted struct {
	// Field is the field that defines it.
	Field string
	// Place is the host and path that it uses.
	Place Place
	// area is what the rules give to the application.
	area Place
}

// Refusal is why a field of spec.ui or spec.server has no effect.
type Refusal struct{ Field, Message string }

// String returns field and message.
func (r Refusal) String() string { return r.Field + ": " + r.Message }

// Join returns all refusals in one text.
func Join(refused []Refusal) string {
	texts := make([]string, len(refused))
	for i, r := range refused {
		texts[i] = r.String()
	}
	return strings.Join(texts, "; ")
}

// Judge returns the ways to expose the web interface and the server of an application that the rules allow, and why they
// refuse the others. The fields of spec.ui and spec.server must be valid.
func (r Rules) Judge(app *v1alpha1.SparkApplication) (granted []Granted, refused []Refusal) {
	for _, way := range slices.Concat(conf.Exposures(app), conf.ServerExposures(app)) {
		found := r.judgeHost(app, way)
		var annotations map[string]string
		switch way.Field {
		case conf.IngressField:
			annotations = app.Spec.UI.Ingress.Annotations
		case conf.ServerIngressField:
			annotations = app.Spec.Server.Ingress.Annotations
		}
		found.refusals = append(found.refusals, judgeAnnotations(annotations, way.Field+".annotations", r.allows)...)
		if refused = append(refused, found.refusals...); len(found.refusals) == 0 {
			granted = append(granted, found.Granted)
		}
	}
	return granted, refused
}

type judgement struct {
	Granted
	refusals []Refusal
}

func (r Rules) judgeHost(app *v1alpha1.SparkApplication, way conf.Exposure) judgement {
	if len(r.Hosts) == 0 {
		return judgement{refusals: []Refusal{{way.Field, "no host is allowed: have an administrator set the operator's flag --ui-hosts, or remove it"}}}
	}
	at := Place{Host: way.Host, Path: way.Base}
	var areas []string
	for _, template := range r.Hosts {
		area := areaOf(app, template)
		if area.covers(at) && at.Host != "" {
			return judgement{Granted: Granted{Field: way.Field, Place: at, area: area}}
		}
		areas = append(areas, area.String())
	}
	field := ".hostname"
	if way.Field == conf.IngressField || way.Field == conf.ServerIngressField {
		field = ".host"
	}
	return judgement{refusals: []Refusal{{way.Field + field, fmt.Sprintf(
		"value %q is not allowed for this application: use one of %q, which the operator's flag --ui-hosts allows", at, strings.Join(areas, ", "))}}}
}

// allows reports whether an annotation may be set.
func (r Rules) allows(key string) bool {
	return slices.ContainsFunc(r.Annotations, func(allowed string) bool {
		prefix, all := strings.CutSuffix(allowed, "*")
		return key == allowed || all && strings.HasPrefix(key, prefix)
	})
}

// scraping are the annotations by which Prometheus finds metrics. They affect only the metrics of the driver itself.
var scraping = []string{"prometheus.io/scrape", "prometheus.io/scheme", "prometheus.io/path", "prometheus.io/port"}

// ServiceAnnotation reports whether an application may set an annotation on the Service of its attempts. Only those for
// scraping are always allowed: others could be instructions for controllers that serve the whole cluster, such as one
// that creates DNS names.
func (r Rules) ServiceAnnotation(key string) bool {
	return slices.Contains(scraping, key) || r.allows(key)
}

// JudgeService returns why annotations of spec.ui.serviceMetadata are left out.
func (r Rules) JudgeService(app *v1alpha1.SparkApplication) []Refusal {
	if app.Spec.UI == nil || app.Spec.UI.ServiceMetadata == nil {
		return nil
	}
	return judgeAnnotations(app.Spec.UI.ServiceMetadata.Annotations, "spec.ui.serviceMetadata.annotations", r.ServiceAnnotation)
}

// JudgeProperties returns why annotations that Spark properties set on the Service are left out.
func (r Rules) JudgeProperties(properties conf.Properties) []Refusal {
	var refused []Refusal
	for _, p := range properties.WithPrefix(conf.DriverServiceNotes) {
		if !r.ServiceAnnotation(p.Name) {
			refused = append(refused, refusedAnnotation(p.Origin.Field))
		}
	}
	return refused
}

// judgeAnnotations returns a refusal for each annotation of a field that may not be set.
func judgeAnnotations(annotations map[string]string, field string, may func(key string) bool) []Refusal {
	var refused []Refusal
	for _, key := range slices.Sorted(maps.Keys(annotations)) {
		if !may(key) {
			refused = append(refused, refusedAnnotation(conf.At(field, key)))
		}
	}
	return refused
}

func refusedAnnotation(field string) Refusal {
	return Refusal{field, "it is not allowed: remove it, or have an administrator add the key to the operator's flag --ui-annotations"}
}
