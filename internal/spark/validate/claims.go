// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"strings"

	"github.com/sparkgate/sparkgate/internal/spark/conf"
)

// checkClaims reports volumes of the driver for which spark-submit would create a claim of a fixed name. Attempts would
// share it, and it would go with the first of them. Executors get theirs from the driver.
func checkClaims(s *subject) []Finding {
	var findings []Finding
	p, prefix := s.properties, conf.Driver.Key("volumes.persistentVolumeClaim.")
	for _, property := range p.WithPrefix(prefix) {
		name, ok := strings.CutSuffix(property.Name, ".options.claimName")
		if !ok || strings.Contains(property.Value, conf.OnDemand) {
			continue
		}
		_, class := p.Lookup(prefix + name + ".options.storageClass")
		_, size := p.Lookup(prefix + name + ".options.sizeLimit")
		if class && size {
			findings = append(findings, invalid(property.Origin.Field, "value %q names a claim that would be created for one attempt and shared by the next: "+
				"remove options.storageClass and options.sizeLimit of the volume and apply the claim yourself, or put OnDemand into the name for a claim of each attempt",
				property.Value))
		}
	}
	return findings
}
