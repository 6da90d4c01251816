-- Health of Sparkgate's kinds for Argo CD. They follow kstatus: the operator decides, this script only translates.
local health = {}
local status = obj.status or {}

local found = {}
for _, condition in ipairs(status.conditions or {}) do
  found[condition.type] = condition
end
local ready = found["Ready"]

-- The conditions speak of another generation of the spec: this one is not in effect yet. They say what it waits for, if the operator has seen it.
if status.observedGeneration ~= nil and status.observedGeneration ~= obj.metadata.generation then
  health.status = "Progressing"
  health.message = "generation " .. tostring(obj.metadata.generation) .. " is not in effect yet"
  if ready ~= nil and ready.message ~= nil then
    health.message = health.message .. "; last message: " .. ready.message
  end
  return health
end

local function is_true(kind)
  return found[kind] ~= nil and found[kind].status == "True"
end

if is_true("Stalled") then
  health.status = "Degraded"
  health.message = found["Stalled"].message
elseif is_true("Reconciling") then
  health.status = "Progressing"
  health.message = found["Reconciling"].message
elseif is_true("Ready") then
  health.status = "Healthy"
  health.message = ready.message
elseif ready ~= nil and (ready.reason == "Suspended" or ready.reason == "Idle") then
  health.status = "Suspended"
  health.message = ready.message
else
  health.status = "Progressing"
  health.message = "the operator has not reported yet"
end
return health
