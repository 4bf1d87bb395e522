//! The nearest of some known names: what the author most likely meant.

/// Names longer than this are not compared: nobody misspells one letter of a paragraph, and the comparison is quadratic.
const LONGEST: usize = 80;

/// So many names are compared, the first of those of a fitting length: with more, thousands of misspelt names in a file of
/// thousands would take minutes.
const MOST_COMPARED: usize = 1_000;

/// The name among `known` that the author most likely meant, if any is near enough: at most a third of the letters differ,
/// or the names differ in case only. Give them in a fixed order: of very many, only the first are compared.
#[must_use]
pub fn did_you_mean<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if name.len() > LONGEST {
        return None;
    }
    let letters = name.chars().count();
    let most = (letters / 3).max(1);
    let same = |k: &str| k.chars().flat_map(char::to_lowercase).eq(name.chars().flat_map(char::to_lowercase));
    known
        .into_iter()
        .filter(|k| *k != name && k.len() <= LONGEST)
        // A name of another length is told apart without being compared.
        .filter(|k| k.chars().count().abs_diff(letters) <= most)
        .take(MOST_COMPARED)
        .filter_map(|k| {
            if same(k) {
                return Some((0, k));
            }
            let (left, right) = without_common_ends(name, k);
            let distance = strsim::damerau_levenshtein(left, right);
            (distance <= most && distance < letters).then_some((distance, k))
        })
        .min()
        .map(|(_, k)| k)
}

/// The parts in which two names differ; what they share at both ends costs no letter.
fn without_common_ends<'a>(a: &'a str, b: &'a str) -> (&'a str, &'a str) {
    let shared = |pairs: &mut dyn Iterator<Item = (char, char)>| -> usize {
        pairs.take_while(|(x, y)| x == y).map(|(x, _)| x.len_utf8()).sum()
    };
    let start = shared(&mut a.chars().zip(b.chars()));
    let (a, b) = (a.get(start..).unwrap_or(""), b.get(start..).unwrap_or(""));
    let end = shared(&mut a.chars().rev().zip(b.chars().rev()));
    (a.get(..a.len() - end).unwrap_or(""), b.get(..b.len() - end).unwrap_or(""))
}

#[cfg(test)]
mod tests {
    use super::{did_you_mean, without_common_ends};

    #[test]
    fn shared_ends_do_not_change_the_distance() {
        assert_eq!(without_common_ends("größe_a", "größe_bä"), ("a", "bä"));
        assert_eq!(without_common_ends("abcd", "abd"), ("c", ""));
        let names = ["", "a", "ab", "ba", "abc", "acb", "abca", "bca", "äbc", "cabac", "aabbcc"];
        for a in names {
            for b in names {
                let (x, y) = without_common_ends(a, b);
                assert_eq!(strsim::damerau_levenshtein(x, y), strsim::damerau_levenshtein(a, b), "{a} {b}");
            }
        }
    }

    #[test]
    fn the_nearest_name_is_found_and_a_far_one_is_not() {
        let known = ["factuality", "completeness", "harmful"];
        assert_eq!(did_you_mean("factualty", known), Some("factuality"));
        assert_eq!(did_you_mean("HARMFUL", known), Some("harmful"));
        assert_eq!(did_you_mean("tone", known), None);
    }

    #[test]
    fn a_single_letter_is_not_like_every_other_letter() {
        assert_eq!(did_you_mean("a", ["b", "c"]), None);
        assert_eq!(did_you_mean("A", ["b", "a"]), Some("a"));
    }

    #[test]
    fn of_two_equally_near_names_the_first_in_the_alphabet_is_taken_whatever_their_order() {
        assert_eq!(did_you_mean("cat", ["cut", "car"]), Some("car"));
        assert_eq!(did_you_mean("cat", ["car", "cut"]), Some("car"));
    }
}
