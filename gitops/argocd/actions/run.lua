-- Asks for one more run, by the annotations that Flux and sparkctl use. Git does not declare them, so there is no drift.
local os = require("os")
local token = os.date("!%Y-%m-%dT%H:%M:%SZ")
if obj.metadata.annotations == nil then
  obj.metadata.annotations = {}
end
obj.metadata.annotations["reconcile.fluxcd.io/requestedAt"] = token
obj.metadata.annotations["reconcile.fluxcd.io/forceAt"] = token
return obj
