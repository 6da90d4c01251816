-- Leaves spec.suspend to Git again.
obj.spec.suspend = nil
return obj
