//! The report as one HTML page that needs nothing else: no network, no file beside it.
//!
//! What stands in the page without a script: the numbers, the tables, the graphs. The list of records and what is shown of one is
//! made by `page.js` out of JSON that the page carries. The page's own policy allows its one script by its digest and
//! nothing else, so that no text of a record could ever run.

use super::spread::Spread;
use super::text::{html, inside_script};
use super::{Report, Row};
use crate::evaluate::figure::{Measured, Reckoned};
use crate::evaluate::report::Run;
use crate::graph::draw;
use crate::run::result::Status;
use base64::Engine as _;
use serde::Serialize;
use serde_json::{Map, Value as Json, json};
use sha2::{Digest, Sha256};
use std::fmt::Write as _;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");
/// Rows that the page carries; the numbers are over all.
const MOST_ROWS: usize = 20_000;
/// Criteria that are shown one by one.
const MOST_CRITERIA: usize = 300;

/// What the script reads.
#[derive(Serialize)]
struct Data<'r> {
    readouts: &'r [String],
    runs: Vec<&'r str>,
    /// The name of the labels, where there are any.
    labels: &'r Option<String>,
    /// Whether traces were given.
    traced: bool,
    /// What each status is called.
    words: Map<String, Json>,
    programs: Vec<Json>,
    rows: Vec<&'r Row>,
}

/// The page.
#[must_use]
pub fn page(report: &Report) -> String {
    let digest = base64::engine::general_purpose::STANDARD.encode(Sha256::digest(SCRIPT.as_bytes()));
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta http-equiv=\"Content-Security-Policy\" \
         content=\"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"referrer\" content=\"no-referrer\">\n\
         <title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#records\">To the records</a>\n",
        title = html(&report.title),
    );
    header(report, &mut out);
    out.push_str("<main>\n");
    outcomes(report, &mut out);
    agreement(report, &mut out);
    records(report, &mut out);
    profiles(report, &mut out);
    graphs(report, &mut out);
    out.push_str("</main>\n");
    let _ = writeln!(out, "<script type=\"application/json\" id=\"data\">{}</script>", inside_script(&data(report)));
    let _ = writeln!(out, "<script>{SCRIPT}</script>\n</body>\n</html>");
    out
}

fn data(report: &Report) -> String {
    let words = Status::ALL.into_iter().map(|status| (status.word().to_owned(), Json::from(status.in_words())));
    let program = |program: &std::sync::Arc<crate::graph::Program>| {
        let picture = draw::picture(program);
        let node =
            |mark: &draw::Mark| json!({ "name": mark.name, "words": super::text::cleaned(&mark.words), "ty": mark.ty });
        json!({ "name": &*program.name, "nodes": picture.marks.iter().map(node).collect::<Vec<_>>() })
    };
    let data = Data {
        readouts: &report.readouts,
        runs: report.runs.iter().map(|run| run.name.as_str()).collect(),
        labels: &report.labels,
        traced: !report.programs.is_empty(),
        words: words.collect(),
        programs: report.programs.iter().map(program).collect(),
        rows: carried(report),
    };
    // Nothing in it can fail to be written: all keys are texts.
    serde_json::to_string(&data).unwrap_or_else(|_| "null".to_owned())
}

/// The rows that the page carries: all, or those that are the farthest from their labels, do not pass, or come first.
fn carried(report: &Report) -> Vec<&Row> {
    let mut rows: Vec<(usize, &Row)> = report.rows.iter().enumerate().collect();
    if rows.len() > MOST_ROWS {
        let bad = |row: &Row| row.present().any(|(_, cell)| cell.is_bad());
        rows.sort_by(|(_, a), (_, b)| {
            b.off.unwrap_or(0.0).total_cmp(&a.off.unwrap_or(0.0)).then_with(|| bad(b).cmp(&bad(a)))
        });
        rows.truncate(MOST_ROWS);
        rows.sort_by_key(|(at, _)| *at);
    }
    rows.into_iter().map(|(_, row)| row).collect()
}

