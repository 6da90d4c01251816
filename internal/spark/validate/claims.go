// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"strings"

	"github.com/sparkgate/sparkgate/internal/spark/conf"
)

// checkClaims reports driver volumes with a claim of a fixed name that spark-submit would create: all attempts would
// share it, and it would be deleted with the first one. It also reports executor volumes whose claims no executor could
// use.
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
	return append(findings, executorClaims(s.properties)...)
}

// executorClaims reports claims that the driver would try to create for each executor under the same name, and claims
// that it would not create, so that executors would wait for them forever.
func executorClaims(p conf.Properties) []Finding {
	var findings []Finding
	// With a prefix of the user's, the names are known, and the claims may exist.
	_, ownPrefix := p.Lookup(conf.ExecutorPodNamePrefix)
	for _, claim := range p.ExecutorClaims() {
		switch {
		case claim.Created && !claim.Own:
			findings = append(findings, invalid(claim.Origin.Field, "value %q names one claim that would be created for each executor: "+
				"put OnDemand into the name for a claim of each executor, or remove options.storageClass and options.sizeLimit of the volume and apply the claim yourself", claim.Value))
		case !claim.Created && strings.Contains(claim.Value, conf.OnDemand) && !ownPrefix:
			findings = append(findings, invalid(claim.Origin.Field, "value %q names claims that are not created without a class and a size, so that executors would wait for them: "+
				"also set options.storageClass and options.sizeLimit of the volume, or name a claim that exists", claim.Value))
		}
	}
	return findings
}
