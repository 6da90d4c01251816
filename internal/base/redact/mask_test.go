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

// chars are characters that look drawn by lot; none of them is a real key.
const chars = "q7Xb2LmZ9TfK4vRwY8cJ3nHsD6gPaE5uWxQ1rVtM0kByNzUoCiGjSeFhAlIdOpqX3bL7mZ2"

// hexes are the same in hexadecimal.
const hexes = "9f3a61c0d4b87e25f1c6a3908d5b7e42a7c9e1f30b5d86427e9f1a3c5d7b9e0f1a2b3c4d"

// leaks are ways in which programs print secrets, each with what must not be left of it. What may stay stands in keep.
var leaks = map[string]struct {
	text   string
	secret string
	keep   string
}{
	// Scala and Java
	"Scala Map":              {"Map(user -> a, password -> " + p + ", port -> 1)", p, "port -> 1"},
	"Scala Map, nested":      {"Map(db -> Map(password -> " + p + ")) end", p, "end"},
	"Scala case class":       {"Config(user=a, password=" + p + ", port=1)", p, "port=1"},
	"Scala Some":             {"Config(password=Some(" + p + "), user=a)", p, "user=a"},
	"Java Map":               {"{user=a, password=" + p + ", port=1}", p, "port=1"},
	"Java record":            {"Login[user=a, password=" + p + "]", p, "user=a"},
	"Java Optional":          {"password=Optional[" + p + "]", p, ""},
	"Java array":             {"args = [--db-password, " + p + ", --rows, 5]", p, "--rows, 5"},
	"Java property option":   {"java -Djavax.net.ssl.keyStorePassword=" + p + " -Xmx1g", p, "-Xmx1g"},
	"Java properties, colon": {"db.password : " + p + "\ndb.user=x", p, "db.user=x"},
	"escaped separator":      {`spark.db.password\=` + p, p, ""},
	"punctuation in it":      {"Config(password=a(b)," + p + ";c,user=x)", p, "user=x"},
	"logger":                 {"26/03/01 12:00:00 INFO Job: connecting with password=" + p + " as a", p, "as a"},
	// Python
	"Python dict":     {"{'user': 'a', 'password': '" + p + "', 'n': 1}", p, "'n': 1"},
	"Python tuples":   {"[('user', 'a'), ('spark.db.password', '" + p + "')]", p, "'user', 'a'"},
	"Python keywords": {"connect(user='a', password='" + p + "', port=1)", p, "port=1"},
	"Python environ":  {"environ({'HOME': '/root', 'DB_PASSWORD': '" + p + "'})", p, "/root"},
	"Python index":    {`os.environ["DB_PASSWORD"] = "` + p + `"`, p, ""},
	// data formats
	"JSON":               {`{"user":"a","password":"b ` + p + `","port":1}`, p, `"port":1`},
	"JSON, pretty":       {"{\n  \"password\" : \"" + p + "\",\n  \"port\": 1\n}", p, `"port": 1`},
	"JSON in a string":   {`"{\"password\":\"b ` + p + `\",\"port\":1}"`, p, `\"port\":1`},
	"JSON, quote within": {`{"password":"a\"` + p + `","port":1}`, p, `"port":1`},
	"JSON pair":          {`["spark.db.password","` + p + `"]`, p, "spark.db.password"},
	"JSON of Gson":       {`"opts":"password\u003d` + p + `"`, p, "opts"},
	"YAML, quoted":       {"password: '" + p + "'\nuser: a", p, "user: a"},
	"XML attribute":      {`<db user="a" password="` + p + `" port="1"/>`, p, `port="1"`},
	"INI":                {"[db]\npassword = " + p + " \nport = 1", p, "port = 1"},
	"TOML":               {"password = \"" + p + "\" # no", p, ""},
	"HCL":                {`password := "` + p + `"`, p, ""},
	"Ruby":               {`{:password=>"` + p + `", :port=>1}`, p, ":port"},
	// command lines and environments
	"argument":             {"job.py --db-password " + p + " --rows 5", p, "--rows 5"},
	"argument, equals":     {"job.py --password=" + p + " --rows 5", p, "--rows 5"},
	"argument, quoted":     {`job.py --password "a ` + p + `" --rows 5`, p, "--rows 5"},
	"argument list":        {`['job.py', '--token', '` + p + `', '--rows', '5']`, p, "'--rows', '5'"},
	"argument list, JSON":  {`["--password","` + p + `","--rows","5"]`, p, `"--rows","5"`},
	"submitted property":   {"--conf spark.db.password=" + p + " --name pi", p, "--name pi"},
	"export":               {"export API_TOKEN='" + p + "'", p, ""},
	"trace of a shell":     {"+ DB_PASSWORD=" + p, p, ""},
	"SQL password":         {"ALTER USER a PASSWORD '" + p + "'", p, "ALTER USER"},
	"SQL options":          {"OPTIONS (user 'a', password '" + p + "', dbtable 't')", p, "dbtable 't'"},
	"letters, after words": {"OAuth failed for client_secret: qwertyzxcvbn and more", "qwertyzxcvbn", "and more"},
	"letters, in quotes":   {"login with access_token: 'qwertyzxcvbn'", "qwertyzxcvbn", "login"},
	"German":               {"Passwort: " + p, p, ""},
	// addresses
	"user and password":   {"clone https://user:" + p + "@example.com/x", p, "example.com/x"},
	"password with an at": {"amqp://u:x@" + p + "@example.com", p, "example.com"},
	"token as the user":   {"https://" + p + "@example.com/x", p, "example.com/x"},
	"JDBC query":          {"jdbc:postgresql://db/x?user=a&password=" + p + "&ssl=true", p, "ssl=true"},
	"JDBC semicolons":     {"jdbc:sqlserver://db;user=a;password=" + p + ";encrypt=true", p, "encrypt=true"},
	"signed address":      {"GET /b?sv=1&sig=" + chars[:20] + "%2B&se=2", chars[:20], "se=2"},
	"signed by Amazon":    {"GET /b?X-Amz-Signature=" + hexes[:64] + "&x=1", hexes[:64], "x=1"},
	"Mongo":               {"mongodb+srv://u:" + p + "@c.example.net/x", p, "c.example.net"},
	"Azure connection":    {"DefaultEndpointsProtocol=https;AccountName=a;AccountKey=" + chars[:60] + "==;EndpointSuffix=core.windows.net", chars[:60], "core.windows.net"},
	"Azure shared access": {"SharedAccessSignature=sv=1&sig=" + chars[:30], chars[:30], ""},
	"Kafka JAAS":          {`PlainLoginModule required username="a" password="` + p + `";`, p, `username="a"`},
	"LDAP":                {"java.naming.security.credentials=" + p, p, ""},
	// headers
	"Authorization":        {"> Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte("user:"+p)) + "\n> Accept: x", base64.StdEncoding.EncodeToString([]byte("user:" + p)), "Accept: x"},
	"Authorization, dict":  {"{'Authorization': 'Token " + p + "', 'Accept': 'x'}", p, "'Accept': 'x'"},
	"Proxy-Authorization":  {"Proxy-Authorization: Digest a=" + p, p, ""},
	"Bearer":               {"sent Bearer " + chars[:20] + " to x", chars[:20], "to x"},
	"Cookie":               {"Cookie: a=b; JSESSIONID=" + hexes[:32] + "; theme=dark\nHost: x", hexes[:32], "Host: x"},
	"Set-Cookie":           {"< Set-Cookie: session=" + p + "; HttpOnly", p, ""},
	"X-Api-Key":            {"X-Api-Key: " + p, p, ""},
	"X-Vault-Token":        {"X-Vault-Token: " + p, p, ""},
	"AWS session":          {"AWS_SESSION_TOKEN=IQoJ" + chars, chars[:30], ""},
	"Snowflake JDBC":       {"jdbc:snowflake://x/?token=" + chars[:20] + "&db=y", chars[:20], "db=y"},
	"private key, escaped": {`{"private_key": "-----BEGIN PRIVATE` + ` KEY-----\nMIIB` + chars[:60] + `\n-----END PRIVATE` + ` KEY-----\n", "client_email": "a@b"}`, chars[:20], "client_email"},
}

// TestLeaks: what a text itself calls secret is masked, however programs print names and values.
func TestLeaks(t *testing.T) {
	t.Parallel()
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
