// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package render

import (
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/spark/conf"
	"github.com/sparkgate/sparkgate/internal/spark/server"
)

// Port is one of the driver's ports: its name in container and Service, the property that sets it, and Spark's default.
type Port struct {
	Name    string
	Key     string
	Default int32
}

// PortsOf returns the ports of a driver that its Service has, in Spark's order.
func PortsOf(sparkVersion string) []Port {
	if !clientOf(sparkVersion).connectPort {
		return allPorts[:len(allPorts)-1]
	}
	return allPorts
}

// UIPortOf returns the port of the web interface in the Service of an attempt; 0 if it has none.
func UIPortOf(service *corev1.Service) int32 {
	for _, port := range service.Spec.Ports {
		if port.Name == UIPortName {
			return port.Port
		}
	}
	return 0
}

// allPorts are the ports of a driver. The last one exists from Spark 4.1 on.
var allPorts = []Port{
	{"driver-rpc-port", conf.DriverPort, 7078},
	{ExecutorPortName, conf.DriverBlockManagerPort, BlockManagerPort},
	{UIPortName, conf.UIPort, DefaultUIPort},
	{connectPortName, conf.ConnectPort, 15002},
}

// UIPortName is the name of the port of the web interface, connectPortName the one of Spark Connect.
const (
	UIPortName      = "spark-ui"
	connectPortName = "spark-connect"
)

// BlockManagerPort is the default port of the block manager, in driver and executors; DefaultUIPort that of the web
// interface.
const (
	BlockManagerPort = 7079
	DefaultUIPort    = 4040
)

// DriverUIPort returns the port of the web interface in a driver pod.
func DriverUIPort(driver *corev1.Pod) int32 {
	for i := range driver.Spec.Containers {
		for _, port := range driver.Spec.Containers[i].Ports {
			if port.Name == UIPortName {
				return port.ContainerPort
			}
		}
	}
	return DefaultUIPort
}

// port is a port of the driver, with its name in container and Service.
type port struct {
	name   string
	number int32
}

// ports returns the ports of the driver. blockManagerFallback is the default of the block manager's port; for the
// container a second property can set it, for the Service it cannot.
func (b *build) ports(blockManagerFallback int32) ([]port, error) {
	var ports []port
	for _, p := range PortsOf(b.in.App.Spec.SparkVersion) {
		if p.Key == conf.DriverBlockManagerPort {
			p.Default = blockManagerFallback
		}
		number, err := portNumber(b.given, p.Key, p.Default)
		if err != nil {
			return nil, err
		}
		ports = append(ports, port{p.Name, number})
	}
	return ports, nil
}

// portNumber returns a port that other pods need to know. It is an error if the system would choose it (0), or below
// 1024, where Spark opens none (Utils.startServiceOnPort; for executors, BasicExecutorFeatureStep).
func portNumber(p conf.Properties, key string, fallback int32) (int32, error) {
	const first, last = 1024, 65535
	number, err := p.Int(key, fallback)
	if err == nil && (number < first || number > last) {
		err = p.Wrong(key, "is not a port that Spark opens and executors can find", "set a number from 1024 to 65535")
	}
	if text := p.Get(key, ""); err == nil && key != conf.UIPort && text != strings.TrimSpace(text) {
		// Spark accepts them only for the web interface.
		err = p.Wrong(key, "has spaces around the number", "remove them")
	}
	return number, err
}

// anyPort has each executor choose the port of its block manager, which its pod does not name then: so several find room
// in the network of one node (BasicExecutorFeatureStep).
const anyPort = "0"

// executorPort returns the port of block managers, 0 if executors choose it.
func executorPort(p conf.Properties) (int32, error) {
	if p.Get(conf.BlockManagerPort, "") == anyPort {
		return 0, nil
	}
	return portNumber(p, conf.BlockManagerPort, BlockManagerPort)
}

// addPorts adds the ports to the driver's container.
func (b *build) addPorts() error {
	fallback, err := executorPort(b.given)
	if err != nil {
		return err
	}
	if _, own := b.given.Lookup(conf.DriverBlockManagerPort); fallback == 0 && !own {
		return b.given.Wrong(conf.BlockManagerPort, "has Spark choose a port that the driver's pod has to name",
			"also set "+conf.DriverBlockManagerPort+", such as "+strconv.Itoa(BlockManagerPort)+", or set a number from 1024 to 65535")
	}
	ports, err := b.ports(fallback)
	for _, port := range ports {
		b.driver.container.Ports = append(b.driver.container.Ports, corev1.ContainerPort{
			Name: port.name, ContainerPort: port.number, Protocol: corev1.ProtocolTCP,
		})
	}
	b.addServer()
	return err
}

