// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"regexp"
	"strings"

	"github.com/sparkgate/sparkgate/internal/spark/conf"
)

// imageName matches the image names that kubelets accept: [registry[:port]/]path[:tag][@digest]. Only the registry may
// contain capital letters.
var imageName = regexp.MustCompile(`^((` + registryPart + `(\.` + registryPart + `)*|\[[0-9a-fA-F:]+\])(:[0-9]+)?/)?` + pathPart + `(/` + pathPart + `)*` +
	`(:\w[\w.-]{0,127})?(@[A-Za-z][A-Za-z0-9]*([-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,})?$`)

const (
	registryPart = `[a-zA-Z0-9]([a-zA-Z0-9-]*[a-zA-Z0-9])?`
	pathPart     = `[a-z0-9]+(([._]|__|-+)[a-z0-9]+)*`
)

// checkImages reports image names that no kubelet accepts. Executors with such an image would never start, while their
// driver holds the quota of all of them. Names with tokens are skipped, because Spark replaces the tokens.
func checkImages(s *subject) []Finding {
	var findings []Finding
	for _, key := range []string{conf.Image, conf.Driver.Key("container.image"), conf.Executor.Key("container.image")} {
		image := s.properties.Get(key, "")
		if image == "" || strings.Contains(image, "{{") || imageName.MatchString(image) {
			continue
		}
		findings = append(findings, invalid(s.properties.Field(key), "invalid image name %q: write it as in docker.io/apache/spark:4.1.4, in lower case and without blanks", image))
	}
	return findings
}
