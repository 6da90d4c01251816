{{- /* Labels of objects that belong to the operator's pod. */ -}}
{{- define "sparkgate.labels" -}}
app.kubernetes.io/name: sparkgate
app.kubernetes.io/part-of: sparkgate
{{- end -}}

{{- define "sparkgate.image" -}}
{{- with .Values.image -}}
{{ .repository }}{{ if .digest }}@{{ .digest }}{{ else }}:{{ .tag | default $.Chart.AppVersion }}{{ end }}
{{- end -}}
{{- end -}}

{{- /* A flag's value as the command line takes it: lists with commas, whole numbers without an exponent. */ -}}
{{- define "sparkgate.flag" -}}
{{- if kindIs "slice" . }}{{ join "," . }}{{ else if kindIs "float64" . }}{{ int64 . }}{{ else }}{{ . }}{{ end -}}
{{- end -}}
