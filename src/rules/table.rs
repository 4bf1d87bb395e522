//! The functions of rule expressions. What they take, yield and mean is in the catalogue ([`FUNCTIONS`]); this is the same
//! list as a type, so that the compiler cannot forget one.

use crate::catalog::functions::{FUNCTIONS, FunctionInfo};

macro_rules! functions {
    ($($name:ident = $word:literal),* $(,)?) => {
        /// A function of rule expressions.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Function { $($name),* }

        impl Function {
            pub const ALL: &'static [Function] = &[$(Function::$name),*];

            /// The word that an author writes.
            #[must_use]
            pub fn word(self) -> &'static str {
                match self { $(Function::$name => $word),* }
            }

            #[must_use]
            pub fn from_word(word: &str) -> Option<Function> {
                match word { $($word => Some(Function::$name),)* _ => None }
            }
        }
    };
}

functions! {
    WordCount = "word_count", CharCount = "char_count", SentenceCount = "sentence_count", LineCount = "line_count",
    Contains = "contains", StartsWith = "starts_with", EndsWith = "ends_with", Matches = "matches",
    CountMatches = "count_matches", FirstMatch = "first_match", LastMatch = "last_match", JsonValid = "json_valid", JsonGet = "json_get", JsonMatches = "json_matches",
    Similarity = "similarity", Lower = "lower", Trim = "trim", NumberIn = "number_in", CodeBlocks = "code_blocks",
    Urls = "urls", Turn = "turn", Transcript = "transcript", Size = "size", Known = "known", Otherwise = "otherwise",
    Clamp = "clamp", Round = "round", Abs = "abs", Min = "min", Max = "max",
}

impl Function {
    /// Its entry in the catalogue.
    #[must_use]
    pub fn info(self) -> Option<&'static FunctionInfo> {
        FUNCTIONS.iter().find(|info| info.name == self.word())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_catalogue_and_the_compiler_know_the_same_functions() {
        assert_eq!(FUNCTIONS.len(), Function::ALL.len());
        for function in Function::ALL {
            assert_eq!(Function::from_word(function.word()), Some(*function));
            assert!(function.info().is_some(), "{function:?}");
        }
        assert_eq!(Function::from_word("wordcount"), None);
    }
}
