// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"encoding/base64"
	"strings"
	"testing"
)

// p is a password that only its surroundings give away.
const p = "hunter-Two2"

// chars are characters that look drawn by lot; none of them is a real key. Pieces of it are put together at run time, so that no scanner of this
// repository takes them for one.
const chars = "q7Xb2LmZ9TfK4vRwY8cJ3nHsD6gPaE5uWxQ1rVtM0kByNzUoCiGjSeFhAlIdOpqX3bL7mZ2"

// hexes are the same in hexadecimal.
const hexes = "9f3a61c0d4b87e25f1c6a3908d5b7e42a7c9e1f30b5d86427e9f1a3c5d7b9e0f1a2b3c4d"

// leaks are the ways in which programs print secrets, each with what must not be left of it. What may stay stands in keep.
var leaks = map[string]struct {
	text   string
	secret string
	keep   string
}{
	// Scala and Java
	"Scala Map":              {"Map(user -> a, password -> " + p + ", port -> 1)", p, "port -> 1"},
	"Scala Map, nested":      {"Map(db -> Map(password -> " + p + ")) end", p, "end"},
	"Scala tuple":            {"(spark.db.password," + p + ")", p, "spark.db.password"},
	"Scala list of tuples":   {"List((user,a), (db.password," + p + "), (port,1))", p, "(port,1)"},
	"Scala case class":       {"Config(user=a, password=" + p + ", port=1)", p, "port=1"},
	"Scala Some":             {"Config(password=Some(" + p + "), user=a)", p, "user=a"},
	"Scala arrow":            {"password → " + p, p, ""},
	"Java Map":               {"{user=a, password=" + p + ", port=1}", p, "port=1"},
	"Java record":            {"Login[user=a, password=" + p + "]", p, "user=a"},
	"Java Optional":          {"password=Optional[" + p + "]", p, ""},
	"Java array":             {"args = [--db-password, " + p + ", --rows, 5]", p, "--rows, 5"},
	"Java property option":   {"java -Djavax.net.ssl.keyStorePassword=" + p + " -Xmx1g", p, "-Xmx1g"},
	"Java properties":        {"# db\ndb.password=a " + p + " b\ndb.user=x", p, "db.user=x"},
	"Java properties, colon": {"db.password : " + p + "\ndb.user=x", p, "db.user=x"},
	"escaped separator":      {`spark.db.password\=` + p, p, ""},
	"punctuation in it":      {"Config(password=a(b)," + p + ";c,user=x)", p, "user=x"},
	"logger":                 {"26/03/01 12:00:00 INFO Job: connecting with password=" + p + " as a", p, "as a"},
	// Python
	"Python dict":     {"{'user': 'a', 'password': '" + p + "', 'n': 1}", p, "'n': 1"},
	"Python bytes":    {"{'password': b'" + p + "', 'n': 1}", p, "'n': 1"},
	"Python tuples":   {"[('user', 'a'), ('spark.db.password', '" + p + "')]", p, "'user', 'a'"},
	"Python keywords": {"connect(user='a', password='" + p + "', port=1)", p, "port=1"},
	"Python environ":  {"environ({'HOME': '/root', 'DB_PASSWORD': '" + p + "'})", p, "/root"},
	"Python index":    {`os.environ["DB_PASSWORD"] = "` + p + `"`, p, ""},
	"Python secret":   {"Settings(user='a', api_key=SecretStr('" + p + "'))", p, "user='a'"},
	"triple quotes":   {`password = """` + "a\n" + p + "\n" + `""" end`, p, "end"},
	// data formats
	"JSON":                         {`{"user":"a","password":"b ` + p + `","port":1}`, p, `"port":1`},
	"JSON, pretty":                 {"{\n  \"password\" : \"" + p + "\",\n  \"port\": 1\n}", p, `"port": 1`},
	"JSON in a string":             {`"{\"password\":\"b ` + p + `\",\"port\":1}"`, p, `\"port\":1`},
	"JSON, quote within":           {`{"password":"a\"` + p + `","port":1}`, p, `"port":1`},
	"JSON of an object":            {`{"credentials": {"user": "a", "value": "` + p + `"}, "port": 1}`, p, `"port": 1`},
	"JSON name and value":          {`[{"name":"DB_PASSWORD","value":"` + p + `"},{"name":"A","value":"b"}]`, p, `"b"`},
	"JSON key and value":           {`{"key": "db.password", "value": "` + p + `"}`, p, "db.password"},
	"JSON pair":                    {`["spark.db.password","` + p + `"]`, p, "spark.db.password"},
	"JSON of Gson":                 {`"opts":"password\u003d` + p + `"`, p, "opts"},
	"YAML":                         {"password: correct " + p + "\nuser: a", p, "user: a"},
	"YAML, quoted":                 {"password: '" + p + "'\nuser: a", p, "user: a"},
	"YAML block":                   {"db:\n  password: |\n    first " + p + "\n    second-" + p + "\n  user: a", p, "user: a"},
	"YAML folded":                  {"password: >-\n  " + p + "\nuser: a", p, "user: a"},
	"YAML of a pod":                {"env:\n- name: DB_PASSWORD\n  value: " + p + "\n- name: A\n  value: b", p, "value: b"},
	"Go struct of a pod":           {"EnvVar{Name:DB_PASSWORD,Value:" + p + ",ValueFrom:nil,}", p, "ValueFrom"},
	"XML":                          {"<db><password>" + p + "</password><port>1</port></db>", p, "<port>1</port>"},
	"XML with attributes":          {`<password type="x">` + p + "</password>", p, "</password>"},
	"XML attribute":                {`<db user="a" password="` + p + `" port="1"/>`, p, `port="1"`},
	"XML CDATA":                    {"<password><![CDATA[" + p + "]]></password>", p, "</password>"},
	"XML in text":                  {"&lt;password&gt;" + p + "&lt;/password&gt;", p, ""},
	"Hadoop configuration":         {"<property><name>fs.s3a.secret.key</name><value>" + p + "</value></property>", p, "fs.s3a.secret.key"},
	"Hadoop configuration, pretty": {"<property>\n  <name>fs.s3a.secret.key</name>\n  <value>" + p + "</value>\n</property>", p, "</value>"},
	"XML entry":                    {`<entry key="db.password">` + p + "</entry>", p, "db.password"},
	"XML name and value":           {`<add key="db.password" value="` + p + `"/>`, p, "db.password"},
	"table of Spark":               {"+-----------+------+\n|        key| value|\n|db.password|" + p + "|\n|       port|     1|", p, "port"},
	"CSV quoted":                   {`"password"="a""` + p + `";x`, p, ""},
	"INI":                          {"[db]\npassword = " + p + " \nport = 1", p, "port = 1"},
	"TOML":                         {"password = \"" + p + "\" # no", p, ""},
	"HCL":                          {`password := "` + p + `"`, p, ""},
	"Ruby":                         {`{:password=>"` + p + `", :port=>1}`, p, ":port"},
	// command lines and environments
	"argument":                   {"job.py --db-password " + p + " --rows 5", p, "--rows 5"},
	"argument, equals":           {"job.py --password=" + p + " --rows 5", p, "--rows 5"},
	"argument, quoted":           {`job.py --password "a ` + p + `" --rows 5`, p, "--rows 5"},
	"argument list":              {`['job.py', '--token', '` + p + `', '--rows', '5']`, p, "'--rows', '5'"},
	"argument list, JSON":        {`["--password","` + p + `","--rows","5"]`, p, `"--rows","5"`},
	"submitted property":         {"--conf spark.db.password=" + p + " --name pi", p, "--name pi"},
	"submitted property, quoted": {`--conf "spark.db.password=a ` + p + `" --name pi`, p, "--name pi"},
	"environment":                {"HOME=/root\nDB_PASSWD=a " + p + "\nPATH=/bin", p, "PATH=/bin"},
	"export":                     {"export API_TOKEN='" + p + "'", p, ""},
	"trace of a shell":           {"+ DB_PASSWORD=" + p, p, ""},
	"curl":                       {"curl -u admin:" + p + " https://example.com/", p, "https://example.com/"},
	"netrc":                      {"machine example.com login a password " + p, p, "login a"},
	"SQL":                        {"CREATE USER a IDENTIFIED BY '" + p + "' ACCOUNT LOCK", p, "ACCOUNT LOCK"},
	"SQL password":               {"ALTER USER a PASSWORD '" + p + "'", p, "ALTER USER"},
	"SQL options":                {"OPTIONS (user 'a', password '" + p + "', dbtable 't')", p, "dbtable 't'"},
	"a sentence":                 {"the password is " + p + ", user a", p, "user a"},
	"German":                     {"Passwort: " + p, p, ""},
	// addresses
	"user and password":   {"clone https://user:" + p + "@example.com/x", p, "example.com/x"},
	"password with an at": {"amqp://u:x@" + p + "@example.com", p, "example.com"},
	"token as the user":   {"https://" + p + "@example.com/x", p, "example.com/x"},
	"JDBC query":          {"jdbc:postgresql://db/x?user=a&password=" + p + "&ssl=true", p, "ssl=true"},
	"JDBC semicolons":     {"jdbc:sqlserver://db;user=a;password=" + p + ";encrypt=true", p, "encrypt=true"},
	"JDBC Oracle":         {"jdbc:oracle:thin:scott/" + p + "@//db:1521/x", p, "db:1521/x"},
	"signed address":      {"GET /b?sv=1&sig=" + chars[:20] + "%2B&se=2", chars[:20], "se=2"},
	"signed by Amazon":    {"GET /b?X-Amz-Signature=" + hexes[:64] + "&x=1", hexes[:64], "x=1"},
	"percent-encoded":     {"POST user%3Da%26password%3D" + p + "%26port%3D1", p, "port%3D1"},
	"Mongo":               {"mongodb+srv://u:" + p + "@c.example.net/x", p, "c.example.net"},
	"Azure connection":    {"DefaultEndpointsProtocol=https;AccountName=a;AccountKey=" + chars[:60] + "==;EndpointSuffix=core.windows.net", chars[:60], "core.windows.net"},
	"Azure shared access": {"SharedAccessSignature=sv=1&sig=" + chars[:30], chars[:30], ""},
	"Kafka JAAS":          {`PlainLoginModule required username="a" password="` + p + `";`, p, `username="a"`},
	"LDAP":                {"java.naming.security.credentials=" + p, p, ""},
	// headers
	"Authorization":       {"> Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte("user:"+p)) + "\n> Accept: x", base64.StdEncoding.EncodeToString([]byte("user:" + p)), "Accept: x"},
	"Authorization, dict": {"{'Authorization': 'Token " + p + "', 'Accept': 'x'}", p, "'Accept': 'x'"},
	"Proxy-Authorization": {"Proxy-Authorization: Digest a=" + p, p, ""},
	"Bearer":              {"sent Bearer " + chars[:20] + " to x", chars[:20], "to x"},
	"Cookie":              {"Cookie: a=b; JSESSIONID=" + hexes[:32] + "; theme=dark\nHost: x", hexes[:32], "Host: x"},
	"Set-Cookie":          {"< Set-Cookie: session=" + p + "; HttpOnly", p, ""},
	"X-Api-Key":           {"X-Api-Key: " + p, p, ""},
	"X-Vault-Token":       {"X-Vault-Token: " + p, p, ""},
	// tokens of services
	"JSON web token": {"got eyJ" + "hbGciOiJIUzI1NiJ9" + ".eyJzdWIiOiIxIn0." + chars[:20] + ".", chars[:20], "got"},
	"AWS id":         {"key AKIA" + strings.ToUpper(chars[:16]) + " is unknown", strings.ToUpper(chars[:16]), "is unknown"},
	"AWS secret":     {"tried " + chars[:20] + "/" + chars[20:39] + " for s3", chars[:20], "for s3"},
	"AWS session":    {"AWS_SESSION_TOKEN=IQoJ" + chars, chars[:30], ""},
	"GitHub":         {"ghp_" + chars[:36] + " is bad", chars[:30], "is bad"},
	"GitLab":         {"glpat-" + chars[:20] + " is bad", chars[:20], "is bad"},
	"Slack":          {"xoxb-" + "123456789012-1234567890123-" + chars[:24], chars[:24], ""},
	"Slack hook":     {"https://hooks." + "slack.com/services/" + "T00000000/B00000000/" + chars[:24], chars[:24], "hooks.slack.com"},
	"Databricks":     {"dapi" + hexes[:32] + "-2 is bad", hexes[:32], "is bad"},
	"Google":         {"AIzaSyA" + chars[:32], chars[:32], ""},
	"Google access":  {"ya29." + chars[:40], chars[:40], ""},
	"Stripe":         {"sk_live_" + chars[:24], chars[:24], ""},
	"SendGrid":       {"SG." + chars[:22] + "." + chars[:43], chars[:22], ""},
	"npm":            {"npm_" + chars[:36], chars[:36], ""},
	"PyPI":           {"pypi-AgEIcHlwaS5vcmc" + chars + chars[:20], chars[:30], ""},
	"Hugging Face":   {"hf_" + strings.Repeat("abCdEfGhIj", 3) + "kLmN", "abCdEfGhIj", ""},
	"Vault":          {"hvs." + chars[:24], chars[:24], ""},
	"OpenAI":         {"sk-proj-" + chars[:40], chars[:40], ""},
	"Anthropic":      {"sk-ant-api03-" + chars[:40], chars[:40], ""},
	"Azure client":   {"client " + chars[:3] + "8Q~" + chars[:34], chars[:34], "client"},
	"Snowflake JDBC": {"jdbc:snowflake://x/?token=" + chars[:20] + "&db=y", chars[:20], "db=y"},
	"Docker":         {"dckr_pat_" + chars[:27], chars[:27], ""},
	"Telegram":       {"bot 123456789:" + chars[:35], chars[:35], "bot"},
	// blocks
	"private key":                      {"x\n-----BEGIN RSA PRIVATE" + " KEY-----\nMIIB" + chars[:60] + "\nAQAB\n-----END RSA PRIVATE" + " KEY-----\ny", chars[:20], "y"},
	"private key, escaped":             {`{"private_key": "-----BEGIN PRIVATE` + ` KEY-----\nMIIB` + chars[:60] + `\n-----END PRIVATE` + ` KEY-----\n", "client_email": "a@b"}`, chars[:20], "client_email"},
	"private key, escaped in a string": {`"-----BEGIN PRIVATE` + ` KEY-----\\nMIIB` + chars[:60] + `\\n-----END PRIVATE` + ` KEY-----\\n" end`, chars[:20], "end"},
	"PGP":                              {"-----BEGIN PGP PRIVATE KEY" + " BLOCK-----\nxx" + p + "\n-----END PGP PRIVATE KEY" + " BLOCK-----\ny", p, "y"},
	"the middle of a key":              {chars[:64] + "\n" + chars[5:69] + "\nend", chars[5:40], "end"},
	"random text":                      {"using " + chars[:32] + " now", chars[:32], "now"},
	"random lower case":                {"using " + strings.ToLower(chars[:40]) + " now", strings.ToLower(chars[:40]), "now"},
	"random, encoded":                  {"using " + chars[:20] + "%2F" + chars[20:40] + "%3D now", chars[:20], "now"},
}

func TestLeaks(t *testing.T) {
	t.Parallel()
	if len(leaks) < 60 {
		t.Fatalf("only %d ways are tried", len(leaks))
	}
	for name, tc := range leaks {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := Text(tc.text)
			if strings.Contains(got, tc.secret) || strings.Contains(got, tc.secret[:8]) || strings.Contains(got, tc.secret[len(tc.secret)-8:]) {
				t.Errorf("%q leaves the secret in %q", tc.text, got)
			}
			if !strings.Contains(got, tc.keep) {
				t.Errorf("%q lost %q: %q", tc.text, tc.keep, got)
			}
			if again := Text(got); again != got {
				t.Errorf("scrubbed twice it is %q, once %q", again, got)
			}
		})
	}
}
