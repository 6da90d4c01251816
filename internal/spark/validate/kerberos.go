// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"strings"

	"github.com/sparkgate/sparkgate/internal/spark/conf"
)

// hostProperties are properties with which spark-submit reads files or credentials of its own machine and creates
// objects from them. The operator has no such machine, and a token must not be in a manifest.
var hostProperties = []struct{ prefix, remedy string }{
	{"spark.kubernetes.kerberos.krb5.path", "put the file into a ConfigMap under the key krb5.conf, and set " + conf.Krb5ConfigMap + " instead"},
	{"spark.kubernetes.authenticate.driver.oauthToken", driverAccount},
	{"spark.kubernetes.authenticate.driver.caCertFile", driverAccount},
	{"spark.kubernetes.authenticate.driver.clientKeyFile", driverAccount},
	{"spark.kubernetes.authenticate.driver.clientCertFile", driverAccount},
}

// driverAccount is the remedy for credentials of the driver.
const driverAccount = "remove it and set spec.driver.serviceAccountName, or mount a Secret and set spark.kubernetes.authenticate.driver.mounted.*"

// checkHostProperties reports properties that refer to the submitting machine.
func checkHostProperties(s *subject) []Finding {
	var findings []Finding
	for _, property := range s.properties.Sorted() {
		for _, family := range hostProperties {
			if strings.HasPrefix(property.Key, family.prefix) {
				findings = append(findings, invalid(property.Origin.Field, "value %s belongs to the submission host, which does not exist here: %s",
					conf.Quote(property.Key, property.Value), family.remedy))
			}
		}
	}
	return findings
}

// checkKerberos checks principal and keytab together, as spark-submit does. The driver logs in itself, with a keytab in
// its container, whereas spark-submit would copy one from its machine.
func checkKerberos(s *subject) []Finding {
	keytab, hasKeytab := s.properties.Lookup(conf.Keytab)
	principal, hasPrincipal := s.properties.Lookup(conf.Principal)
	keytabField, principalField := s.properties.Field(conf.Keytab), s.properties.Field(conf.Principal)
	scheme, err := conf.Scheme(keytab)
	switch {
	case !hasKeytab && !hasPrincipal:
		return nil
	case !hasKeytab:
		return []Finding{invalid(principalField, "value %q needs a keytab: also set %s", principal, conf.Keytab)}
	case err != nil || scheme != "local":
		return []Finding{invalid(keytabField, "value %q refers to a file on the submission host, which does not exist here: "+
			"put the keytab into a Secret, mount it with spec.driver.volumes and spec.driver.volumeMounts, and write local:// and its path in the container", keytab)}
	case !hasPrincipal:
		return []Finding{invalid(keytabField, "value %q needs a principal: also set %s", keytab, conf.Principal)}
	case s.spec.ProxyUser != "":
		return []Finding{invalid("spec.proxyUser", "value %q cannot be combined with %s; remove one", s.spec.ProxyUser, principalField)}
	}
	return nil
}