// addServer adds the port of a server, unless Spark has one of that number, and a probe: the driver is ready when the
// port answers. Servers open it once they have a session. The token is a variable of the driver alone: no property and no
// page of Spark shows it.
func (b *build) addServer() {
	kind, serves := server.KindOf(&b.in.App.Spec)
	if !serves {
		return
	}
	c := &b.driver.container
	if !slices.ContainsFunc(c.Ports, func(p corev1.ContainerPort) bool { return p.ContainerPort == kind.Port }) {
		c.Ports = append(c.Ports, corev1.ContainerPort{Name: kind.PortName, ContainerPort: kind.Port, Protocol: corev1.ProtocolTCP})
	}
	if c.ReadinessProbe == nil {
		c.ReadinessProbe = &corev1.Probe{
			ProbeHandler:  corev1.ProbeHandler{TCPSocket: &corev1.TCPSocketAction{Port: intstr.FromInt32(kind.Port)}},
			PeriodSeconds: serverProbePeriod,
		}
	}
	if token := b.in.App.Spec.Server.Token; token != nil {
		c.Env = append(c.Env, corev1.EnvVar{Name: server.TokenVariable, ValueFrom: &corev1.EnvVarSource{
			SecretKeyRef: &corev1.SecretKeySelector{LocalObjectReference: corev1.LocalObjectReference{Name: token.Name}, Key: token.Key},
		}})
	}
}

// serverProbePeriod is how often the port of a server is tried, in seconds.
const serverProbePeriod = 5

// serviceStep creates the headless Service by which executors find the driver. When the job ends, Spark deletes it by
// its selector label.
func serviceStep(b *build) error {
	ports, err := b.ports(BlockManagerPort)
	if err != nil {
		return err
	}
	for i, key := range []string{conf.DriverPort, conf.DriverBlockManagerPort} {
		b.added.Put(key, strconv.Itoa(int(ports[i].number)))
	}
	b.added.Put(conf.DriverHost, b.serviceHost())

	service := &corev1.Service{ObjectMeta: objectMeta(b.in, b.names.Service)}
	service.Labels = merged(service.Labels, map[string]string{v1alpha1.SparkSelectorLabel: b.names.ApplicationID})
	service.Labels = merged(service.Labels, family(b.given, conf.DriverServiceLabels))
	service.Annotations = merged(nil, allowed(family(b.given, conf.DriverServiceNotes), b.in.ServiceAnnotation))
	extra := UIServiceOf(b.in.App, b.in.ServiceAnnotation)
	service.Labels, service.Annotations = merged(service.Labels, extra.Labels), merged(service.Annotations, extra.Annotations)
	notReady, err := b.given.Bool(conf.DriverServiceNotReady, false)
	if err != nil && b.client.notReadyAddresses {
		return err
	}
	service.Spec = corev1.ServiceSpec{
		ClusterIP:      corev1.ClusterIPNone,
		IPFamilyPolicy: ptr.To(corev1.IPFamilyPolicy(b.given.Get(conf.DriverServiceIPPolicy, string(corev1.IPFamilyPolicySingleStack)))),
		Selector:       b.labels,

		PublishNotReadyAddresses: notReady && b.client.notReadyAddresses,
	}
	for _, ip := range conf.Split(b.given.Get(conf.DriverServiceFamilies, string(corev1.IPv4Protocol))) {
		service.Spec.IPFamilies = append(service.Spec.IPFamilies, corev1.IPFamily(ip))
	}
	for _, port := range ports {
		service.Spec.Ports = append(service.Spec.Ports, corev1.ServicePort{
			Name: port.name, Port: port.number, TargetPort: intstr.FromInt32(port.number), AppProtocol: b.client.protocol(port),
		})
	}
	b.service = service
	return nil
}

// protocol returns the application protocol of a port in the Service, nil if none is set.
func (c client) protocol(p port) *string {
	if p.name == connectPortName && c.connectProtocol {
		return ptr.To("grpc")
	}
	return nil
}

// networkPolicyStep creates a NetworkPolicy that lets only pods of the same attempt connect to its executors.
func networkPolicyStep(b *build) error {
	if server.IsMaster(&b.in.App.Spec) {
		return nil // drivers of other applications connect to executors
	}
	if !b.client.networkPolicy {
		return nil
	}
	attempt := map[string]string{v1alpha1.SparkSelectorLabel: b.names.ApplicationID}
	policy := &networkingv1.NetworkPolicy{ObjectMeta: objectMeta(b.in, b.names.NetworkPolicy)}
	policy.Labels = merged(policy.Labels, attempt)
	policy.Spec = networkingv1.NetworkPolicySpec{
		PodSelector: metav1.LabelSelector{MatchLabels: merged(attempt, map[string]string{v1alpha1.SparkRoleLabel: v1alpha1.SparkRoleExecutor})},
		Ingress: []networkingv1.NetworkPolicyIngressRule{{
			From: []networkingv1.NetworkPolicyPeer{{PodSelector: &metav1.LabelSelector{MatchLabels: attempt}}},
		}},
	}
	b.networkPolicy = policy
	return nil
}
