// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package validate

import "testing"

func TestKerberos(t *testing.T) {
	t.Parallel()
	const (
		keytab    = "spec.sparkConf[spark.kerberos.keytab]: value "
		principal = "spec.sparkConf[spark.kerberos.principal]: value "
		elsewhere = " refers to a file on the submission host, which does not exist here: put the keytab into a Secret, " +
			"mount it with spec.driver.volumes and spec.driver.volumeMounts, and write local:// and its path in the container"
	)
	table{
		"a keytab in the container": {spec: `
sparkConf: {spark.kerberos.keytab: "local:///etc/keytab/etl", spark.kerberos.principal: etl@EXAMPLE.COM}
driver: {volumes: [{name: keytab, secret: {secretName: etl}}], volumeMounts: [{name: keytab, mountPath: /etc/keytab}]}`},
		"a keytab elsewhere": {`sparkConf: {spark.kerberos.keytab: /etl.keytab, spark.kerberos.principal: etl}`, []string{
			keytab + `"/etl.keytab"` + elsewhere,
		}},
		"a keytab to fetch": {`sparkConf: {spark.kerberos.keytab: "s3a://keys/etl", spark.kerberos.principal: etl}`, []string{
			keytab + `"s3a://keys/etl"` + elsewhere,
		}},
		"a keytab elsewhere, by a former name": {`sparkConf: {spark.yarn.keytab: /etl.keytab, spark.yarn.principal: etl}`, []string{
			`spec.sparkConf[spark.yarn.keytab]: value "/etl.keytab"` + elsewhere,
		}},
		"no principal": {`sparkConf: {spark.kerberos.keytab: "local:///etl"}`, []string{
			keytab + `"local:///etl" needs a principal: also set spark.kerberos.principal`,
		}},
		"no keytab": {`sparkConf: {spark.kerberos.principal: etl@EXAMPLE.COM}`, []string{
			principal + `"etl@EXAMPLE.COM" needs a keytab: also set spark.kerberos.keytab`,
		}},
		"another user": {"proxyUser: alice\nsparkConf: {spark.kerberos.keytab: 'local:///etl', spark.kerberos.principal: etl}", []string{
			`spec.proxyUser: value "alice" cannot be combined with spec.sparkConf[spark.kerberos.principal]; remove one`,
		}},
	}.run(t)
}

func TestFilesOfTheSubmittingMachine(t *testing.T) {
	t.Parallel()
	const nowhere = " belongs to the submission host, which does not exist here: "
	table{
		"krb5.conf": {"sparkConf: {spark.kubernetes.kerberos.krb5.path: /etc/krb5.conf}", []string{
			`spec.sparkConf[spark.kubernetes.kerberos.krb5.path]: value "/etc/krb5.conf"` + nowhere +
				`put the file into a ConfigMap under the key krb5.conf, and set spark.kubernetes.kerberos.krb5.configMapName instead`,
		}},
		"credentials": {`
sparkConf:
  spark.kubernetes.authenticate.driver.oauthToken: letmein
  spark.kubernetes.authenticate.driver.caCertFile: /c
  spark.kubernetes.authenticate.driver.mounted.caCertFile: /m`, []string{
			`spec.sparkConf[spark.kubernetes.authenticate.driver.caCertFile]: value "/c"` + nowhere + driverAccount,
			`spec.sparkConf[spark.kubernetes.authenticate.driver.oauthToken]: value (hidden)` + nowhere + driverAccount,
		}},
	}.run(t)
}
