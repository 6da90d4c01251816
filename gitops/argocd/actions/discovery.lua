-- What Argo CD offers for an application or a schedule. A schedule is run now, an application again.
local actions = {}
local suspended = obj.spec.suspend == true
if obj.kind == "ScheduledSparkApplication" then
  actions["run-now"] = {displayName = "Run now", iconClass = "fa fa-fw fa-play-circle"}
else
  actions["run-again"] = {displayName = "Run again", iconClass = "fa fa-fw fa-redo"}
end
actions["suspend"] = {displayName = "Suspend", iconClass = "fa fa-fw fa-pause", disabled = suspended}
actions["resume"] = {displayName = "Resume", iconClass = "fa fa-fw fa-play", disabled = not suspended}
return actions