fn header(report: &Report, out: &mut String) {
    let _ = writeln!(out, "<header>\n<h1>{}</h1>", html(&report.title));
    for program in &report.programs {
        if !program.doc.is_empty() {
            let _ = writeln!(out, "<p>{}</p>", html(program.doc.trim()));
        }
    }
    let digests: Vec<String> = report.digests.iter().map(|digest| format!("<code>{}</code>", html(digest))).collect();
    if !digests.is_empty() {
        let _ = writeln!(out, "<p>Program {}</p>", digests.join(", "));
    }
    out.push_str("<nav aria-label=\"Sections\">");
    let sections = [
        ("outcomes", "Outcomes", true),
        ("agreement", "Agreement", report.measured.is_some()),
        ("records", "Records", true),
        ("profiles", "What it is made of", report.profiles.is_some() || !report.tags.is_empty()),
        ("graphs", "The graph", !report.programs.is_empty()),
    ];
    for (id, name, _) in sections.into_iter().filter(|(.., there)| *there) {
        let _ = write!(out, "<a href=\"#{id}\" data-section>{name}</a>");
    }
    out.push_str("</nav>\n</header>\n");
}

fn tile(count: impl std::fmt::Display, what: &str, class: &str, out: &mut String) {
    let _ = writeln!(out, "<div class=\"tile\"><b class=\"{class}\">{count}</b><span>{}</span></div>", html(what));
}

fn outcomes(report: &Report, out: &mut String) {
    out.push_str("<section aria-labelledby=\"outcomes\">\n<h2 id=\"outcomes\">Outcomes</h2>\n");
    for run in &report.runs {
        if report.runs.len() > 1 {
            let _ = writeln!(out, "<h3>{}</h3>", html(&run.name));
        }
        out.push_str("<div class=\"tiles\">");
        tile(report.records, "records", "", out);
        let rows: u64 = run.counts.iter().map(|(_, count)| count).sum();
        if rows != report.records {
            tile(rows, "rows: candidates, comparisons", "", out);
        }
        for (status, count) in &run.counts {
            let class = match status {
                Status::Decided => "good",
                Status::Failed | Status::JudgeFailed => "bad",
                _ => "warn",
            };
            tile(count, status.in_words(), class, out);
        }
        if let Some(passing) = &report.passing {
            tile(
                run.failing,
                &format!("do not pass ({})", passing.text()),
                if run.failing > 0 { "bad" } else { "good" },
                out,
            );
        }
        if let Some(mean) = run.spread.mean() {
            tile(super::text::number(&mean.to_string()), "mean of the decided", "", out);
        }
        out.push_str("</div>\n");
    }
    let key = report.readouts.first().map_or("", String::as_str);
    out.push_str("<div class=\"pair\">");
    for run in &report.runs {
        let caption = if report.runs.len() > 1 { format!("{key} in {}", run.name) } else { key.to_owned() };
        spread(&caption, &run.spread, out);
    }
    out.push_str("</div>\n");
    for note in &report.notes {
        let _ = writeln!(out, "<p class=\"warn\">{}</p>", html(note));
    }
    if report.rows.len() > MOST_ROWS {
        let _ = writeln!(
            out,
            "<p class=\"warn\">The numbers are over all {} rows; the list below holds {MOST_ROWS} of them: those farthest from their \
             labels, those that do not pass, then the first.</p>",
            report.rows.len()
        );
    }
    out.push_str("</section>\n");
}

/// A spread as a table whose bars are only for the eye.
fn spread(caption: &str, spread: &Spread, out: &mut String) {
    let bars = spread.bars();
    let most = bars.iter().map(|bar| bar.count).max().unwrap_or(1).max(1);
    let _ = write!(
        out,
        "<table><caption>{}</caption><thead><tr><th scope=\"col\">outcome</th><th scope=\"col\" class=\"n\">rows</th>\
         <th scope=\"col\"><span class=\"hidden\">share</span></th></tr></thead><tbody>",
        html(caption)
    );
    for bar in &bars {
        let _ = write!(
            out,
            "<tr><td>{}</td><td class=\"n\">{}</td><td class=\"bar\"><i style=\"width:{:.1}%\"></i></td></tr>",
            html(&bar.name),
            bar.count,
            bar.count as f64 * 100.0 / most as f64
        );
    }
    if bars.is_empty() {
        out.push_str("<tr><td colspan=\"3\" class=\"warn\">nothing is decided</td></tr>");
    }
    out.push_str("</tbody></table>\n");
}

fn four(value: Reckoned) -> String {
    value.map_or_else(|why| format!("<span class=\"soft\">{}</span>", why.in_words()), |value| format!("{value:.4}"))
}

fn figure(measured: &Measured) -> String {
    let interval = measured.interval.as_ref();
    let interval =
        interval.map_or(String::new(), |i| format!(" <span class=\"soft\">{:.4} to {:.4}</span>", i.low, i.high));
    four(measured.value) + &interval
}

