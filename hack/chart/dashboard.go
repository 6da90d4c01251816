// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

// dashboard is the template of the web page.
var dashboard = template{
	name: "dashboard", base: "config/dashboard", from: "sparkgate-system", replace: "{{ .Release.Namespace }}",
	begin: "{{- if .Values.dashboard.enabled }}\n", end: dashboardPrices + dashboardIngress + "{{- end }}\n",
	values: []value{
		{"        - --operator-namespace=$(RUNTIME_NAMESPACE)\n", `        {{- with .Values.dashboard.historyServerURL }}
        - {{ printf "--history-server-url=%s" . | quote }}
        {{- end }}
        {{- if .Values.dashboard.prices }}
        - --prices=/etc/sparkgate/prices/prices.yaml
        {{- end }}
`},
		{"        - mountPath: /etc/sparkgate/kubernetes\n          name: kubernetes\n          readOnly: true\n", `        {{- if .Values.dashboard.prices }}
        - mountPath: /etc/sparkgate/prices
          name: prices
          readOnly: true
        {{- end }}
        {{- with .Values.dashboard.volumeMounts }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
`},
		{"      - configMap:\n          name: kube-root-ca.crt\n        name: kubernetes\n", `      {{- if .Values.dashboard.prices }}
      - configMap:
          name: sparkgate-dashboard-prices
        name: prices
      {{- end }}
      {{- with .Values.dashboard.volumes }}
      {{- toYaml . | nindent 6 }}
      {{- end }}
`},
		{"      serviceAccountName: sparkgate-dashboard\n", `      {{- with .Values.imagePullSecrets }}
      imagePullSecrets:
      {{- range . }}
      - name: {{ . | quote }}
      {{- end }}
      {{- end }}
      {{- with .Values.nodeSelector }}
      nodeSelector:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with .Values.tolerations }}
      tolerations:
      {{- toYaml . | nindent 6 }}
      {{- end }}
`},
		{"        app.kubernetes.io/name: sparkgate-dashboard\n", `        {{- with include "sparkgate.merged" (list .Values.dashboard.podLabels .Values.commonLabels) }}
        {{- . | nindent 8 }}
        {{- end }}
`},
		{"kind: Service\nmetadata:\n", `  {{- with .Values.dashboard.service.annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
`},
		{"  selector:\n    app.kubernetes.io/name: sparkgate-dashboard\n", `  {{- with .Values.dashboard.service.type }}
  type: {{ . }}
  {{- end }}
`},
	},
	swaps: []value{
		{"    metadata:\n      labels:\n", `    metadata:
      {{- $annotations := dict }}
      {{- with .Values.dashboard.prices }}
      {{- $annotations = dict "checksum/prices" (toYaml . | sha256sum) }}
      {{- end }}
      {{- with include "sparkgate.merged" (list .Values.dashboard.podAnnotations $annotations) }}
      annotations:
        {{- . | nindent 8 }}
      {{- end }}
      labels:
`},
		{"  replicas: 1\n", "  replicas: {{ int64 .Values.dashboard.replicas }}\n"},
		{"        image: docker.io/sparkgate/sparkgate:dev\n", "        image: {{ include \"sparkgate.image\" . | quote }}\n"},
		{"        imagePullPolicy: IfNotPresent\n", "        imagePullPolicy: {{ .Values.image.pullPolicy }}\n"},
		{"          secretName: sparkgate-dashboard-tls\n", "          secretName: {{ .Values.dashboard.tlsSecret | quote }}\n"},
		{"          value: 450MiB\n", "          value: {{ .Values.dashboard.goMemoryLimit | quote }}\n"},
		{
			"          limits:\n            memory: 512Mi\n          requests:\n            cpu: 20m\n            memory: 64Mi\n",
			"          {{- toYaml .Values.dashboard.resources | nindent 10 }}\n",
		},
		{"          runAsGroup: 65532\n          runAsUser: 65532\n", `          {{- with .Values.runAsUser }}
          runAsGroup: {{ int64 . }}
          runAsUser: {{ int64 . }}
          {{- end }}
`},
	},
}

// dashboardPrices is the price list of the page, which it reads once.
const dashboardPrices = `{{- with .Values.dashboard.prices }}
---
apiVersion: v1
kind: ConfigMap
metadata:
  labels:
    {{- include "sparkgate.common" $ | nindent 4 }}
  name: sparkgate-dashboard-prices
  namespace: {{ $.Release.Namespace }}
data:
  prices.yaml: |
    {{- toYaml . | nindent 4 }}
{{- end }}
`

// dashboardIngress leads to the page, which serves TLS alone. Users send their tokens through it, so it is never without TLS itself.
const dashboardIngress = `{{- with .Values.dashboard.ingress }}
{{- if .host }}
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  {{- with .annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  labels:
    app.kubernetes.io/name: sparkgate-dashboard
    {{- include "sparkgate.common" $ | nindent 4 }}
  name: sparkgate-dashboard
  namespace: {{ $.Release.Namespace }}
spec:
  {{- with .className }}
  ingressClassName: {{ . | quote }}
  {{- end }}
  rules:
  - host: {{ .host | quote }}
    http:
      paths:
      - backend:
          service:
            name: sparkgate-dashboard
            port:
              name: https
        path: /
        pathType: Prefix
  tls:
  - hosts:
    - {{ .host | quote }}
    {{- with .tlsSecret }}
    secretName: {{ . | quote }}
    {{- end }}
{{- end }}
{{- end }}
`
