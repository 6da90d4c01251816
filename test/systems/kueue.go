// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package systems

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// Names that Kueue's own installation uses.
const (
	KueueNamespace   = "kueue-system"
	kueueService     = "kueue-webhook-service"
	kueueCertificate = "kueue-webhook-server-cert"
	kueueAuthority   = "kueue-ca"
	// kueueGroup is the API group of its kinds.
	kueueGroup = "kueue.x-k8s.io"
)

// KueueSettings are settings that tests may change. The zero value is Kueue with its webhooks for its own kinds.
type KueueSettings struct {
	// Pods enables the pod integration: Kueue then looks at every pod that is created, except in its own namespace and
	// in kube-system.
	Pods bool
	// SparkOperator enables the integration of kubeflow's SparkApplication, whose CRD has to be installed.
	SparkOperator bool
	// Config replaces top-level fields of Kueue's Configuration (config.kueue.x-k8s.io/v1beta2), for example
	// {"waitForPodsReady": {"timeout": "5s"}}.
	Config map[string]any
	// FeatureGates are Kueue's feature gates, such as "ElasticJobsViaWorkloadSlices=true,…".
	FeatureGates string
}

// Kueue starts Kueue with its webhooks for a test. It is stopped at the end of the test; what is installed stays.
func Kueue(t testing.TB, cluster Cluster, settings KueueSettings) *System {
	t.Helper()
	system, err := NewKueue(cluster, settings)
	if err != nil {
		t.Fatal(err)
	}
	return system.begin(t)
}

// NewKueue prepares Kueue with its webhooks; Start starts it.
func NewKueue(cluster Cluster, settings KueueSettings) (*System, error) {
	s, err := newSystem("kueue", cluster)
	if err != nil {
		return nil, err
	}
	if err := (&kueue{System: s, settings: settings}).prepare(cluster); err != nil {
		return nil, fmt.Errorf("prepare Kueue: %w", err)
	}
	return s, nil
}

// kueue prepares a System.
type kueue struct {
	*System
	settings KueueSettings
	certs    certificates
	// health and webhook are the ports of the health checks and of the webhooks. They stay the same over restarts.
	health, webhook int
}

func (k *kueue) prepare(cluster Cluster) error {
	ports, err := freePorts(2)
	if err != nil {
		return err
	}
	k.health, k.webhook = ports[0], ports[1]
	// With these in the Secret and in the folder of the webhook server, Kueue's own management of certificates finds nothing to renew.
	// It also keeps Kueue from asking for certificates of its metrics in a folder that cannot be chosen.
	if k.certs, err = newCertificates(kueueAuthority, kueueService+"."+KueueNamespace+".svc"); err != nil {
		return err
	}
	config, err := k.configure()
	if err != nil {
		return err
	}
	args := []string{"--config=" + config, "--kubeconfig=" + cluster.Kubeconfig, "--zap-log-level=2"}
	gates := []string{"VisibilityOnDemand=false"} // that server wants a fixed port and folder
	if k.settings.FeatureGates != "" {
		gates = append(gates, k.settings.FeatureGates)
	}
	k.program("kueue", append(args, "--feature-gates="+strings.Join(gates, ","))...)
	if err := k.readCRDs(); err != nil {
		return err
	}
	if err := k.readObjects(); err != nil {
		return err
	}
	k.ready = k.works
	return nil
}

// configure writes Kueue's configuration and the files of its webhook server, and returns the path of the configuration.
func (k *kueue) configure() (string, error) {
	var certFile string
	for name, content := range map[string][]byte{"tls.crt": k.certs.cert, "tls.key": k.certs.key, "ca.crt": k.certs.caCert} {
		var err error
		if certFile, err = k.write(filepath.Join("certificates", name), content); err != nil {
			return "", err
		}
	}
	frameworks := []string{"batch/job"}
	if k.settings.Pods {
		frameworks = append(frameworks, "pod")
	}
	if k.settings.SparkOperator {
		frameworks = append(frameworks, "sparkoperator.k8s.io/sparkapplication")
	}
	config := map[string]any{
		"apiVersion":             "config.kueue.x-k8s.io/v1beta2",
		"kind":                   "Configuration",
		"namespace":              KueueNamespace,
		"health":                 map[string]any{"healthProbeBindAddress": fmt.Sprintf("127.0.0.1:%d", k.health)},
		"metrics":                map[string]any{"bindAddress": "0"},
		"webhook":                map[string]any{"host": "127.0.0.1", "port": k.webhook, "certDir": filepath.Dir(certFile)},
		"leaderElection":         map[string]any{"leaderElect": false},
		"internalCertManagement": map[string]any{"enable": true, "webhookServiceName": kueueService, "webhookSecretName": kueueCertificate},
		"clientConnection":       map[string]any{"qps": 500, "burst": 1000},
		"integrations":           map[string]any{"frameworks": frameworks},
	}
	maps.Copy(config, k.settings.Config)
	text, err := yaml.Marshal(config)
	if err != nil {
		return "", err
	}
	return k.write("config.yaml", text)
}

