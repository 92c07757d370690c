//! Tells Zed how the language server of Koru is started: the binary of the
//! settings, else `koru` on the path of the work tree.
use zed_extension_api::{self as zed, settings::LspSettings, Command, LanguageServerId, Result, Worktree};

struct Koru;

impl zed::Extension for Koru {
    fn new() -> Self {
        Koru
    }

    fn language_server_command(&mut self, id: &LanguageServerId, worktree: &Worktree) -> Result<Command> {
        let binary = LspSettings::for_worktree(id.as_ref(), worktree).ok().and_then(|s| s.binary);
        let command = binary
            .as_ref()
            .and_then(|b| b.path.clone())
            .or_else(|| worktree.which("koru"))
            .ok_or("koru is not on the path: install it, or set lsp.koru.binary.path")?;
        let args = binary.and_then(|b| b.arguments).unwrap_or_else(|| vec!["lsp".into()]);
        Ok(Command { command, args, env: worktree.shell_env() })
    }
}

zed::register_extension!(Koru);
