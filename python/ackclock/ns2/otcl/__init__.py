"""The Tcl interpreter and OTcl's objects."""
