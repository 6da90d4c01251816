// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"maps"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/spark/conf"
	"github.com/sparkgate/sparkgate/internal/spark/server"
)

// Companions returns what keeps the objects of spec.driverService, spec.ui and spec.server from being created. These fields may
// change during an attempt.
func Companions(app *v1alpha1.SparkApplication) []Finding {
	s := newSubject(app)
	merging := slices.DeleteFunc(checkMerging(s), func(f Finding) bool { return !strings.HasPrefix(f.Field, "spec.ui.") })
	return slices.Concat(merging, checkService(s), checkUI(s), checkReach(s))
}

// checkService checks the ports and the name of the stable Service against the rules of Kubernetes.
func checkService(s *subject) []Finding {
	if s.spec.DriverService == nil {
		return nil
	}
	var findings []Finding
	if len(validation.IsDNS1035Label(s.app.Name)) > 0 {
		findings = append(findings, invalid("spec.driverService", "the Service gets the name of the application, and %q is not a valid Service name: "+
			"remove it, or begin metadata.name with a letter", s.app.Name))
	}
	if len(s.spec.DriverService.Ports) == 0 {
		findings = append(findings, invalid("spec.driverService.ports", "it is empty: set the ports of the driver that the Service has, such as [{name: metrics, port: 8090}]"))
	}
	seen := map[int32]string{}
	for i, port := range s.spec.DriverService.Ports {
		if other, twice := seen[port.Port]; twice {
			findings = append(findings, invalid("spec.driverService.ports["+strconv.Itoa(i)+"].port", "port %d is already used by port %q; choose another",
				port.Port, other))
		}
		seen[port.Port] = port.Name
	}
	return findings
}

// checkReach checks how a server is reached.
func checkReach(s *subject) []Finding {
	kind, serves := server.KindOf(s.spec)
	if !serves {
		return nil
	}
	var findings []Finding
	if service := s.spec.DriverService; service != nil && slices.ContainsFunc(service.Ports, func(p v1alpha1.DriverServicePort) bool { return p.Name == kind.PortName && p.Port != kind.Port }) {
		findings = append(findings, invalid("spec.driverService.ports", "the name %q is that of the server's port %d: choose another", kind.PortName, kind.Port))
	}
	for _, way := range conf.ServerExposures(s.app) {
		if s.spec.Server.Type != v1alpha1.ConnectServer {
			findings = append(findings, invalid(way.Field, "a server of type %s speaks no HTTP: remove it; forward its port, or create a Service of type LoadBalancer", s.spec.Server.Type))
		}
	}
	if in := s.spec.Server.Ingress; in != nil {
		findings = append(findings, hostFindings(s, conf.ServerIngressField+".host", in.Host)...)
		findings = append(findings, nameFindings(s, conf.ServerIngressField+".className", in.ClassName)...)
		findings = append(findings, nameFindings(s, conf.ServerIngressField+".tlsSecretName", in.TLSSecretName)...)
		findings = append(findings, annotationsFindings(s, conf.ServerIngressField+".annotations", in.Annotations)...)
	}
	if route := s.spec.Server.Route; route != nil {
		findings = append(findings, hostFindings(s, conf.ServerRouteField+".hostname", route.Hostname)...)
		findings = append(findings, parentFindings(conf.ServerRouteField, route.ParentRefs)...)
	}
	return findings
}

// checkUI checks spec.ui.
func checkUI(s *subject) []Finding {
	ui := s.spec.UI
	if ui == nil {
		return nil
	}
	var findings []Finding
	if ui.ServiceMetadata != nil {
		findings = append(findings, uiServiceFindings(s, ui.ServiceMetadata)...)
	}
	if ui.Ingress != nil {
		findings = append(findings, ingressFindings(s, ui.Ingress)...)
	}
	if ui.Route != nil {
		findings = append(findings, routeFindings(s, ui.Route)...)
	}
	return append(findings, baseFindings(s)...)
}

