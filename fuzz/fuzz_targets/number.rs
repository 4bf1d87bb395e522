#![no_main]
//! Feeds `bodies::number` with whatever the fuzzer invents.

#[path = "../bodies.rs"]
#[allow(dead_code)]
mod bodies;

libfuzzer_sys::fuzz_target!(|data: &[u8]| bodies::number(data));
