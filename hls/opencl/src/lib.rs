//! OpenCL ICD over host and driver.
