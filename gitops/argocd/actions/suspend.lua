-- Stops the run and gives its quota back, until it is resumed. Stays while Git does not declare spec.suspend.
obj.spec.suspend = true
return obj
