//! The binary `rubric`.

fn main() -> std::process::ExitCode {
    rubric_lang::cli::main()
}
