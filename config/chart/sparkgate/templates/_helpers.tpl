{{- /* Labels of all objects. */ -}}
{{- define "sparkgate.common" -}}
app.kubernetes.io/part-of: sparkgate
{{- with .Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- /* Labels of objects that belong to the operator's pod. */ -}}
{{- define "sparkgate.labels" -}}
app.kubernetes.io/name: sparkgate
{{ include "sparkgate.common" . }}
{{- end -}}

{{- /* The maps of a list as one: of a key that several have, the first one's value. */ -}}
{{- define "sparkgate.merged" -}}
{{- $all := dict -}}
{{- range . }}{{ $all = merge $all (. | default dict) }}{{ end -}}
{{- with $all }}{{ toYaml . }}{{ end -}}
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
