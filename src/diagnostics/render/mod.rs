//! Renderers of diagnostics, one per format.
