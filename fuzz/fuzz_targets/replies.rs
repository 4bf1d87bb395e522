#![no_main]
//! Feeds `replies::read` with whatever the fuzzer invents.

#[path = "../replies.rs"]
mod replies;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    replies::read(data);
});
