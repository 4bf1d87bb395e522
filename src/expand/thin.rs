//! What becomes of lists: entries that are there already are left out, reviews are carried out; each with its lineage.
//!
//! Pure, and in the order of the lists. What is left out is told, with the reason.

use super::replies::Review;
use super::similar::{self, Measure};
use super::tree::{Criterion, Dropped, Expansion, Perspective, Places, Scenario};

impl Expansion {
    /// Adds scenarios that say something new.
    pub(super) fn add_scenarios(&mut self, more: Vec<Scenario>, measure: &Measure) {
        let texts: Vec<String> = self.scenarios.iter().chain(&more).map(Scenario::text).collect();
        let names = self.scenarios.iter().chain(&more).map(|s| s.name.to_lowercase()).collect::<Vec<_>>();
        let found = twice(&texts, &names, measure);
        let offset = self.scenarios.len();
        for (scenario, of) in more.into_iter().zip(found.into_iter().skip(offset)) {
            match of {
                None => self.scenarios.push(scenario),
                Some(of) => {
                    let reason = format!("says what \"{}\" says", texts_at(&names, of));
                    self.dropped.push(Dropped { stage: "scenario_expansion", text: scenario.name, reason });
                }
            }
        }
    }

    /// Adds perspectives that say something new; what is there already gains their scenarios.
    pub(super) fn add_perspectives(&mut self, more: Vec<Perspective>, measure: &Measure) {
        let texts: Vec<String> = self.perspectives.iter().chain(&more).map(Perspective::text).collect();
        let names = self.perspectives.iter().chain(&more).map(|p| p.name.to_lowercase()).collect::<Vec<_>>();
        let found = twice(&texts, &names, measure);
        let offset = self.perspectives.len();
        // Where the entries of both lists stand once some are left out.
        let mut place: Vec<usize> = (0..offset).collect();
        for (perspective, of) in more.into_iter().zip(found.into_iter().skip(offset)) {
            match of {
                None => {
                    place.push(self.perspectives.len());
                    self.perspectives.push(perspective);
                }
                Some(of) => {
                    place.push(0);
                    let kept = place.get(of).and_then(|at| self.perspectives.get_mut(*at));
                    if let Some(kept) = kept {
                        kept.scenarios.extend(perspective.scenarios);
                    }
                    let reason = format!("says what \"{}\" says", texts_at(&names, of));
                    self.dropped.push(Dropped { stage: "perspective_expansion", text: perspective.name, reason });
                }
            }
        }
    }

    /// Leaves out criteria that an earlier one of the same sign says already, which gains their perspectives.
    pub(super) fn thin(&mut self, stage: &'static str, criteria: Vec<Criterion>, measure: &Measure) -> Vec<Criterion> {
        let texts: Vec<&str> = criteria.iter().map(|criterion| criterion.text.as_str()).collect();
        let sign: Vec<bool> = criteria.iter().map(|criterion| criterion.points > 0).collect();
        let found = similar::repeats(&texts, measure, |a, b| sign.get(a) == sign.get(b));
        let mut kept: Vec<(usize, Criterion)> = Vec::new();
        for ((at, criterion), of) in criteria.into_iter().enumerate().zip(found) {
            match of.and_then(|of| kept.iter_mut().find(|(place, _)| *place == of)) {
                None => kept.push((at, criterion)),
                Some((_, first)) => {
                    first.perspectives.extend(criterion.perspectives);
                    first.raw.extend(criterion.raw);
                    let reason = format!("says what \"{}\" says", first.text);
                    self.dropped.push(Dropped { stage, text: criterion.text, reason });
                }
            }
        }
        kept.into_iter().map(|(_, criterion)| criterion).collect()
    }

    /// Carries out a review. What is merged stands where its first part stood.
    pub(super) fn review_perspectives(
        &mut self,
        list: Vec<Perspective>,
        review: Review<(String, String)>,
    ) -> Vec<Perspective> {
        let mut out: Vec<Option<Perspective>> = list.into_iter().map(Some).collect();
        for (place, reason) in review.dropped {
            if let Some(gone) = out.get_mut(place).and_then(Option::take) {
                self.dropped.push(Dropped { stage: "perspective_review", text: gone.name, reason });
            }
        }
        for (from, (name, description)) in review.merged {
            let (first, parts) = taken(&mut out, &from);
            let round = parts.iter().map(|part| part.round).min().unwrap_or_default();
            let scenarios = parts.iter().flat_map(|part| part.scenarios.iter().copied()).collect();
            let raw = parts.iter().flat_map(|part| part.raw.iter().copied()).collect();
            if let Some(place) = out.get_mut(first) {
                *place = Some(Perspective { name, description, scenarios, raw, round });
            }
        }
        out.into_iter().flatten().collect()
    }

    /// The same for criteria.
    pub(super) fn review_criteria(
        &mut self,
        list: Vec<Criterion>,
        review: Review<(String, i64, String)>,
    ) -> Vec<Criterion> {
        let mut out: Vec<Option<Criterion>> = list.into_iter().map(Some).collect();
        for (place, reason) in review.dropped {
            if let Some(gone) = out.get_mut(place).and_then(Option::take) {
                self.dropped.push(Dropped { stage: "criterion_review", text: gone.text, reason });
            }
        }
        for (from, (text, points, reasoning)) in review.merged {
            let (first, parts) = taken(&mut out, &from);
            let round = parts.iter().map(|part| part.round).min().unwrap_or_default();
            let perspectives = parts.iter().flat_map(|part| part.perspectives.iter().copied()).collect();
            let raw = parts.iter().flat_map(|part| part.raw.iter().copied()).collect();
            if let Some(place) = out.get_mut(first) {
                *place = Some(Criterion { text, points, reasoning, perspectives, raw, round });
            }
        }
        out.into_iter().flatten().collect()
    }
}

/// Which texts are there before, by their names or by what they say.
fn twice(texts: &[String], names: &[String], measure: &Measure) -> Vec<Option<usize>> {
    let refs: Vec<&str> = texts.iter().map(String::as_str).collect();
    let like = similar::repeats(&refs, measure, |_, _| true);
    let first = |name: &String| names.iter().position(|other| other == name);
    like.into_iter()
        .zip(names)
        .enumerate()
        .map(|(at, (like, name))| first(name).filter(|first| *first < at).or(like))
        .collect()
}

fn texts_at(texts: &[String], at: usize) -> &str {
    texts.get(at).map_or("", String::as_str)
}

/// Takes entries out of a list; the place of the first, and the entries.
fn taken<T>(list: &mut [Option<T>], from: &Places) -> (usize, Vec<T>) {
    let parts = from.iter().filter_map(|place| list.get_mut(*place).and_then(Option::take)).collect();
    (from.first().copied().unwrap_or_default(), parts)
}
