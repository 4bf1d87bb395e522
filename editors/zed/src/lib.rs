//! Starts `rubric lsp` in Zed.

use zed_extension_api as zed;

struct Rubric;

impl zed::Extension for Rubric {
    fn new() -> Self {
        Rubric
    }

    fn language_server_command(
        &mut self,
        _server: &zed::LanguageServerId,
        worktree: &zed::Worktree,
    ) -> zed::Result<zed::Command> {
        let command = worktree.which("rubric").ok_or("`rubric` is not on the PATH")?;
        Ok(zed::Command { command, args: vec!["lsp".to_owned()], env: worktree.shell_env() })
    }
}

zed::register_extension!(Rubric);
