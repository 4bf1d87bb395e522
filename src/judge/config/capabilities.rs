//! What a model can do, so that what it cannot is said before the first call.
//!
//! A table over dialects and the beginnings of model ids, as of November 2026. It knows the models of the large providers;
//! of a server of one's own it assumes what vLLM and llama.cpp can. `can = { … }` in `rubric.toml` corrects it. It is not
//! asked of any server: few answer that question.

use super::alias::Dialect;

/// What a model can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Capabilities {
    /// The server binds the reply to a JSON schema. Where it cannot, the reply is fenced JSON that is checked here.
    pub structured: bool,
    /// Most alternatives per token with their log-probabilities; `None`: it gives none.
    pub logprobs: Option<u8>,
    /// It takes a temperature.
    pub temperature: bool,
    /// It takes a seed, at best effort.
    pub seed: bool,
    /// It reads images.
    pub images: bool,
    /// It is a decision model: typed questions, answered by probabilities, no text.
    pub decision: bool,
    /// Most levels of a score (decision models).
    pub levels: u16,
    /// Most options of a choice (decision models).
    pub options: u16,
}

/// What a criterion needs of the model that it asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Needs {
    /// Probabilities of the answers, for `combine: expected` and `confidence`.
    pub probabilities: bool,
    /// Text in the answer: evidence, reasons, parts, numbers that are no level of a scale.
    pub text: bool,
    /// A temperature is set.
    pub temperature: bool,
    /// A seed is set.
    pub seed: bool,
    /// Images stand in the request.
    pub images: bool,
    /// Levels of the criterion's scale; 0 where it is no scale.
    pub levels: usize,
    /// Options of the criterion's choice; 0 where it is none.
    pub options: usize,
}

/// Most alternatives per token that OpenAI and the servers that follow it give.
const ALTERNATIVES: u8 = 20;

impl Capabilities {
    /// What is known of a model. The id may have a provider before a slash (`anthropic/claude-…`).
    #[must_use]
    pub fn of(dialect: Dialect, model: &str) -> Capabilities {
        let id = model.rsplit('/').next().unwrap_or(model).to_ascii_lowercase();
        let chat = Capabilities {
            structured: true,
            logprobs: Some(ALTERNATIVES),
            temperature: true,
            seed: true,
            images: false,
            decision: false,
            levels: u16::MAX,
            options: u16::MAX,
        };
        let without_logprobs = Capabilities { logprobs: None, ..chat };
        if dialect.embeds() {
            return Capabilities { structured: false, temperature: false, seed: false, ..without_logprobs };
        }
        if dialect.decides() {
            return Capabilities {
                structured: false,
                temperature: false,
                seed: false,
                decision: true,
                levels: 10,
                options: 255,
                ..without_logprobs
            };
        }
        if id.starts_with("claude") {
            let old = is_old_claude(&id);
            return Capabilities {
                structured: !is_claude_without_schemas(&id),
                temperature: old,
                seed: false,
                images: true,
                ..without_logprobs
            };
        }
        if id.starts_with("gemini") {
            return Capabilities { images: true, ..without_logprobs };
        }
        if dialect == Dialect::Anthropic {
            return Capabilities { seed: false, ..without_logprobs };
        }
        if dialect == Dialect::Gemini {
            return without_logprobs;
        }
        if reasons(&id) {
            return Capabilities { temperature: false, seed: false, images: true, ..without_logprobs };
        }
        let sees = ["gpt-4o", "gpt-4.1", "gpt-4-turbo", "gpt-5-chat"].iter().any(|p| id.starts_with(p))
            || [
                "llava",
                "-vl",
                "vl:",
                "vision",
                "gemma3",
                "gemma-3",
                "gemma4",
                "gemma-4",
                "pixtral",
                "moondream",
                "minicpm-v",
            ]
            .iter()
            .any(|p| id.contains(p));
        let structured = !["gpt-3.5", "gpt-4-", "gpt-4:"].iter().any(|p| id.starts_with(p)) && id != "gpt-4";
        Capabilities { images: sees, structured, ..chat }
    }

