//! The page in a real browser, where there is one: its script runs, the list can be searched and filtered, a record is shown, and
//! hostile text becomes no element.

use super::{HOSTILE, compared, hostile_page, place};
use std::path::Path;
use std::process::Command;

/// The page after its script has run, with what stands behind `#` in its address; `None`: there is no browser.
fn dump(page: &Path, hash: &str) -> Option<String> {
    let found = ["chromium", "chromium-browser", "google-chrome"]
        .into_iter()
        .find(|name| Command::new(name).arg("--version").output().is_ok_and(|output| output.status.success()));
    let Some(browser) = found else {
        eprintln!("SKIPPED: there is no Chromium, so the page is not tried in a browser");
        return None;
    };
    let profile = tempfile::tempdir().unwrap();
    let output = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=5000", "--dump-dom"])
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .arg(format!("file://{}#{hash}", page.display()))
        .output()
        .unwrap();
    let dom = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        dom.contains("data-ready=\"true\""),
        "the script of the page failed: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    Some(dom)
}

fn between<'d>(dom: &'d str, from: &str, to: &str) -> &'d str {
    let start = dom.find(from).unwrap_or_else(|| panic!("no {from} in {dom}")) + from.len();
    let end = dom[start..].find(to).unwrap_or(dom.len() - start);
    &dom[start..start + end]
}

#[test]
fn records_are_listed_searched_and_shown() {
    let place = place();
    let page = place.report(&["r.jsonl", "t.jsonl", "--data", "data.jsonl", "--labels", "labels.csv"]);
    place.write("report.html", &page);
    let path = place.path("report.html");
    let Some(dom) = dump(&path, "") else { return };
    assert!(dom.contains("5 of 5 shown"), "{dom}");
    // The worst disagreement stands first, and is shown.
    let list = between(&dom, "id=\"list\"", "</table>");
    assert!(list.find(">b</button>").unwrap() < list.find(">a</button>").unwrap(), "{list}");
    let one = between(&dom, "id=\"one\"", "<section");
    for said in [
        "It insults.",
        "<blockquote>you fool</blockquote>",
        "<mark>you fool</mark>",
        "Gate fired: ",
        "class=\"card gate sink on fired\"",
    ] {
        assert!(one.contains(said), "{said}: {one}");
    }
    for (hash, count) in [
        ("q=insults", "1 of 5 shown"),
        ("q=refused", "1 of 5 shown"),
        ("q=post+way", "1 of 5 shown"),
        ("show=status:failed", "1 of 5 shown"),
        ("show=gate:final", "1 of 5 shown"),
        ("show=off", "1 of 5 shown"),
        ("show=tag:topic:+post", "2 of 5 shown"),
        ("q=nothing+like+it", "0 of 5 shown"),
        ("outcomes", "5 of 5 shown"),
    ] {
        let dom = dump(&path, hash).unwrap();
        assert!(dom.contains(count), "{hash}: {}", between(&dom, "id=\"count\"", "</span>"));
    }
    let dom = dump(&path, "id=c").unwrap();
    assert!(between(&dom, "id=\"one\"", "<section").contains("<code>clear</code>: refused"), "{dom}");
}

/// Where candidates are compared, the comparison says who wins.
#[test]
fn comparisons_say_what_their_own_readout_says() {
    let (place, page) = compared();
    place.write("report.html", &page);
    let Some(dom) = dump(&place.path("report.html"), "") else { return };
    let list = between(&dom, "id=\"list\"", "</table>");
    assert!(list.contains("pairwise: y wins") && list.contains(">p / x</button>"), "{list}");
    assert!(dom.contains("<b class=\"\">3</b><span>rows: candidates, comparisons</span>"), "{dom}");
}

#[test]
fn hostile_text_becomes_no_element() {
    for text in HOSTILE {
        let (place, page) = hostile_page(text);
        place.write("report.html", &page);
        let Some(dom) = dump(&place.path("report.html"), "") else { return };
        assert!(!dom.contains("data-hacked"), "{text}");
        assert!(!dom.contains("<img") && !dom.contains("<svg onload") && dom.matches("<script").count() == 2, "{text}");
        assert!(dom.contains("id=\"heading\""), "{text}");
    }
}
