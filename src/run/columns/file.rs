//! An opened Parquet file: checked for what can be read, and guarded, because the library panics on some damaged files.

use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader as _, SerializedFileReader};
use std::cell::Cell;
use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

/// Opens a file.
///
/// # Errors
/// A sentence: it is encrypted, cut off, damaged, or compressed in a way that is not read.
pub(super) fn open(mut file: File) -> Result<SerializedFileReader<File>, String> {
    let mut start = [0; 4];
    let mut end = [0; 4];
    let ends = (|| {
        file.rewind()?;
        file.read_exact(&mut start)?;
        file.seek(SeekFrom::End(-4))?;
        file.read_exact(&mut end)?;
        file.rewind()
    })();
    ends.map_err(|error| crate::source::in_words(&error))?;
    if &start == super::ENCRYPTED || &end == super::ENCRYPTED {
        return Err("it is Parquet that is encrypted, which is not read; write it without encryption".to_owned());
    }
    if &end != super::MAGIC {
        return Err("it begins as Parquet, but does not end so: it was cut off, or is still being written".to_owned());
    }
    let reader = guarded(|| SerializedFileReader::new(file))?;
    for group in reader.metadata().row_groups() {
        for column in group.columns() {
            let unread = match column.compression() {
                Compression::UNCOMPRESSED
                | Compression::SNAPPY
                | Compression::GZIP(_)
                | Compression::LZ4
                | Compression::LZ4_RAW
                | Compression::ZSTD(_) => continue,
                Compression::BROTLI(_) => "Brotli",
                Compression::LZO => "LZO",
            };
            return Err(format!(
                "the column `{}` is compressed with {unread}, which is not read; write it with zstd, snappy, gzip or lz4",
                column.column_path().string()
            ));
        }
    }
    Ok(reader)
}

thread_local! {
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

/// Does what the library might panic in; a panic is a fault of the file, and is not shown as one of this program.
///
/// # Errors
/// What is wrong with the file.
pub(super) fn guarded<T>(what: impl FnOnce() -> Result<T, ParquetError>) -> Result<T, String> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !QUIET.get() {
                before(info);
            }
        }));
    });
    QUIET.set(true);
    let done = catch_unwind(AssertUnwindSafe(what));
    QUIET.set(false);
    match done {
        Ok(Ok(done)) => Ok(done),
        Ok(Err(error)) => Err(format!("the Parquet file is damaged, or has what is not read: {}", in_words(&error))),
        Err(_) => Err("the Parquet file is damaged".to_owned()),
    }
}

fn in_words(error: &ParquetError) -> String {
    match error {
        ParquetError::General(what) | ParquetError::NYI(what) | ParquetError::EOF(what) => what.clone(),
        ParquetError::External(inner) => inner.to_string(),
        other => other.to_string(),
    }
}
