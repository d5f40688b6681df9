"""The checks of the audit, a module for each kind of fault."""