// uiServiceFindings checks spec.ui.serviceMetadata.
func uiServiceFindings(s *subject, from *v1alpha1.ServiceMetadata) []Finding {
	const path = "spec.ui.serviceMetadata"
	findings := eachEntry(path+".labels", from.Labels, uiLabelFindings)
	findings = append(findings, annotationsFindings(s, path+".annotations", from.Annotations)...)
	for _, family := range []struct {
		field, prefix string
		entries       map[string]string
	}{
		{path + ".labels", conf.DriverServiceLabels, from.Labels},
		{path + ".annotations", conf.DriverServiceNotes, from.Annotations},
	} {
		for _, property := range s.properties.WithPrefix(family.prefix) {
			if _, both := family.entries[property.Name]; both {
				findings = append(findings, invalid(conf.At(family.field, property.Name), "already set by %s; remove one", property.Origin.Field))
			}
		}
	}
	return findings
}

// uiLabelFindings checks a label in spec.ui.serviceMetadata.
func uiLabelFindings(e entry) []Finding {
	if strings.Contains(e.value, "{{") {
		return []Finding{invalid(e.field, "value %q has a token, which is replaced in annotations only: write it out", e.value)}
	}
	return labelFindings(e)
}

// annotationsFindings checks the annotations of a companion.
func annotationsFindings(s *subject, path string, annotations map[string]string) []Finding {
	var findings []Finding
	for _, key := range slices.Sorted(maps.Keys(annotations)) {
		field := conf.At(path, key)
		if strings.HasPrefix(key, v1alpha1.Group+"/") {
			findings = append(findings, invalid(field, "the annotation %q is reserved by Sparkgate: use another key", key))
			continue
		}
		findings = append(findings, annotationFindings(entry{field: field, key: key})...)
		findings = append(findings, tokenFindings(s, field, annotations[key])...)
	}
	return findings
}

// ingressFindings checks spec.ui.ingress.
func ingressFindings(s *subject, from *v1alpha1.UIIngress) []Finding {
	const path = "spec.ui.ingress"
	findings := hostFindings(s, path+".host", from.Host)
	findings = append(findings, pathFindings(s, path+".path", strings.TrimSuffix(from.Path, conf.RewritePattern))...)
	findings = append(findings, nameFindings(s, path+".className", from.ClassName)...)
	findings = append(findings, nameFindings(s, path+".tlsSecretName", from.TLSSecretName)...)
	return append(findings, annotationsFindings(s, path+".annotations", from.Annotations)...)
}

// routeFindings checks spec.ui.route.
func routeFindings(s *subject, from *v1alpha1.UIRoute) []Finding {
	const path = "spec.ui.route"
	var findings []Finding
	if from.Hostname != "" {
		findings = hostFindings(s, path+".hostname", from.Hostname)
	}
	findings = append(findings, pathFindings(s, path+".path", from.Path)...)
	return append(findings, parentFindings(path, from.ParentRefs)...)
}

// parentFindings checks the Gateways of a route.
func parentFindings(path string, parents []v1alpha1.RouteParent) []Finding {
	var findings []Finding
	seen := map[v1alpha1.RouteParent]bool{}
	for i, parent := range parents {
		field := path + ".parentRefs[" + strconv.Itoa(i) + "]"
		if parent.Name == "" {
			findings = append(findings, invalid(field+".name", "it is empty: set the name of a Gateway"))
		}
		for _, part := range []reference{{".name", parent.Name}, {".namespace", parent.Namespace}, {".sectionName", parent.SectionName}} {
			if part.name != "" && len(validation.IsDNS1123Subdomain(part.name)) > 0 {
				findings = append(findings, invalid(field+part.field,
					"invalid name %q: use lower-case letters, digits, '-' and '.', beginning and ending with a letter or digit", part.name))
			}
		}
		if seen[parent] {
			findings = append(findings, invalid(field, "it names the same Gateway and listener as one before it: remove it"))
		}
		seen[parent] = true
	}
	return findings
}

// anyToken matches everything that looks like a token of spec.ui.
var anyToken = regexp.MustCompile(`\{\{[^{}]*\}\}`)

// tokenFindings reports tokens that are not known.
func tokenFindings(s *subject, field, text string) []Finding {
	if unknown := anyToken.FindString(conf.FillIn(s.app, text)); unknown != "" {
		return []Finding{invalid(field, "the token %s is not known: use {{name}} or {{namespace}}", unknown)}
	}
	return nil
}

