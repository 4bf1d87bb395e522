//! Looking into a store: why a judgment is there or not, what there is, all of it as JSON lines, and taking out what is old.

use super::identity::{Identity, about};
use super::schema::{self, StoreError};
use super::{Asked, find_in};
use rusqlite::{Connection, params_from_iter};
use serde_json::{Value as Json, json};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A store that is only looked at.
pub struct Look {
    path: Arc<PathBuf>,
    connection: Connection,
}

/// Whether a call would be asked, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Why {
    /// It is stored since then (seconds since 1970), answered by this model.
    Hit { time: i64, answered: String },
    /// Other calls about the same criterion of the same record are stored; the one that is most like it differs in these.
    Differs { stored: usize, differences: Vec<Difference> },
    /// Nothing is stored about this criterion of this record.
    Nothing,
}

/// What is not the same in a stored call and in the one that would be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Difference {
    Address {
        stored: String,
        now: String,
    },
    Model {
        stored: String,
        now: String,
    },
    Sample {
        stored: u32,
        now: u32,
    },
    Instructions,
    /// Of a verifier.
    Files,
    Seen,
    Question,
    Form,
    Sampling,
    /// None of these: something that is put into the request besides.
    Else,
}

impl Difference {
    /// As a part of a sentence.
    #[must_use]
    pub fn in_words(&self) -> String {
        match self {
            Difference::Address { stored, now } => format!("the address (stored: {stored}; now: {now})"),
            Difference::Model { stored, now } => format!("the model (stored: {stored}; now: {now})"),
            Difference::Sample { stored, now } => {
                format!("the sample's number (stored: {}; now: {})", stored + 1, now + 1)
            }
            Difference::Instructions => "the general instructions".to_owned(),
            Difference::Files => "a file that the verifier runs or reads".to_owned(),
            Difference::Seen => "what the judge sees: an input, a reference or the candidate".to_owned(),
            Difference::Question => "the question, a level or an example".to_owned(),
            Difference::Form => "the form of the answer".to_owned(),
            Difference::Sampling => "temperature, seed or the limit of tokens".to_owned(),
            Difference::Else => "something else in the request, such as `extra` in rubric.toml".to_owned(),
        }
    }
}

/// What a store holds of one model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OfModel {
    pub url: String,
    pub model: String,
    /// The models that answered, as the servers say; an alias of a provider may stand for several in turn.
    pub answered: Vec<String>,
    pub judgments: u64,
    pub input: u64,
    pub cached: u64,
    pub output: u64,
    /// Seconds since 1970.
    pub first: i64,
    pub last: i64,
}

/// What is to be taken out: what all conditions that are given hold for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Old {
    /// Stored before this time, in seconds since 1970.
    pub before: Option<i64>,
    /// As it was asked for.
    pub model: Option<String>,
    /// The name or digest of the program that asked first.
    pub program: Option<String>,
    /// Digests of programs: what one of them asked first is not old, nor what no program asked. Empty: none is spared.
    pub kept_programs: Vec<String>,
}

const OF_JUDGMENT: &str =
    "FROM judgment JOIN judge ON judge.id = judgment.judge JOIN program ON program.id = judgment.program";

impl Look {
    /// Opens a store that is there.
    ///
    /// # Errors
    /// There is none, or it cannot be read.
    pub fn open(path: &Path) -> Result<Look, StoreError> {
        let path = Arc::new(path.to_owned());
        if !path.exists() {
            return Err(StoreError::says(&path, "is not there", "it is made by the first run that asks a model"));
        }
        let connection = schema::open(&path)?;
        Ok(Look { path, connection })
    }

    fn sql<T>(&self, result: rusqlite::Result<T>) -> Result<T, StoreError> {
        result.map_err(|error| StoreError::sql(&self.path, &error))
    }

    /// Whether a call is stored; where it is not, what differs in the stored call that is most like it.
    ///
    /// # Errors
    /// Where the store cannot be read; so with all others here.
    pub fn why(&self, identity: &Identity, asked: &Asked) -> Result<Why, StoreError> {
        self.sql(self.find_why(identity, asked))
    }

    fn find_why(&self, identity: &Identity, asked: &Asked) -> rusqlite::Result<Why> {
        if find_in(&self.connection, &identity.key)?.is_some() {
            let mut select = self.connection.prepare("SELECT time, answered FROM judgment WHERE key = ?1")?;
            let row = select.query_row([&identity.key.0[..]], |row| Ok((row.get(0)?, row.get(1)?)))?;
            return Ok(Why::Hit { time: row.0, answered: row.1 });
        }
        let mut select = self.connection.prepare(&format!(
            "SELECT url, model, sample, system, shared, own, form, sampling {OF_JUDGMENT} WHERE about = ?1"
        ))?;
        let about = about(&asked.record, &asked.candidate, &asked.criterion);
        let mut rows = select.query([about])?;
        let system = if identity.is_command { Difference::Files } else { Difference::Instructions };
        let (mut stored, mut best) = (0, None::<Vec<Difference>>);
        while let Some(row) = rows.next()? {
            stored += 1;
            let (url, model): (String, String) = (row.get(0)?, row.get(1)?);
            let sample: u32 = row.get(2)?;
            let mut differences = Vec::new();
            if url != identity.url {
                differences.push(Difference::Address { stored: url, now: identity.url.clone() });
            }
            if model != identity.model {
                differences.push(Difference::Model { stored: model, now: identity.model.clone() });
            }
            if sample != identity.sample {
                differences.push(Difference::Sample { stored: sample, now: identity.sample });
            }
            let parts = [
                (row.get::<_, i64>(3)? == identity.parts.system, system.clone()),
                (row.get::<_, i64>(4)? == identity.parts.shared, Difference::Seen),
                (row.get::<_, i64>(5)? == identity.parts.own, Difference::Question),
                (row.get::<_, i64>(6)? == identity.parts.form, Difference::Form),
                (row.get::<_, i64>(7)? == identity.parts.sampling, Difference::Sampling),
            ];
            differences.extend(parts.into_iter().filter(|(same, _)| !same).map(|(_, difference)| difference));
            if differences.is_empty() {
                differences.push(Difference::Else);
            }
            if best.as_ref().is_none_or(|best| differences.len() < best.len()) {
                best = Some(differences);
            }
        }
        Ok(best.map_or(Why::Nothing, |differences| Why::Differs { stored, differences }))
    }

