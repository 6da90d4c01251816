// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build slow

package objectstore

import (
	"cmp"
	"strings"
	"testing"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/e2e/env"
)

// TestSlowMistakesWithS3AreExplained: the message of the application says what is wrong.
func TestSlowMistakesWithS3AreExplained(t *testing.T) {
	t.Parallel()
	withoutConnector := func(spec *v1alpha1.SparkApplicationSpec) { spec.Deps = nil }
	otherBucket := func(spec *v1alpha1.SparkApplicationSpec) { spec.Arguments[0] = "s3a://no-such-bucket/in/" }
	otherRegion := func(spec *v1alpha1.SparkApplicationSpec) { spec.HadoopConf["fs.s3a.endpoint.region"] = "us-east-1" }
	eventLog := func(spec *v1alpha1.SparkApplicationSpec) {
		spec.SparkConf["spark.eventLog.enabled"], spec.SparkConf["spark.eventLog.dir"] = "true", "s3a://my-bucket/events"
	}
	tests := map[string]struct {
		secret  string // that of the store, if empty
		changes []env.Change
		tell    []string // in the message
	}{
		"the secret key is wrong":  {secret: "wrong", changes: []env.Change{connector()}, tell: []string{"s3a://my-bucket/in", "403"}},
		"the bucket is missing":    {changes: []env.Change{connector(), otherBucket}, tell: []string{"no-such-bucket"}},
		"the region is wrong":      {changes: []env.Change{connector(), otherRegion}, tell: []string{"s3a://my-bucket/in", "400"}},
		"the folder is missing":    {changes: []env.Change{connector(), program(reader, "s3a://my-bucket/absent/", "s3a://my-bucket/out")}, tell: []string{"s3a://my-bucket/absent"}},
		"no folder for event logs": {changes: []env.Change{connector(), eventLog}, tell: []string{"s3a://my-bucket/events"}},
		"the connector is missing": {changes: []env.Change{withoutConnector}, tell: []string{"S3AFileSystem not found"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newTenant(t)
			s.keys(s.store.AccessKey, cmp.Or(tt.secret, s.store.SecretKey))
			s.Apply(s.example(tt.changes...))
			end := s.Becomes("object-storage", v1alpha1.FailedReason)
			message := env.Condition(end, v1alpha1.ReadyCondition).Message
			for _, want := range tt.tell {
				if !strings.Contains(message, want) {
					t.Errorf("the message does not tell %q: %s", want, message)
				}
			}
			t.Logf("the message: %s", message)
			s.GivenBack(s.Name)
		})
	}
}