    /// Whether these needs can be met.
    ///
    /// # Errors
    /// What cannot be done, as the end of a sentence that begins with the model: “gives no probabilities, which …”.
    pub fn check(&self, needs: &Needs) -> Result<(), String> {
        let mut cannot = Vec::new();
        if needs.probabilities && !self.decision && self.logprobs.is_none() {
            cannot.push("gives no probabilities, which `combine: expected` and `confidence` need".to_owned());
        }
        if needs.text && self.decision {
            cannot.push("writes no text, which evidence, reasons and numbers outside a scale need".to_owned());
        }
        if needs.temperature && !self.temperature {
            cannot.push("takes no `temperature`".to_owned());
        }
        if needs.seed && !self.seed {
            cannot.push("takes no seed".to_owned());
        }
        if needs.images && !self.images {
            cannot.push("reads no images".to_owned());
        }
        if self.decision && needs.levels > usize::from(self.levels) {
            cannot.push(format!("takes at most {} levels of a scale, and this one has {}", self.levels, needs.levels));
        }
        if self.decision && needs.options > usize::from(self.options) {
            cannot.push(format!("takes at most {} options, and there are {}", self.options, needs.options));
        }
        if cannot.is_empty() { Ok(()) } else { Err(cannot.join(", and ")) }
    }
}

/// OpenAI's models that reason before they answer: no log-probabilities, no sampling parameters.
fn reasons(id: &str) -> bool {
    let generation = |prefix: &str| {
        id.strip_prefix(prefix).and_then(|rest| rest.split(|c: char| !c.is_ascii_digit()).next()?.parse::<u32>().ok())
    };
    let chat = id.contains("-chat");
    generation("gpt-").is_some_and(|n| n >= 5 && !chat) || generation("o").is_some_and(|n| n >= 1)
}

/// Models of Anthropic that still take a temperature: those before 4.7.
fn is_old_claude(id: &str) -> bool {
    claude_version(id).is_some_and(|version| version < (4, 7))
}

/// Models of Anthropic from before output schemas: those before 4.5, save Opus 4.1.
fn is_claude_without_schemas(id: &str) -> bool {
    claude_version(id).is_some_and(|version| version < (4, 5) && !(id.contains("opus") && version == (4, 1)))
}

/// The version in an id such as `claude-opus-4-7`, `claude-sonnet-5`, `claude-3-5-haiku-20241022`, `claude-sonnet-4-20250514`.
fn claude_version(id: &str) -> Option<(u32, u32)> {
    let mut numbers = id.split(['-', '.', '@', ':']).skip_while(|part| part.parse::<u32>().is_err());
    let short = |part: Option<&str>| part.and_then(|p| p.parse::<u32>().ok()).filter(|n| *n < 100);
    let major = short(numbers.next())?;
    Some((major, short(numbers.next()).unwrap_or(0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_that_reason_give_no_probabilities_and_take_no_temperature() {
        for model in ["gpt-5.4-mini", "gpt-6-luna", "o3", "o4-mini", "openai/gpt-6-sol"] {
            let can = Capabilities::of(Dialect::OpenAi, model);
            assert_eq!((can.logprobs, can.temperature, can.seed), (None, false, false), "{model}");
        }
        for model in ["gpt-4o-mini", "gpt-4.1", "Qwen/Qwen3-8B", "olmo-2", "gpt-oss:20b"] {
            let can = Capabilities::of(Dialect::OpenAi, model);
            assert_eq!((can.logprobs, can.temperature), (Some(20), true), "{model}");
        }
    }

    #[test]
    fn the_versions_of_claude_are_told_apart() {
        let can = |model| Capabilities::of(Dialect::Anthropic, model);
        for model in ["claude-3-5-haiku-20241022", "claude-sonnet-4-20250514"] {
            assert!(can(model).temperature && !can(model).structured, "{model}");
        }
        for model in ["claude-opus-4-1-20250805", "claude-haiku-4-5", "claude-sonnet-4-5-20250929"] {
            assert!(can(model).temperature && can(model).structured, "{model}");
        }
        for model in ["claude-opus-4-7", "claude-sonnet-5", "claude-opus-5-5", "claude-next"] {
            assert!(!can(model).temperature && can(model).structured, "{model}");
        }
    }

    #[test]
    fn everything_that_cannot_be_done_is_said_at_once() {
        let needs = Needs { probabilities: true, temperature: true, ..Needs::default() };
        let said = Capabilities::of(Dialect::Anthropic, "claude-sonnet-5").check(&needs).unwrap_err();
        assert_eq!(
            said,
            "gives no probabilities, which `combine: expected` and `confidence` need, and takes no `temperature`"
        );
        let decision = Capabilities::of(Dialect::SystemOne, "jev-latest");
        assert!(decision.check(&Needs { probabilities: true, levels: 10, ..Needs::default() }).is_ok());
        let said = decision.check(&Needs { text: true, levels: 11, ..Needs::default() }).unwrap_err();
        assert!(said.contains("writes no text") && said.contains("at most 10 levels"), "{said}");
    }
}