// hostFindings checks a host name.
func hostFindings(s *subject, field, host string) []Finding {
	if findings := tokenFindings(s, field, host); len(findings) > 0 {
		return findings
	}
	if host == "" {
		return []Finding{invalid(field, "it is empty: set a host name such as {{name}}.{{namespace}}.example.org")}
	}
	filled := conf.FillIn(s.withNamespace(), host)
	if _, err := netip.ParseAddr(filled); err == nil {
		return []Finding{invalid(field, "value %q is an address: set a host name", filled)}
	}
	if len(validation.IsDNS1123Subdomain(filled)) > 0 {
		return []Finding{invalid(field, "invalid host name %q: use parts of at most 63 lower-case letters, digits and '-', with dots between them, "+
			"such as {{name}}.{{namespace}}.example.org", filled)}
	}
	for _, part := range strings.Split(filled, ".") {
		if len(validation.IsDNS1123Label(part)) > 0 {
			return []Finding{invalid(field, "value %q has the part %q, which is too long for DNS: use at most 63 characters between two dots", filled, part)}
		}
	}
	return nil
}

// nameFindings checks the name of another object.
func nameFindings(s *subject, field, name string) []Finding {
	if findings := tokenFindings(s, field, name); len(findings) > 0 || name == "" {
		return findings
	}
	if filled := conf.FillIn(s.withNamespace(), name); len(validation.IsDNS1123Subdomain(filled)) > 0 {
		return []Finding{invalid(field,
			"invalid object name %q: use lower-case letters, digits, '-' and '.', beginning and ending with a letter or digit", filled)}
	}
	return nil
}

// plainPath matches a path that needs no encoding in links.
var plainPath = regexp.MustCompile(`^(/[A-Za-z0-9._~-]+)*/?$`)

// pathFindings checks a path under a host.
func pathFindings(s *subject, field, path string) []Finding {
	if findings := tokenFindings(s, field, path); len(findings) > 0 {
		return findings
	}
	filled := conf.FillIn(s.withNamespace(), path)
	dots := slices.ContainsFunc(strings.Split(filled, "/"), func(part string) bool { return part == "." || part == ".." })
	if plainPath.MatchString(filled) && !dots {
		return nil
	}
	return []Finding{invalid(field, "invalid path %q: begin with '/' and use letters, digits, '.', '_', '~' and '-' between single slashes, "+
		"such as /{{namespace}}/{{name}}", filled)}
}

// baseFindings compares the paths of Ingress and HTTPRoute with each other and with the property that they set, because
// Spark supports only one path.
func baseFindings(s *subject) []Finding {
	var findings []Finding
	ways := conf.Exposures(s.withNamespace())
	for _, way := range ways {
		if first := ways[0]; way.Base != first.Base {
			findings = append(findings, invalid(way.Field+".path", "value %q contradicts %q of %s.path: Spark serves its web interface under one path, set the same in both",
				way.Base+"/", first.Base+"/", first.Field))
			continue
		}
		if base := s.properties.Get(conf.UIProxyBase, ""); way.Base == "" && base != "" {
			findings = append(findings, invalid(way.Field+".path", "value \"/\" contradicts %q of %s: set the same path, or remove the property",
				base, s.properties.Field(conf.UIProxyBase)))
		}
	}
	return findings
}

// withNamespace returns the application. If the manifest names no namespace, it returns a copy with a plausible one.
func (s *subject) withNamespace() *v1alpha1.SparkApplication {
	if s.app.Namespace != "" {
		return s.app
	}
	filled := *s.app
	filled.Namespace = "default"
	return &filled
}

// exposureWarnings warns about ways to a web interface that is switched off, and about a path that no proxy seems to
// remove.
func exposureWarnings(s *subject) []Finding {
	var warnings []Finding
	ways := conf.Exposures(s.withNamespace())
	if enabled, err := s.properties.Bool(conf.UIEnabled, true); err == nil && !enabled {
		for _, way := range ways {
			warnings = append(warnings, Finding{Field: way.Field,
				Message: "nothing is created, because " + s.properties.Field(conf.UIEnabled) + " switches the web interface off; remove one"})
		}
		return warnings
	}
	if len(ways) > 0 && s.spec.UI.Ingress != nil && len(s.spec.UI.Ingress.Annotations) == 0 && ways[0].Base != "" {
		warnings = append(warnings, Finding{Field: ways[0].Field + ".path",
			Message: "Spark answers at the root only: have the controller strip the path, which most do with an annotation, or give each job a host"})
	}
	return warnings
}
