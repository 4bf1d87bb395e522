//! The nearest of some known names: what the author most likely meant.

/// Names longer than this are not compared: nobody misspells one letter of a paragraph, and the comparison is quadratic.
const LONGEST: usize = 80;

/// The name among `known` that the author most likely meant, if any is near enough: at most a third of the letters differ,
/// or the names differ in case only.
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
        .filter_map(|k| {
            if same(k) {
                return Some((0, k));
            }
            let distance = strsim::damerau_levenshtein(name, k);
            (distance <= most && distance < letters).then_some((distance, k))
        })
        .min()
        .map(|(_, k)| k)
}

#[cfg(test)]
mod tests {
    use super::did_you_mean;

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