fn agreement(report: &Report, out: &mut String) {
    let Some(measured) = &report.measured else { return };
    let labels = report.labels.as_deref().unwrap_or("");
    let _ = writeln!(
        out,
        "<section aria-labelledby=\"agreement\">\n<h2 id=\"agreement\">Agreement with {}</h2>\n<div class=\"wide\" tabindex=\"0\"><table>\
         <caption>{} of {}; intervals hold {} % of the resamples</caption><thead><tr><th scope=\"col\">figure</th>",
        html(labels),
        html(&measured.readout),
        html(&measured.runs.iter().map(|run| run.source.to_string()).collect::<Vec<_>>().join(", ")),
        measured.plan.confidence * 100.0
    );
    for run in &measured.runs {
        let name = if measured.runs.len() > 1 { html(&run.source.to_string()) } else { "value".to_owned() };
        let _ = write!(out, "<th scope=\"col\" class=\"n\">{name}</th>");
    }
    let first: Option<&Run> = measured.runs.first();
    for baseline in first.into_iter().flat_map(|run| &run.baselines) {
        let _ = write!(out, "<th scope=\"col\" class=\"n\">{}: {}</th>", html(baseline.why), html(&baseline.says));
    }
    out.push_str("</tr></thead><tbody>");
    for (at, one) in first.into_iter().flat_map(|run| &run.figures).enumerate() {
        let _ = write!(out, "<tr><td>{}</td>", html(&one.figure.to_string()));
        for run in &measured.runs {
            let _ = write!(out, "<td class=\"n\">{}</td>", run.figures.get(at).map_or(String::new(), figure));
        }
        for baseline in first.into_iter().flat_map(|run| &run.baselines) {
            let _ = write!(
                out,
                "<td class=\"n soft\">{}</td>",
                baseline.values.get(at).map_or(String::new(), |v| four(*v))
            );
        }
        out.push_str("</tr>");
    }
    out.push_str("</tbody></table></div>\n<div class=\"pair\">");
    for run in &measured.runs {
        let Some(confusion) = &run.confusion else { continue };
        let _ = write!(
            out,
            "<div class=\"wide\" tabindex=\"0\"><table><caption>{}: labels down, results across</caption><thead><tr><td></td>",
            html(&run.source.to_string())
        );
        for value in &confusion.values {
            let _ = write!(out, "<th scope=\"col\" class=\"n\">{}</th>", html(value));
        }
        out.push_str("</tr></thead><tbody>");
        for (value, row) in confusion.values.iter().zip(&confusion.rows) {
            let _ = write!(out, "<tr><th scope=\"row\">{}</th>", html(value));
            for count in row {
                let _ = write!(out, "<td class=\"n\">{count}</td>");
            }
            out.push_str("</tr>");
        }
        out.push_str("</tbody></table></div>\n");
    }
    out.push_str("</div>\n");
    for note in &measured.notes {
        let _ = writeln!(out, "<p class=\"soft\">{}</p>", html(note));
    }
    out.push_str("</section>\n");
}

fn records(report: &Report, out: &mut String) {
    let _ = writeln!(
        out,
        "<section aria-labelledby=\"records\">\n<h2 id=\"records\" tabindex=\"-1\">Records</h2>\n\
         <noscript><p class=\"warn\">The list of the {} records needs JavaScript, which is off.</p></noscript>\n\
         <form class=\"find\" role=\"search\"><label>Search <input type=\"search\" id=\"q\" autocomplete=\"off\"></label>\
         <label>Show <select id=\"show\"></select></label><label>Order <select id=\"sort\"></select></label>\
         <span id=\"count\" role=\"status\" aria-live=\"polite\"></span></form>\n\
         <div class=\"split\"><div id=\"list\" role=\"region\" aria-label=\"List of records\" tabindex=\"0\"></div>\
         <div id=\"one\" role=\"region\" aria-label=\"The record\"></div></div>\n</section>",
        report.records
    );
}

fn percent(share: Option<f64>) -> String {
    share.map_or_else(|| "–".to_owned(), |share| format!("{:.1} %", share * 100.0))
}

