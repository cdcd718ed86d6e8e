//! What host and hardware agree on: register map, argument layout, manifest.
