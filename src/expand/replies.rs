//! Which replies conform: read whole and strictly, every number within its list, every list complete.
//!
//! Nothing is cut, filled up or guessed: a reply that has too few entries, one too many, another text or a number that is
//! nowhere is refused with a sentence for whoever wrote it, and asked for again. The functions are pure.

use super::tree::{Criterion, Perspective, Places, Scenario};
use crate::check::says_absence;
use crate::judge::ask;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value as Json;
use std::collections::BTreeSet;

/// The most characters of a name, a description and a criterion.
pub const NAME: usize = 120;
pub const DESCRIPTION: usize = 3_000;
pub const CRITERION: usize = 600;
/// The most entries of a reply that lists new things, by what it lists.
pub const MOST_SCENARIOS: usize = 12;
pub const MOST_NEW_SCENARIOS: usize = 6;
pub const MOST_PERSPECTIVES: usize = 10;
pub const MOST_NEW_PERSPECTIVES: usize = 6;
pub const MOST_CRITERIA: usize = 20;
pub const MOST_NEW_CRITERIA: usize = 10;
pub const MOST_SINGLE: usize = 400;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Scenarios {
    scenarios: Vec<OneScenario>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OneScenario {
    scenario_name: String,
    scenario_description: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Perspectives {
    perspectives: Vec<OnePerspective>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OnePerspective {
    scenarios: Option<Vec<i64>>,
    perspective_name: String,
    perspective_description: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Criteria {
    criteria: Vec<OneCriterion>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OneCriterion {
    perspectives: Option<Vec<i64>>,
    criterion: String,
    points: i64,
    reasoning: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Reviewed<T> {
    merged: Vec<T>,
    dropped: Vec<OneDropped>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OneDropped {
    number: i64,
    reason: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MergedPerspective {
    from: Vec<i64>,
    perspective_name: String,
    perspective_description: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MergedCriterion {
    from: Vec<i64>,
    criterion: String,
    points: i64,
    reasoning: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Marks<T> {
    criteria: Vec<T>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Sign {
    number: i64,
    begins: String,
    positive: bool,
    #[serde(rename = "reasoning")]
    _reasoning: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Weight {
    number: i64,
    begins: String,
    points: i64,
    reasoning: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Single {
    scenarios: Vec<OneScenario>,
    perspectives: Vec<OnePerspective>,
    criteria: Vec<OneCriterion>,
}

/// What a review says of a list: groups of places with what they become, and places that are dropped, with the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Review<T> {
    pub merged: Vec<(Places, T)>,
    pub dropped: Vec<(usize, String)>,
}

fn parse<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    serde_json::from_value(Json::Object(ask::json(text)?)).map_err(|error| error.to_string())
}

/// A text in one line, neither empty nor too long.
fn line(text: &str, what: &str, longest: usize) -> Result<String, String> {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let length = text.chars().count();
    match length {
        0 => Err(format!("{what} is empty")),
        _ if length > longest => {
            Err(format!("{what} has {length} characters, and may have {longest} at most: {}", begins(&text)))
        }
        _ => Ok(text),
    }
}

/// Numbers as places; each within the list, at least one.
fn places(numbers: &[i64], of: usize, what: &str) -> Result<Places, String> {
    let place = |n: &i64| {
        let place = usize::try_from(*n).ok().and_then(|n| n.checked_sub(1)).filter(|place| *place < of);
        place.ok_or_else(|| format!("{what} names {n}, and the list has 1 to {of}"))
    };
    let places = numbers.iter().map(place).collect::<Result<Places, String>>()?;
    if places.is_empty() { Err(format!("{what} names no number")) } else { Ok(places) }
}

fn count(n: usize, least: usize, most: usize, what: &str) -> Result<(), String> {
    match n {
        _ if n < least => Err(format!("there are {n} {what}, and at least {least} is needed")),
        _ if n > most => Err(format!("there are {n} {what}, and there may be {most} at most")),
        _ => Ok(()),
    }
}

/// The first words of a text.
fn begins(text: &str) -> String {
    text.split_whitespace().take(5).collect::<Vec<_>>().join(" ")
}

fn scenario(one: &OneScenario, round: u32) -> Result<Scenario, String> {
    Ok(Scenario {
        name: line(&one.scenario_name, "a scenario_name", NAME)?,
        description: line(&one.scenario_description, "a scenario_description", DESCRIPTION)?,
        round,
    })
}

/// The scenarios of a round; the first must find one.
pub fn scenarios(text: &str, round: u32) -> Result<Vec<Scenario>, String> {
    let reply: Scenarios = parse(text)?;
    let (least, most) = if round == 0 { (1, MOST_SCENARIOS) } else { (0, MOST_NEW_SCENARIOS) };
    count(reply.scenarios.len(), least, most, "scenarios")?;
    reply.scenarios.iter().map(|one| scenario(one, round)).collect()
}

fn perspective(one: &OnePerspective, scenarios: Places, round: u32) -> Result<Perspective, String> {
    Ok(Perspective {
        name: line(&one.perspective_name, "a perspective_name", NAME)?,
        description: line(&one.perspective_description, "a perspective_description", DESCRIPTION)?,
        scenarios,
        raw: Places::new(),
        round,
    })
}

/// The perspectives of one scenario.
pub fn perspectives(text: &str, scenario: usize) -> Result<Vec<Perspective>, String> {
    let reply: Perspectives = parse(text)?;
    count(reply.perspectives.len(), 1, MOST_PERSPECTIVES, "perspectives")?;
    let one = |one: &OnePerspective| match one.scenarios {
        None => perspective(one, Places::from([scenario]), 0),
        Some(_) => Err("a perspective has the key `scenarios`, which was not asked for".to_owned()),
    };
    reply.perspectives.iter().map(one).collect()
}

fn linked_perspective(one: &OnePerspective, scenarios: usize, round: u32) -> Result<Perspective, String> {
    let named = one.scenarios.as_deref().ok_or("a perspective lacks the key `scenarios`")?;
    perspective(one, places(named, scenarios, "`scenarios` of a perspective")?, round)
}

/// The perspectives that a round adds, each with its scenarios, of which there are so many.
pub fn more_perspectives(text: &str, scenarios: usize, round: u32) -> Result<Vec<Perspective>, String> {
    let reply: Perspectives = parse(text)?;
    count(reply.perspectives.len(), 0, MOST_NEW_PERSPECTIVES, "perspectives")?;
    reply.perspectives.iter().map(|one| linked_perspective(one, scenarios, round)).collect()
}

fn criterion(one: &OneCriterion, perspectives: Places, round: u32) -> Result<Criterion, String> {
    let text = statement(&one.criterion)?;
    let points = points(one.points, &text)?;
    let reasoning = line(&one.reasoning, "a reasoning", DESCRIPTION)?;
    Ok(Criterion { text, points, reasoning, perspectives, raw: Places::new(), round })
}

/// The text of a criterion.
fn statement(text: &str) -> Result<String, String> {
    let text = line(text, "a criterion", CRITERION)?;
    if says_absence(&text) {
        let start = begins(&text);
        return Err(format!(
            "the criterion \"{start} …\" states an absence; state what is there, with negative points if it is bad"
        ));
    }
    Ok(text)
}

fn points(points: i64, text: &str) -> Result<i64, String> {
    if points == 0 || points.abs() > 10 {
        return Err(format!("points are 1 to 10 or -1 to -10, not {points} (\"{} …\")", begins(text)));
    }
    Ok(points)
}

/// The criteria of one perspective.
pub fn criteria(text: &str, perspective: usize) -> Result<Vec<Criterion>, String> {
    let reply: Criteria = parse(text)?;
    count(reply.criteria.len(), 1, MOST_CRITERIA, "criteria")?;
    let one = |one: &OneCriterion| match one.perspectives {
        None => criterion(one, Places::from([perspective]), 0),
        Some(_) => Err("a criterion has the key `perspectives`, which was not asked for".to_owned()),
    };
    reply.criteria.iter().map(one).collect()
}

fn linked_criterion(one: &OneCriterion, perspectives: usize, round: u32) -> Result<Criterion, String> {
    let named = one.perspectives.as_deref().ok_or("a criterion lacks the key `perspectives`")?;
    criterion(one, places(named, perspectives, "`perspectives` of a criterion")?, round)
}

/// The criteria that a round adds, each with its perspectives, of which there are so many.
pub fn more_criteria(text: &str, perspectives: usize, round: u32) -> Result<Vec<Criterion>, String> {
    let reply: Criteria = parse(text)?;
    count(reply.criteria.len(), 0, MOST_NEW_CRITERIA, "criteria")?;
    reply.criteria.iter().map(|one| linked_criterion(one, perspectives, round)).collect()
}

/// What a review says of a list of perspectives of this length.
pub fn review_perspectives(text: &str, of: usize) -> Result<Review<(String, String)>, String> {
    let reply: Reviewed<MergedPerspective> = parse(text)?;
    let merged = reply.merged.iter().map(|one| {
        let name = line(&one.perspective_name, "a perspective_name", NAME)?;
        let description = line(&one.perspective_description, "a perspective_description", DESCRIPTION)?;
        Ok((one.from.as_slice(), (name, description)))
    });
    review(merged.collect::<Result<Vec<_>, String>>()?, &reply.dropped, of)
}

/// What a review says of a list of criteria of this length: the text, points and reasoning of what is merged or reworded.
pub fn review_criteria(text: &str, of: usize) -> Result<Review<(String, i64, String)>, String> {
    let reply: Reviewed<MergedCriterion> = parse(text)?;
    let merged = reply.merged.iter().map(|one| {
        let text = statement(&one.criterion)?;
        let points = points(one.points, &text)?;
        let reasoning = line(&one.reasoning, "a reasoning", DESCRIPTION)?;
        Ok((one.from.as_slice(), (text, points, reasoning)))
    });
    review(merged.collect::<Result<Vec<_>, String>>()?, &reply.dropped, of)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Reworded {
    reworded: Vec<OneReworded>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OneReworded {
    number: i64,
    criterion: String,
}

/// Criteria in other words, by their places in a list of `of`. One without an entry stays as it is.
///
/// # Errors
/// What does not conform, for whoever wrote it.
pub fn reword(text: &str, of: usize) -> Result<Vec<(usize, String)>, String> {
    let reply: Reworded = parse(text)?;
    let mut seen = Places::new();
    let one = |one: &OneReworded| {
        let place = places(&[one.number], of, "`reworded`")?.first().copied().unwrap_or_default();
        if !seen.insert(place) {
            return Err(format!("the number {} stands there twice", one.number));
        }
        Ok((place, statement(&one.criterion)?))
    };
    reply.reworded.iter().map(one).collect()
}

fn review<T>(merged: Vec<(&[i64], T)>, dropped: &[OneDropped], of: usize) -> Result<Review<T>, String> {
    let mut seen = Places::new();
    let mut take = |place: usize| {
        if seen.insert(place) { Ok(()) } else { Err(format!("the number {} stands in two places", place + 1)) }
    };
    let mut review = Review { merged: Vec::new(), dropped: Vec::new() };
    for (from, becomes) in merged {
        let from = places(from, of, "`from`")?;
        from.iter().try_for_each(|place| take(*place))?;
        review.merged.push((from, becomes));
    }
    for one in dropped {
        let place = places(&[one.number], of, "`dropped`")?.first().copied().unwrap_or_default();
        take(place)?;
        review.dropped.push((place, line(&one.reason, "a reason", DESCRIPTION)?));
    }
    if review.dropped.len() >= of {
        return Err("everything is dropped; at least one must be left".to_owned());
    }
    Ok(review)
}

/// Marks of a whole list, in its order: as many as there are texts, each under its number and with the first words of its text.
fn marks<T>(marks: Vec<T>, texts: &[String], of: impl Fn(&T) -> (i64, &str)) -> Result<Vec<T>, String> {
    if marks.len() != texts.len() {
        return Err(format!("there are {} entries, and the list has {} criteria", marks.len(), texts.len()));
    }
    for ((mark, text), n) in marks.iter().zip(texts).zip(1_i64..) {
        let (number, start) = of(mark);
        if number != n {
            return Err(format!("entry {n} has the number {number}; go through the list in its order"));
        }
        let words = |text: &str| -> Vec<String> {
            let word =
                |w: &str| w.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect::<String>();
            text.split_whitespace().map(word).filter(|w| !w.is_empty()).collect()
        };
        let (start, whole) = (words(start), words(text));
        if start.is_empty() || !whole.starts_with(&start) {
            return Err(format!("entry {n} does not begin with the words of criterion {n} (\"{} …\")", begins(text)));
        }
    }
    Ok(marks)
}

/// For each of these texts whether it states something good.
pub fn polarity(text: &str, texts: &[String]) -> Result<Vec<bool>, String> {
    let reply: Marks<Sign> = parse(text)?;
    let signs = marks(reply.criteria, texts, |sign| (sign.number, &sign.begins))?;
    Ok(signs.iter().map(|sign| sign.positive).collect())
}

/// For each of these texts its points without their sign, and why.
pub fn weights(text: &str, texts: &[String]) -> Result<Vec<(i64, String)>, String> {
    let reply: Marks<Weight> = parse(text)?;
    let weights = marks(reply.criteria, texts, |weight| (weight.number, &weight.begins))?;
    let one = |weight: Weight| {
        if !(1..=10).contains(&weight.points) {
            return Err(format!("points are 1 to 10, not {} (entry {})", weight.points, weight.number));
        }
        Ok((weight.points, line(&weight.reasoning, "a reasoning", DESCRIPTION)?))
    };
    weights.into_iter().map(one).collect()
}

/// Everything at once.
pub type Whole = (Vec<Scenario>, Vec<Perspective>, Vec<Criterion>);

/// A whole expansion: every scenario has a perspective and every perspective a criterion.
pub fn single(text: &str) -> Result<Whole, String> {
    let reply: Single = parse(text)?;
    count(reply.scenarios.len(), 1, MOST_SINGLE, "scenarios")?;
    count(reply.perspectives.len(), 1, MOST_SINGLE, "perspectives")?;
    count(reply.criteria.len(), 1, MOST_SINGLE, "criteria")?;
    let scenarios: Vec<Scenario> = reply.scenarios.iter().map(|one| scenario(one, 0)).collect::<Result<_, _>>()?;
    let linked = reply.perspectives.iter().map(|one| linked_perspective(one, scenarios.len(), 0));
    let perspectives: Vec<Perspective> = linked.collect::<Result<_, _>>()?;
    let linked = reply.criteria.iter().map(|one| linked_criterion(one, perspectives.len(), 0));
    let criteria: Vec<Criterion> = linked.collect::<Result<_, _>>()?;
    let lonely = |n: usize, named: BTreeSet<usize>| (0..n).find(|place| !named.contains(place)).map(|place| place + 1);
    if let Some(n) = lonely(scenarios.len(), perspectives.iter().flat_map(|p| p.scenarios.iter().copied()).collect()) {
        return Err(format!("scenario {n} has no perspective"));
    }
    if let Some(n) = lonely(perspectives.len(), criteria.iter().flat_map(|c| c.perspectives.iter().copied()).collect())
    {
        return Err(format!("perspective {n} has no criterion"));
    }
    let (positive, negative) = super::Expansion::totals(&criteria);
    if positive <= negative {
        return Err(super::unbalanced(positive, negative));
    }
    Ok((scenarios, perspectives, criteria))
}