// readCRDs reads Kueue's CRDs. Those that its installation gives a conversion webhook get one here.
func (k *kueue) readCRDs() (err error) {
	if k.crds, err = readManifests(k.build, "config/components/crd/bases"); err != nil {
		return err
	}
	patches, err := readManifests(k.build, "config/components/crd/patches")
	if err != nil {
		return err
	}
	for _, patch := range patches {
		conversion, found, _ := unstructured.NestedMap(patch.Object, "spec", "conversion")
		if !found || patch.GetName() == "resourceflavors."+kueueGroup { // its installation leaves this one out
			continue
		}
		for _, crd := range k.crds {
			if crd.GetName() != patch.GetName() {
				continue
			}
			config := map[string]any{"url": k.url("/convert"), "caBundle": k.caBundle()}
			if err := unstructured.SetNestedField(conversion, config, "webhook", "clientConfig"); err != nil {
				return err
			}
			if err := unstructured.SetNestedField(crd.Object, conversion, "spec", "conversion"); err != nil {
				return err
			}
		}
	}
	return nil
}

// readObjects reads Kueue's webhooks and creates the objects that they need.
func (k *kueue) readObjects() error {
	k.objects = []*unstructured.Unstructured{
		namespaceObject(KueueNamespace),
		{Object: map[string]any{
			"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{"name": kueueCertificate, "namespace": KueueNamespace},
			"data": map[string]any{
				"ca.crt": base64.StdEncoding.EncodeToString(k.certs.caCert), "ca.key": base64.StdEncoding.EncodeToString(k.certs.caKey),
				"tls.crt": base64.StdEncoding.EncodeToString(k.certs.cert), "tls.key": base64.StdEncoding.EncodeToString(k.certs.key),
			},
		}},
	}
	manifests, err := readManifests(k.build, "config/components/webhook")
	if err != nil {
		return err
	}
	for _, obj := range manifests {
		if !strings.HasSuffix(obj.GetKind(), "WebhookConfiguration") {
			continue
		}
		obj.SetName("kueue-" + obj.GetName())
		if err := k.adapt(obj); err != nil {
			return fmt.Errorf("%s: %w", obj.GetName(), err)
		}
		k.objects = append(k.objects, obj)
	}
	return nil
}

// adapt keeps the webhooks of kinds that exist and are wanted, and points them to this process instead of a Service.
func (k *kueue) adapt(configuration *unstructured.Unstructured) error {
	all, _, err := unstructured.NestedSlice(configuration.Object, "webhooks")
	if err != nil {
		return err
	}
	var kept []any
	for _, each := range all {
		webhook, ok := each.(map[string]any)
		if !ok || !k.wanted(webhook) {
			continue
		}
		path, _, err := unstructured.NestedString(webhook, "clientConfig", "service", "path")
		if err != nil {
			return err
		}
		webhook["clientConfig"] = map[string]any{"url": k.url(path), "caBundle": k.caBundle()}
		if !slices.Contains(groupsOf(webhook), kueueGroup) {
			webhook["namespaceSelector"] = map[string]any{"matchExpressions": []any{map[string]any{
				"key": "kubernetes.io/metadata.name", "operator": "NotIn", "values": []any{"kube-system", KueueNamespace},
			}}}
		}
		kept = append(kept, webhook)
	}
	if len(kept) == 0 {
		return fmt.Errorf("none of its %d webhooks is of use: the manifests are not what is expected", len(all))
	}
	return unstructured.SetNestedSlice(configuration.Object, kept, "webhooks")
}

// wanted reports whether a webhook is about Kueue's own kinds, or about those of an integration that is enabled.
func (k *kueue) wanted(webhook map[string]any) bool {
	return slices.ContainsFunc(groupsOf(webhook), func(group string) bool {
		return group == kueueGroup || group == "" && k.settings.Pods || group == "sparkoperator.k8s.io" && k.settings.SparkOperator
	})
}

// groupsOf returns the API groups of a webhook's rules.
func groupsOf(webhook map[string]any) []string {
	var groups []string
	rules, _, _ := unstructured.NestedSlice(webhook, "rules")
	for _, rule := range rules {
		if fields, ok := rule.(map[string]any); ok {
			some, _, _ := unstructured.NestedStringSlice(fields, "apiGroups")
			groups = append(groups, some...)
		}
	}
	return groups
}

func (k *kueue) url(path string) string {
	return fmt.Sprintf("https://127.0.0.1:%d%s", k.webhook, path)
}

func (k *kueue) caBundle() string { return base64.StdEncoding.EncodeToString(k.certs.caCert) }

// works checks that Kueue reports itself ready, that its webhooks answer the API server, and that its controllers run:
// they report that the queue of a Workload is missing. Before that, Kueue does not even end when it is asked to.
func (k *kueue) works(ctx context.Context) error {
	if err := healthy(ctx, fmt.Sprintf("http://127.0.0.1:%d/readyz", k.health)); err != nil {
		return err
	}
	probe := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": kueueGroup + "/v1beta2", "kind": "Workload", "metadata": map[string]any{"name": probeName, "namespace": KueueNamespace},
		"spec": map[string]any{"queueName": "none", "podSets": []any{map[string]any{"name": "main", "count": int64(1), "template": map[string]any{
			"spec": map[string]any{"restartPolicy": "Never", "containers": []any{map[string]any{"name": "main", "image": "none"}}},
		}}}},
	}}
	if err := k.present(ctx, probe); err != nil {
		return err
	}
	if conditions, _, _ := unstructured.NestedSlice(probe.Object, "status", "conditions"); len(conditions) == 0 {
		return errors.New("its controllers have said nothing about a Workload yet")
	}
	return k.client.Delete(ctx, probe)
}

// healthy returns an error unless a GET is answered with 200.
func healthy(ctx context.Context, url string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answers %s", url, response.Status)
	}
	return nil
}
