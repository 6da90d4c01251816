// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package conf

import "testing"

func TestSecretValue(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]bool{
		"spark.hadoop.fs.s3a.secret.key":                                                true,
		"spark.hadoop.fs.s3a.access.key":                                                true,
		"spark.ssl.keyPassword":                                                         true,
		"spark.hadoop.fs.azure.account.key.x.dfs.core.windows.net":                      true,
		"spark.kubernetes.driverEnv.DB_PASSWORD":                                        true,
		"spark.my.api-key":                                                              true,
		"spark.my.passphrase":                                                           true,
		"spark.sql.catalog.lake.credential":                                             true,
		"spark.hadoop.fs.s3a.aws.credentials.provider":                                  false,
		"spark.hadoop.fs.s3a.aws.credentials.provider.mapping":                          false,
		"spark.hadoop.hadoop.security.credential.provider.path":                         false,
		"spark.security.credentials.renewalRatio":                                       false,
		"spark.security.credentials.retryWait":                                          false,
		"spark.security.credentials.hive.enabled":                                       false,
		"spark.kerberos.renewal.credentials":                                            false,
		"spark.authenticate.secret.file":                                                false,
		"spark.network.crypto.saslFallback":                                             false,
		"spark.hadoop.fs.azure.account.oauth2.client.secret.path":                       false,
		"spark.kubernetes.driver.secretKeyRef.PASSWORD":                                 false,
		"spark.kubernetes.executor.secrets.token":                                       false,
		"spark.kubernetes.authenticate.driver.mounted.oauthTokenFile":                   false,
		"spark.kubernetes.kerberos.tokenSecret.itemKey":                                 false,
		"spark.kubernetes.driver.annotation.vault.hashicorp.com/agent-inject-secret-db": false,
		"spark.kubernetes.executor.annotation.example.com/token":                        false,
		"spark.kubernetes.driver.label.secret":                                          false,
		"spark.kubernetes.node.selector.secret-zone":                                    false,
		"spark.kubernetes.executor.node.selector.secret-zone":                           false,
		"spark.kubernetes.driver.service.annotation.secret":                             false,
		"spark.kubernetes.driver.service.label.secret":                                  false,
		"spark.kubernetes.executor.volumes.nfs.secret.options.server":                   false,
		"spark.io.encryption.keySizeBits":                                               false,
		"spark.executor.memory":                                                         false,
	} {
		if got := SecretValue(key, "abc"); got != want {
			t.Errorf("%s: %t, want %t", key, got, want)
		}
		if SecretValue(key, "") || SecretValue(key, "true") {
			t.Errorf("%s: a value that is no secret is one", key)
		}
	}
}