    /// What there is, by model.
    ///
    /// # Errors
    /// See [`Look::why`].
    pub fn models(&self) -> Result<Vec<OfModel>, StoreError> {
        self.sql(self.find_models())
    }

    fn find_models(&self) -> rusqlite::Result<Vec<OfModel>> {
        let mut select = self.connection.prepare(
            "SELECT url, model, json_group_array(DISTINCT answered), count(*), sum(input), sum(cached), sum(output),
             min(time), max(time)
             FROM judgment JOIN judge ON judge.id = judgment.judge GROUP BY judge.id ORDER BY count(*) DESC, url, model",
        )?;
        let rows = select.query_map([], |row| {
            let count = |n: usize| row.get::<_, i64>(n).map(|n| u64::try_from(n).unwrap_or(0));
            let answered: String = row.get(2)?;
            Ok(OfModel {
                url: row.get(0)?,
                model: row.get(1)?,
                answered: serde_json::from_str(&answered).unwrap_or_default(),
                judgments: count(3)?,
                input: count(4)?,
                cached: count(5)?,
                output: count(6)?,
                first: row.get(7)?,
                last: row.get(8)?,
            })
        })?;
        rows.collect()
    }

    /// Writes every judgment as a line of JSON, in the order in which they were stored; how many there are.
    ///
    /// # Errors
    /// The outer one where the store cannot be read, the inner where the lines cannot be written.
    pub fn export(&self, out: &mut dyn Write) -> Result<io::Result<u64>, StoreError> {
        self.sql(self.write_all(out))
    }

    fn write_all(&self, out: &mut dyn Write) -> rusqlite::Result<io::Result<u64>> {
        let mut select = self.connection.prepare(&format!(
            "SELECT key, url, model, answered, reply, nonce, input, cached, cache_written, output, time, digest, criterion,
             record, candidate, sample {OF_JUDGMENT} ORDER BY judgment.id"
        ))?;
        let mut rows = select.query([])?;
        let mut written = 0;
        while let Some(row) = rows.next()? {
            let text = |n: usize| row.get::<_, String>(n);
            let key: Vec<u8> = row.get(0)?;
            let key = <[u8; 32]>::try_from(key).map_or_else(|_| String::new(), |key| super::Key(key).to_string());
            let count = |n: usize| row.get::<_, i64>(n);
            let line = json!({
                "key": key, "url": text(1)?, "model": text(2)?, "answered": text(3)?,
                "reply": serde_json::from_str::<Json>(&text(4)?).unwrap_or(Json::Null), "nonce": text(5)?,
                "usage": {"input": count(6)?, "cached": count(7)?, "cache_written": count(8)?, "output": count(9)?},
                "time": count(10)?, "program": text(11)?, "criterion": text(12)?, "record": text(13)?,
                "candidate": text(14)?, "sample": count(15)?,
            });
            if let Err(error) = writeln!(out, "{line}") {
                return Ok(Err(error));
            }
            written += 1;
        }
        Ok(out.flush().map(|()| written))
    }

    /// Counts what is old and, unless it is only to be counted, takes it out and makes the file smaller.
    ///
    /// # Errors
    /// See [`Look::why`].
    pub fn collect(&self, old: &Old, only_count: bool) -> Result<u64, StoreError> {
        self.sql(self.take_out(old, only_count))
    }

    fn take_out(&self, old: &Old, only_count: bool) -> rusqlite::Result<u64> {
        let mut conditions = vec!["1"];
        let mut values: Vec<rusqlite::types::Value> = Vec::new();
        if let Some(before) = old.before {
            conditions.push("time < ?");
            values.push(before.into());
        }
        if let Some(model) = &old.model {
            conditions.push("judge IN (SELECT id FROM judge WHERE model = ?)");
            values.push(model.clone().into());
        }
        if let Some(program) = &old.program {
            conditions.push("program IN (SELECT id FROM program WHERE digest = ? OR name = ?)");
            values.extend([program.clone().into(), program.clone().into()]);
        }
        let kept;
        if !old.kept_programs.is_empty() {
            let places = vec!["?"; old.kept_programs.len()].join(", ");
            kept = format!("program IN (SELECT id FROM program WHERE digest NOT IN ({places}) AND digest <> '')");
            conditions.push(&kept);
            values.extend(old.kept_programs.iter().map(|digest| digest.clone().into()));
        }
        let wanted = conditions.join(" AND ");
        if only_count {
            let mut select = self.connection.prepare(&format!("SELECT count(*) FROM judgment WHERE {wanted}"))?;
            let n: i64 = select.query_row(params_from_iter(values), |row| row.get(0))?;
            return Ok(u64::try_from(n).unwrap_or(0));
        }
        let taken =
            self.connection.execute(&format!("DELETE FROM judgment WHERE {wanted}"), params_from_iter(values))?;
        // Where a run holds the file, it stays as large as it is until the next time.
        let _ = self.connection.execute_batch("VACUUM; PRAGMA wal_checkpoint(TRUNCATE);");
        Ok(taken as u64)
    }
}