fn profiles(report: &Report, out: &mut String) {
    if report.profiles.is_none() && report.tags.is_empty() {
        return;
    }
    out.push_str("<section aria-labelledby=\"profiles\">\n<h2 id=\"profiles\">What it is made of</h2>\n");
    let names: Vec<&str> = report.runs.iter().map(|run| run.name.as_str()).collect();
    let columns = |first: &str, out: &mut String| {
        let _ = write!(out, "<thead><tr><th scope=\"col\">{first}</th>");
        for name in &names {
            let name = if names.len() > 1 { name } else { "value" };
            let _ = write!(out, "<th scope=\"col\" class=\"n\">{}</th>", html(name));
        }
        out.push_str("</tr></thead><tbody>");
    };
    if !report.tags.is_empty() {
        out.push_str("<div class=\"wide\" tabindex=\"0\"><table><caption>Tags of the records: the mean of what is decided, or its most frequent word; rows</caption>");
        columns("tag", out);
        for tag in &report.tags {
            let _ = write!(out, "<tr><td>{}</td>", html(&tag.tag));
            for spread in &tag.spreads {
                let said = match (spread.mean(), spread.bars().first()) {
                    (Some(mean), _) => super::text::number(&mean.to_string()),
                    (None, Some(bar)) => html(&bar.name),
                    (None, None) => "–".to_owned(),
                };
                let _ = write!(out, "<td class=\"n\">{said} <span class=\"soft\">({})</span></td>", spread.decided());
            }
            out.push_str("</tr>");
        }
        out.push_str("</tbody></table></div>\n");
    }
    if let Some(profiles) = &report.profiles {
        for (dimension, parts) in profiles.parts() {
            let _ = write!(
                out,
                "<div class=\"wide\" tabindex=\"0\"><table><caption>{}: points met of those that can be, else the mean of its criteria on 0 to 100 %</caption>",
                html(&dimension)
            );
            columns("part", out);
            for part in &parts {
                let _ = write!(out, "<tr><td>{}</td>", html(part.name()));
                for name in &names {
                    let cell = profiles.subjects.get(*name).map(|subject| subject.part(part)).unwrap_or_default();
                    let _ = write!(out, "<td class=\"n\">{}</td>", percent(cell.score().or(cell.level())));
                }
                out.push_str("</tr>");
            }
            out.push_str("</tbody></table></div>\n");
        }
        out.push_str("<div class=\"wide\" tabindex=\"0\"><table><caption>Criteria: the mean on 0 to 100 % of what was judged (judged, unknown, missing)</caption>");
        columns("criterion", out);
        for (at, (criterion, about)) in profiles.criteria.iter().enumerate().take(MOST_CRITERIA) {
            let points = about.points.map_or(String::new(), |points| format!(" ({points})"));
            let _ = write!(
                out,
                "<tr><td><code>{}</code>{}<div class=\"soft\">{}</div></td>",
                html(&super::text::cleaned(criterion)),
                html(&points),
                html(&super::text::cleaned(&about.text))
            );
            for name in &names {
                let tally =
                    profiles.subjects.get(*name).and_then(|subject| subject.criterion(at)).cloned().unwrap_or_default();
                let class = if tally.missing > 0 { "n warn" } else { "n" };
                let _ = write!(
                    out,
                    "<td class=\"{class}\">{} <span class=\"soft\">({}, {}, {})</span></td>",
                    percent(tally.mean()),
                    tally.known(),
                    tally.unknown,
                    tally.missing
                );
            }
            out.push_str("</tr>");
        }
        out.push_str("</tbody></table></div>\n");
        if profiles.criteria.len() > MOST_CRITERIA {
            let _ = writeln!(
                out,
                "<p class=\"soft\">{} more criteria; <code>rubric profile</code> has all.</p>",
                profiles.criteria.len() - MOST_CRITERIA
            );
        }
    }
    out.push_str("</section>\n");
}

fn graphs(report: &Report, out: &mut String) {
    if report.programs.is_empty() {
        return;
    }
    out.push_str("<section aria-labelledby=\"graphs\">\n<h2 id=\"graphs\">The graph</h2>\n");
    for (number, program) in report.programs.iter().enumerate() {
        let _ = writeln!(
            out,
            "<details{}><summary>{}</summary><div class=\"graph\" id=\"graph-{number}\" tabindex=\"0\" role=\"region\" \
             aria-label=\"The graph of {}\">{}</div></details>",
            if number == 0 { " open" } else { "" },
            html(&program.name),
            html(&program.name),
            draw::svg(program)
        );
    }
    out.push_str("</section>\n");
}
